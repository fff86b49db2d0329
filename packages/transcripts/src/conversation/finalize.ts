import { type AllowUndefined, defined, type JsonObject, textOf, wordSet } from '../json/index.js'
import { holdsText, isBlank, isVisible, type Losses, reasons, type Turn } from '../model/index.js'
import type { Media } from './media.js'
import { sanitize, sanitizeText } from './sanitize.js'

/** A turn before it is fit to be stored; `visible` only if the format sets it. */
export type RawTurn = AllowUndefined<Omit<Turn, 'visible'> & { visible?: boolean }>

/**
 * Make a turn fit to be stored: its strings are sanitized, and a turn of only tool calls, results or thoughts, or of the
 * reason why there is no answer, gets a marker as its content, which the upload schema requires. An empty turn is dropped
 * and counted, and so is each of its metadata.
 */
export function finalizeTurn(raw: RawTurn, losses: Losses): Turn | undefined {
  const content = sanitizeText(raw.content, losses)
  const marker = isBlank(content) ? markerOf(raw) : undefined
  if (marker === undefined && isBlank(content)) {
    losses.drop(dropMetadata(raw, losses) > 0 ? withoutContent : 'empty message', reasons.needsContent)
    return undefined
  }
  const { role, place } = raw
  const visible = marker === undefined && isVisible(raw, raw.visible)
  const turn: Turn = { role, content: marker === undefined ? content : sanitizeText(marker, losses), visible, place }
  if (raw.toolCalls !== undefined) turn.toolCalls = sanitize(raw.toolCalls, losses)
  if (raw.toolResults !== undefined) turn.toolResults = sanitize(raw.toolResults, losses)
  if (raw.callIds !== undefined) turn.callIds = raw.callIds
  if (raw.resultIds !== undefined) turn.resultIds = raw.resultIds
  const metadata = marker === undefined ? raw.metadata : { ...raw.metadata, synthetic_content: true }
  if (metadata !== undefined) turn.metadata = sanitize(metadata, losses)
  if (raw.createdAt !== undefined) turn.createdAt = raw.createdAt
  return turn
}

/** The turn of a stored transcript as it is: it was fit to be stored, and an empty one keeps its number. */
export const storedTurn = (raw: RawTurn): Turn => defined<Turn>({ ...raw, visible: isVisible(raw, raw.visible) })

function markerOf({ toolCalls = [], toolResults = [], metadata }: RawTurn): string | undefined {
  if (toolCalls.length > 0) return `[tool call: ${toolCalls.map((call) => call.name).join(', ')}]`
  if (toolResults.length > 0) return `[tool result: ${toolResults.map((result) => result.name).join(', ')}]`
  if (metadata?.thinking !== undefined) return '[thinking]'
  const end = endOf(metadata)
  return end === undefined ? undefined : `[no answer: ${end}]`
}

/** The reason why an answer ended, as providers name it. */
const endOf = (metadata: JsonObject | undefined) => textOf(metadata?.stop_reason) ?? textOf(metadata?.finish_reason)

const usualEnds = wordSet(
  `stop end_turn end_of_turn stop_sequence tool_use tool_call tool_calls tooluse function_call complete completed finish
  finished eos eos_token finish_reason_unspecified null none unknown`,
)

/** True for a reason for which a model ends its answer before it is done, such as `length` or `refusal`. */
export const isEarlyEnd = (reason: unknown): boolean =>
  textOf(reason) !== undefined && !usualEnds.has(String(reason).toLowerCase())

const withoutContent = 'message without content'

/** Count the texts in the metadata of a message that is no turn, and return their number. Its kind is not of the file. */
function dropMetadata({ metadata = {} }: RawTurn, losses: Losses): number {
  const names = Object.keys(metadata).filter((name) => name !== 'kind' && holdsText(metadata[name]))
  for (const name of names) losses.drop(`metadata "${name.slice(0, 40)}" of a ${withoutContent}`, reasons.needsContent)
  return names.length
}

/** A turn that later messages may extend. */
export interface OpenTurn extends RawTurn {
  message: unknown
  media?: Media[]
  thinking?: string[]
  /** True if the message holds a thought, even if the thought is not kept. */
  hasThought?: boolean
  /** Owned by the caller: copy it instead of changing it. */
  metadata: JsonObject | undefined
}

export function addText(turn: OpenTurn, text: string): void {
  if (text !== '') turn.content = turn.content === '' ? text : `${turn.content}\n${text}`
}

export function isThought(turn: OpenTurn | undefined): boolean {
  return turn?.hasThought === true && turn.content === '' && turn.toolCalls === undefined && turn.media === undefined
}

/** The turn as it is stored; undefined if it is empty. */
export function closeTurn(turn: OpenTurn, losses: Losses): Turn | undefined {
  // The dropped thoughts are already counted.
  if (isThought(turn) && turn.thinking === undefined && endOf(turn.metadata) === undefined) {
    dropMetadata(turn, losses)
    return undefined
  }
  const { media, thinking } = turn
  if (media !== undefined) turn.metadata = { ...turn.metadata, media }
  if (thinking !== undefined) turn.metadata = { ...turn.metadata, thinking: thinking.join('\n') }
  if (turn.metadata !== undefined && Object.keys(turn.metadata).length === 0) turn.metadata = undefined
  return finalizeTurn(turn, losses)
}
