import { defined } from '../json/index.js'
import type { ConversationDraft, Turn } from '../model/index.js'
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
