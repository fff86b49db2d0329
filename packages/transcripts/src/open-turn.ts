import type { JsonObject } from './json.js'
import type { Losses } from './losses.js'
import type { Media } from './media.js'
import { type RawTurn, settle } from './settle.js'
import type { Turn } from './turn.js'

/** A turn under way. Most have a text and nothing else, so nothing else is made before it is needed. */
export interface OpenTurn extends RawTurn {
  message: unknown
  media: Media[] | undefined
  thinking: string[] | undefined
  thought: boolean
  /** As it was given, and not to be changed: somebody else may hold it. */
  metadata: JsonObject | undefined
}

/** Adds what is said, on a line of its own. */
export function addText(turn: OpenTurn, text: string): void {
  if (text !== '') turn.content = turn.content === '' ? text : `${turn.content}\n${text}`
}

/** True if the model has thought in a turn, and neither spoken nor called yet. */
export function isThought(turn: OpenTurn | undefined): boolean {
  return turn?.thought === true && turn.content === '' && turn.toolCalls === undefined && turn.media === undefined
}

/** The turn as it is stored; undefined when it holds nothing. */
export function settledTurn(turn: OpenTurn, losses: Losses): Turn | undefined {
  // A turn of nothing but thoughts that were left out has been counted as such.
  if (isThought(turn) && turn.thinking === undefined) return undefined
  const { media, thinking } = turn
  if (media !== undefined) turn.metadata = { ...turn.metadata, media }
  if (thinking !== undefined) turn.metadata = { ...turn.metadata, thinking: thinking.join('\n') }
  if (turn.metadata !== undefined && isEmpty(turn.metadata)) turn.metadata = undefined
  return settle(turn, losses)
}

function isEmpty(object: object): boolean {
  for (const _field in object) return false
  return true
}
