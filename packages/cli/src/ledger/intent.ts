import type { Identity } from './identity.js'

/** An item that is about to be sent. */
export interface Intent extends Identity {
  name: string
  /** How many turns are sent. */
  turns: number
  /** Where it comes from: path and record, as a person is told. */
  path: string
  record: number
  externalId?: string | undefined
  /** Whether it bears a stamp of its key. Default true. */
  stamped?: boolean | undefined
  /** What its stamp bears to tell it from every other upload, also from those of equal content in other programs. */
  write?: string | undefined
  /** `wordsHash` of its turns: what it is known by where it bears no stamp. */
  words?: string | undefined
  /** How long its attempt may take, in milliseconds, where that is not what is usual. */
  timeoutMs?: number | undefined
}

/** What became of an intent. */
export type Closing =
  | { event: 'done'; id: string; status?: string | undefined }
  | { event: 'refused'; status: number }
  | { event: 'unsent' }
  | { event: 'unknown'; candidates: readonly string[] }
