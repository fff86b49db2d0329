import type { Identity } from './identity.js'

type Stamped = Pick<Identity, 'key' | 'occurrence'> & { write?: string | undefined }

/**
 * What an upload bears in its metadata, under `svc`: `key` and `occurrence` are equal in every run and every program that
 * uploads the same content, `write` is random for each intent.
 */
export const stampOf = ({ key, occurrence, write }: Stamped) => ({
  key,
  occurrence,
  ...(write !== undefined && { write }),
})

interface Record {
  metadata?: unknown
}

/** The key in the stamp of a record; undefined where it bears none of ours, null where its metadata is not shown, or
 * is no object. */
export function stampedKey({ metadata }: Record): string | undefined | null {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return null
  const key: unknown = (metadata as { svc?: { key?: unknown } | null }).svc?.key
  return typeof key === 'string' && /^[0-9a-f]{32}$/.test(key) ? key : undefined
}

/** Whether a record bears the stamp of this very intent. Ledgers of earlier versions hold intents without a `write`. */
export const bearsStamp = (record: Record, { key, write }: Omit<Stamped, 'occurrence'>): boolean =>
  stampedKey(record) === key &&
  (write === undefined || (record.metadata as { svc: { write?: unknown } }).svc.write === write)
