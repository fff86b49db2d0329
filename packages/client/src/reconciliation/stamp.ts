import type { TranscriptUpload } from '../types.js'

/**
 * The mark that tells an upload from every other one, also from one of equal content; it is stored in the transcript's
 * metadata, under `svc` (interface: Resources › Transcript).
 */
export interface Stamp {
  /** What is uploaded: equal in every run of a program that derives it from the content, as `svc upload` does. */
  key: string
  /** Which of the uploads with this key it is, from 1. */
  occurrence: number
  /** Random for each upload that is intended; equal only in what that one upload stored. Reconciliation compares it. */
  write: string
}

/** A stamp as far as a record or a body bears one. */
export type ShownStamp = { [K in keyof Stamp]?: unknown }

/**
 * A copy of an upload with a stamp in its metadata, by default one of random `key` and `write`. The same upload where
 * the caller has a `svc` there already, or where the metadata is no object. `transcripts.upload` does this by itself.
 */
export function stampUpload(upload: TranscriptUpload, stamp: Stamp = randomStamp()): TranscriptUpload {
  const { metadata = {} }: { metadata?: object | undefined } = upload ?? {}
  if (Object(metadata) !== metadata || Array.isArray(metadata) || 'svc' in metadata) return upload
  return { ...upload, metadata: { ...metadata, svc: stamp } }
}

/**
 * The stamp in the metadata of a record or an upload, unchecked, for others may have written it; empty where it bears
 * none, undefined where the metadata is not shown.
 */
export function stampOf({ metadata }: { metadata?: unknown }): ShownStamp | undefined {
  if (metadata === undefined) return undefined
  const svc: unknown = (metadata as { svc?: unknown } | null)?.svc
  return typeof svc === 'object' && svc !== null ? svc : {}
}

/** Of `getRandomValues`, because pages over plain http have no `randomUUID`. */
function randomStamp(): Stamp {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const write = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { key: `client-${write}`, occurrence: 1, write }
}
