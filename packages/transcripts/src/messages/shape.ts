import type { Report } from '../format.js'
import type { Talk } from '../talk.js'
import type { Place } from '../turn.js'

/** One provider's shape of a message, for its own format and for those that hold messages of any provider. */
export interface MessageShape {
  /** The score of a value, from 0 (no such message) to 1. */
  score(value: unknown): number
  /** Says the message in a talk; one that cannot be read is reported and left out. */
  say(value: unknown, place: Place, talk: Talk, report: Report): void
}
