import { invalidInput } from '../http/index.js'
import { isObject, toJsonValue } from '../json.js'
import type { TranscriptUpload } from '../types.js'

/** The identity of an upload, stored in the transcript's `metadata.svc` (interface: Resources › Transcript). */
export interface Stamp {
  /** Identifies the content, if a program derives it from the content, as `svc upload` does: 32 hexadecimal digits. */
  key: string
  /** Position among the uploads with this key, from 1. */
  occurrence: number
  /** Random for each upload, 32 hexadecimal digits. Reconciliation compares it. */
  write: string
}

/** The fields of a stamp that a record shows; `key` and `write` in lower case. */
export interface ShownStamp extends Partial<Stamp> {}

/** The only form of `key` and `write`. A service that masks, cuts or replaces a value leaves another form. */
const form = /^[0-9a-f]{32}$/

const formMessage = 'expected 32 hexadecimal digits in lower case'

const digitsIn = (value: unknown): string | undefined => {
  const digits = typeof value === 'string' ? value.toLowerCase() : ''
  return form.test(digits) ? digits : undefined
}

/**
 * Read the stamp of a record or an upload. A `key` or `write` that is not 32 hexadecimal digits counts as not shown;
 * undefined if neither is shown. A list may leave out or change metadata.
 */
export function stampOf(record: { metadata?: unknown }): ShownStamp | undefined {
  const { metadata } = record
  const svc = isObject(metadata) ? metadata.svc : undefined
  if (!isObject(svc)) return undefined
  const { occurrence } = svc
  const [key, write] = [digitsIn(svc.key), digitsIn(svc.write)]
  if (!key && !write) return undefined
  return {
    ...(key && { key }),
    ...(typeof occurrence === 'number' && { occurrence }),
    ...(write && { write }),
  }
}

/**
 * Copy an upload and add a stamp to its metadata, by default a random one. Returns the same upload if it already has a
 * `svc`, or if its metadata is not an object. A `toJSON` of the upload or its metadata is called, as `JSON.stringify` does.
 * `transcripts.upload` does this by default. Throws an InputError for a `key` or `write` that is not 32 hexadecimal digits
 * in lower case.
 */
export function stampUpload(upload: TranscriptUpload, stamp: Stamp = randomStamp()): TranscriptUpload {
  for (const name of ['key', 'write'] as const) {
    if (!form.test(stamp[name]))
      throw invalidInput('stampUpload', [{ pointer: `/${name}`, message: formMessage, code: 'malformed' }])
  }
  return withStamp(upload, stamp)
}

/** `stampUpload` with a stamp that is known to be valid: the check is not in the bundle of a client. */
export function withStamp(upload: TranscriptUpload, stamp: Stamp = randomStamp()): TranscriptUpload {
  const fields = toJsonValue(upload)
  if (!isObject(fields)) return upload
  const { metadata = {} } = { metadata: toJsonValue(fields.metadata, 'metadata') }
  if (!isObject(metadata) || toJsonValue(metadata.svc, 'svc') !== undefined) return upload
  return { ...plain(fields), metadata: { ...plain(metadata), svc: stamp } } as TranscriptUpload
}

/** A copy that JSON writes as it is: its `toJSON` was called already. */
function plain(value: Record<string, unknown>): Record<string, unknown> {
  const { toJSON, ...fields } = value
  return typeof toJSON === 'function' ? fields : { ...value }
}

/** Without `randomUUID`, which pages over plain http lack. The key identifies no content, which its equality with `write` shows. */
function randomStamp(): Stamp {
  const write = hexDigits(crypto.getRandomValues(new Uint8Array(16)))
  return { key: write, occurrence: 1, write }
}

export const hexDigits = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
