import { defined } from '../json/index.js'
import { type ConversationDraft, shortened, type Turn } from '../model/index.js'
import type { Transcript } from '../transcript.js'

/** A turn as it is uploaded (interface: Resources › Turn). */
export type UploadTurn = Omit<Turn, 'visible' | 'place'>

/** The fields of an upload body other than its turns. */
export interface UploadFields extends Omit<ConversationDraft, 'name' | 'turns' | 'losses' | 'place'> {
  /** 1-500 characters. */
  name: string
}

/** The body of an upload (interface: Endpoints › POST /projects/{projectId}/transcripts). */
export interface Upload extends UploadFields {
  /** In order; the service takes 1 to 1000 (interface: Limits › Surface B). */
  turns: UploadTurn[]
}

/**
 * Convert a transcript to an upload body. Fields in `overrides` win unless they are undefined. The default name is that
 * of the record, such as `Transcript 3`; see `nameFor` for a better one.
 */
export function toUpload(
  transcript: Transcript,
  overrides: { [Field in keyof UploadFields]?: UploadFields[Field] | undefined } = {},
): Upload {
  return defined<Upload>({
    name: overrides.name ?? transcript.name ?? `Transcript ${transcript.place.record}`,
    turns: transcript.turns.map(({ visible: _visible, place: _place, ...turn }) => turn),
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

const maxLength = 500

/**
 * The name of a transcript of a file: its own, else the name of the file without folder and extension, followed by
 * ` (2/8)` if the file holds several, or ` (2)` if their number is unknown (`total` Infinity). `index` is 1-based. At most
 * 500 characters (code points), including the number.
 */
export function nameFor(transcript: Transcript, fileName: string, index = 1, total = 1): string {
  const own = transcript.name?.trim()
  if (own) return shortened(own, maxLength)
  const base = fileName
    .replace(/^.*[\\/]/s, '')
    .replace(/(?<=.)(\.(gz|zst))$/i, '')
    .replace(/(?<=.)\.(jsonl?|ndjson|traj|eval|csv|tsv|zip)$/i, '')
  const suffix = total === Infinity ? ` (${index})` : total > 1 ? ` (${index}/${total})` : ''
  return shortened(base.trim() || 'transcript', maxLength, suffix)
}
