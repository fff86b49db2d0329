import { limits, type TranscriptUpload } from '@svc/client'
import { defined } from '../json/index.js'
import { shortened, uploadedTurn } from '../model/index.js'
import type { Transcript } from '../transcript.js'

/**
 * Convert a transcript to an upload body. Fields in `overrides` win unless they are undefined. The default name is that
 * of the record, such as `Transcript 3`; see `nameFor` for a better one
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
