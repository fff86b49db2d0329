import { clean, cleanText } from './clean.js'
import type { Loose } from './json.js'
import type { Losses } from './losses.js'
import type { Turn } from './turn.js'

/** A turn as a format found it; `visible` only where the format says so. */
export type RawTurn = Loose<Omit<Turn, 'visible'> & { visible?: boolean }>

/**
 * The last step of every format: strings are made fit to store, a turn of nothing but tool calls or results gets a
 * marker as its content (the service requires text), and one with nothing at all is dropped and counted.
 */
export function settle(raw: RawTurn, losses: Losses): Turn | undefined {
  const content = cleanText(raw.content, losses)
  const marker = isBlank(content) ? markerOf(raw) : undefined
  if (marker === undefined && isBlank(content)) {
    losses.add('dropped', 'empty message', 'the service wants content')
    return undefined
  }
  const { role, place } = raw
  const isSynthetic = marker !== undefined || raw.metadata?.synthetic_content === true
  const visible = !isSynthetic && (raw.visible ?? (role !== 'system' && role !== 'tool'))
  const turn: Turn = { role, content: marker === undefined ? content : cleanText(marker, losses), visible, place }
  if (raw.toolCalls !== undefined) turn.toolCalls = clean(raw.toolCalls, losses)
  if (raw.toolResults !== undefined) turn.toolResults = clean(raw.toolResults, losses)
  const metadata = marker === undefined ? raw.metadata : { ...raw.metadata, synthetic_content: true }
  if (metadata !== undefined) turn.metadata = clean(metadata, losses)
  if (raw.createdAt !== undefined) turn.createdAt = raw.createdAt
  return turn
}

const visibleCharacter = /\S/

function isBlank(text: string): boolean {
  const first = text.charCodeAt(0)
  // Most texts begin with a letter.
  return !(first > 0x20 && first < 0x7f) && !visibleCharacter.test(text)
}

function markerOf({ toolCalls = [], toolResults = [], metadata }: RawTurn): string | undefined {
  if (toolCalls.length > 0) return `[tool call: ${toolCalls.map((call) => call.name).join(', ')}]`
  if (toolResults.length > 0) return `[tool result: ${toolResults.map((result) => result.name).join(', ')}]`
  return metadata?.thinking === undefined ? undefined : '[thinking]'
}
