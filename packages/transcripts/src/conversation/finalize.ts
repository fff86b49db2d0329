import type { AllowUndefined, JsonObject } from '../json/index.js'
import { type Losses, reasons, type Turn } from '../model/index.js'
import type { Media } from './media.js'
import { sanitize, sanitizeText } from './sanitize.js'

/** A turn as a format found it; `visible` only where the format says so. */
export type RawTurn = AllowUndefined<Omit<Turn, 'visible'> & { visible?: boolean }>

/**
 * The last step of every format: strings are made fit to store, a turn of nothing but tool calls or results gets a
 * marker as its content (the service requires text), and one with nothing at all is dropped and counted.
 */
export function finalizeTurn(raw: RawTurn, losses: Losses): Turn | undefined {
  const content = sanitizeText(raw.content, losses)
  const marker = isBlank(content) ? markerOf(raw) : undefined
  if (marker === undefined && isBlank(content)) {
    losses.drop('empty message', reasons.needsContent)
    return undefined
  }
  const { role, place } = raw
  const isSynthetic = marker !== undefined || raw.metadata?.synthetic_content === true
  const visible = !isSynthetic && (raw.visible ?? (role !== 'system' && role !== 'tool'))
  const turn: Turn = { role, content: marker === undefined ? content : sanitizeText(marker, losses), visible, place }
  if (raw.toolCalls !== undefined) turn.toolCalls = sanitize(raw.toolCalls, losses)
  if (raw.toolResults !== undefined) turn.toolResults = sanitize(raw.toolResults, losses)
  const metadata = marker === undefined ? raw.metadata : { ...raw.metadata, synthetic_content: true }
  if (metadata !== undefined) turn.metadata = sanitize(metadata, losses)
  if (raw.createdAt !== undefined) turn.createdAt = raw.createdAt
  return turn
}

function isBlank(text: string): boolean {
  return !/\S/.test(text)
}

function markerOf({ toolCalls = [], toolResults = [], metadata }: RawTurn): string | undefined {
  if (toolCalls.length > 0) return `[tool call: ${toolCalls.map((call) => call.name).join(', ')}]`
  if (toolResults.length > 0) return `[tool result: ${toolResults.map((result) => result.name).join(', ')}]`
  return metadata?.thinking === undefined ? undefined : '[thinking]'
}

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
export function closeTurn(turn: OpenTurn, losses: Losses): Turn | undefined {
  // A turn of nothing but thoughts that were left out has been counted as such.
  if (isThought(turn) && turn.thinking === undefined) return undefined
  const { media, thinking } = turn
  if (media !== undefined) turn.metadata = { ...turn.metadata, media }
  if (thinking !== undefined) turn.metadata = { ...turn.metadata, thinking: thinking.join('\n') }
  if (turn.metadata !== undefined && Object.keys(turn.metadata).length === 0) turn.metadata = undefined
  return finalizeTurn(turn, losses)
}
