import { limits, type TranscriptUpload } from '@svc/client'
import { defined } from '../json/index.js'
import { joinsByIdIn, type Loss, reasons, shortened, uploadedTurn } from '../model/index.js'
import type { Transcript } from '../transcript.js'

/**
 * Convert a transcript to an upload body. Fields in `overrides` win unless they are undefined. The default name is that
 * of the record, such as `Transcript 3`; see `nameFor` for a better one, and `uploadLosses` for what the body has no field for
 * (interface: Endpoints › POST /projects/{projectId}/transcripts).
 */
export function toUpload(
  transcript: Transcript,
  overrides: Partial<Omit<TranscriptUpload, 'turns'>> = {},
): TranscriptUpload {
  return defined<TranscriptUpload>({
    name: overrides.name ?? transcript.name ?? `Transcript ${transcript.place.record}`,
    turns: transcript.turns.map(uploadedTurn),
    modelName: overrides.modelName ?? transcript.modelName,
    language: overrides.language ?? transcript.language,
    sourceSystem: overrides.sourceSystem ?? transcript.sourceSystem,
    externalId: overrides.externalId ?? transcript.externalId,
    externalUserId: overrides.externalUserId ?? transcript.externalUserId,
    metadata: overrides.metadata ?? transcript.metadata,
    sourceTimestamp: overrides.sourceTimestamp ?? transcript.sourceTimestamp,
    process: overrides.process ?? transcript.process,
  })
}

/**
 * The losses of an upload, or of annotation messages, beside those of the transcript. Neither has a field for the id of a call: by its
 * name and the order, a result belongs to the first open call. Empty if that is its own call for each result.
 */
export function uploadLosses({ turns }: Pick<Transcript, 'turns'>): Loss[] {
  const count = joinsByIdIn(turns)
  return count === 0 ? [] : [{ code: 'dropped', what: 'link of a result to its call', why: reasons.noField, count }]
}

/**
 * The name of a transcript of a file: its own, else the name of the file without folder and extension, or of the folder whose
 * conversation a `base_state.json` holds, followed by ` (2/8)` if the file holds several, or ` (2)` if their number is unknown
 * (`total` Infinity). `index` is 1-based. At most 500 characters (code points), including the number.
 */
export function nameFor(transcript: Transcript, fileName: string, index = 1, total = 1): string {
  const own = transcript.name?.trim()
  if (own) return shortened(own, limits.name.max)
  const base = fileName
    .replace(/(?<=.)[\\/]base_state\.json$/s, '')
    .replace(/^.*[\\/]/s, '')
    .replace(/(?<=.)(\.(gz|zst))$/i, '')
    .replace(/(?<=.)\.(jsonl?|ndjson|traj|eval|csv|tsv|vtt|srt|md|txt|zip)$/i, '')
  const suffix = total === Infinity ? ` (${index})` : total > 1 ? ` (${index}/${total})` : ''
  return shortened(base.trim() || 'transcript', limits.name.max, suffix)
}
