import type { Identity } from './identity.js'

/** What an upload bears in its metadata, under `svc`, so that it is known again at the service. */
export const stampOf = ({ key, occurrence }: Pick<Identity, 'key' | 'occurrence'>) => ({ key, occurrence })

/** The key in the stamp of a record; undefined where it bears none of ours, null where its metadata is not shown. */
export function stampedKey({ metadata }: { metadata?: unknown }): string | undefined | null {
  if (metadata === undefined) return null
  const key: unknown = (metadata as { svc?: { key?: unknown } } | null)?.svc?.key
  return typeof key === 'string' && /^[0-9a-f]{32}$/.test(key) ? key : undefined
}
