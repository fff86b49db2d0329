import type { TranscriptUpload } from '@svc/client'
import type { Problem } from './problem.js'
import type { Loss, Place, Turn } from './turn.js'

/**
 * A conversation as a format reads it: the fields of the upload, within its lengths. `modelName` is the model with most
 * messages, `sourceSystem` by default the id of the format, `externalId` the id of the conversation in its file.
 */
export interface ConversationDraft extends Omit<TranscriptUpload, 'name' | 'turns' | 'metadata' | 'sourceTimestamp'> {
  /** The title in the file. */
  name?: string
  /** In the order of the file. */
  turns: Turn[]
  /** Facts of the whole conversation. */
  metadata?: Record<string, unknown>
  /** ISO 8601: the time of the conversation. */
  sourceTimestamp?: string
  /** The losses, one entry for each kind. */
  losses: Loss[]
  /** The place in the file at which it begins. */
  place: Place
  /** What began it, for the `Tally`. Default: none. */
  origins?: readonly object[]
  /** The places of its rows, also of those without a turn. Default: it is not of rows. */
  rows?: readonly Place[]
  /** Problems of records that may belong to it: it is not read. Default: none. */
  lostRecords?: readonly Problem[]
}
