import type { TranscriptUpload } from '../types.js'

/** The identity of an upload, stored in the transcript's `metadata.svc` (interface: Resources › Transcript). */
export interface Stamp {
  /** Identifies the content, if a program derives it from the content, as `svc upload` does. */
  key: string
  /** Position among the uploads with this key, from 1. */
  occurrence: number
  /** Random for each upload. Reconciliation compares it. */
  write: string
}

/** A stamp read from a record or a body, unchecked. */
export type ShownStamp = { [K in keyof Stamp]?: unknown }

/**
 * Copy an upload and add a stamp to its metadata, by default a random one. Returns the same upload if it already has a
 * `svc`, or if its metadata is not an object. `transcripts.upload` does this by default.
 */
export function stampUpload(upload: TranscriptUpload, stamp: Stamp = randomStamp()): TranscriptUpload {
  const { metadata = {} }: { metadata?: object | undefined } = upload ?? {}
  if (Object(metadata) !== metadata || Array.isArray(metadata) || 'svc' in metadata) return upload
  return { ...upload, metadata: { ...metadata, svc: stamp } }
}

/** Read the stamp of a record or an upload, unchecked; empty if it has none, undefined if the metadata is not shown. */
export function stampOf(record: { metadata?: unknown }): ShownStamp | undefined {
  const { metadata } = record
  if (metadata === undefined) return undefined
  const svc: unknown = (metadata as { svc?: unknown } | null)?.svc
  return typeof svc === 'object' && svc !== null ? svc : {}
}

/** Without `randomUUID`, which pages over plain http lack. */
function randomStamp(): Stamp {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const write = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { key: `client-${write}`, occurrence: 1, write }
}
