import { isItemType } from '../../contract/index.js'
import { isObject, type JsonObject, textOf, wordSet } from '../../json/index.js'
import { ofType } from '../../model/index.js'
import { type CodexEvent, codexEvent, codexItem } from './event.js'

/** The source of an item, better ones first: items of the model interface, items of the program, events. */
export type Source = 3 | 2 | 1

export interface CodexLine extends CodexEvent {
  source?: Source
  session?: JsonObject
  model?: unknown
}

/** Read a line of any version of the log; undefined if it is not from Codex. */
export function codexLine(value: JsonObject): CodexLine | undefined {
  const { type, payload } = value
  if (!isObject(payload) || typeof type !== 'string') return flat(value)
  return enveloped(type, payload)
}

function enveloped(type: string, payload: JsonObject): CodexLine {
  switch (type) {
    case 'session_meta':
      return { session: payload }
    case 'turn_context':
      return { model: payload.model }
    case 'response_item':
      return itemLine(payload)
    case 'event_msg': {
      const line: CodexLine = codexEvent(payload)
      line.source = payload.type === 'item_completed' ? 2 : 1
      return line
    }
    case 'compacted':
      return compactedLine(payload)
    case 'world_state':
    case 'inter_agent_communication_metadata':
      return {}
    default:
      return { lost: ofType('line', type) }
  }
}

function itemLine(payload: JsonObject): CodexLine {
  const item = codexItem(payload)
  return item ? { source: 3, items: [item] } : {}
}

/** The summary that replaced the conversation for the model. The history beside it repeats the conversation. */
function compactedLine({ message }: JsonObject): CodexLine {
  if (textOf(message) === undefined) return {}
  const item = { type: 'message', role: 'system', content: message }
  return { source: 3, items: [{ item, metadata: { kind: 'compaction' } }] }
}

/** The first logs had bare items as lines, after a line with the facts of the session. */
function flat(value: JsonObject): CodexLine | undefined {
  const { type, role } = value
  if (value.record_type === 'state') return {}
  if (isFlatItem(type)) return itemLine(value)
  if (type === undefined && typeof role === 'string' && 'content' in value) {
    const line = itemLine(value)
    line.model = value.model
    return line
  }
  if (type === undefined && isHeader(value)) return { session: value }
  if (type === 'error') return { note: { error: textOf(value.text) ?? textOf(value.message) ?? 'unknown' } }
  return undefined
}

const flatTypes = wordSet('message tool_call tool_result ghost_snapshot')

function isFlatItem(type: unknown): boolean {
  return flatTypes.has(type) || isItemType(type)
}

function isHeader(value: JsonObject): boolean {
  if (typeof value.id !== 'string' || typeof value.timestamp !== 'string') return false
  return 'instructions' in value || 'git' in value
}

const types = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted', 'world_state'])

/** The score of a Codex log line, from 0 to 1. Bare items are ambiguous: the header decides. */
export function scoreOfCodexLine(value: unknown): number {
  if (!isObject(value)) return 0
  const { type, payload } = value
  if (isObject(payload) && typeof type === 'string') {
    if (types.has(type)) return 0.95
    return 'timestamp' in value ? 0.5 : 0
  }
  if (value.record_type === 'state') return 0.9
  if (isFlatItem(type)) {
    if (type === 'message' && typeof value.role !== 'string') return 0
    return 'timestamp' in value ? 0.6 : 0.4
  }
  if (type !== undefined) return type === 'error' && 'timestamp' in value ? 0.3 : 0
  if (isHeader(value)) return 0.9
  return typeof value.role === 'string' && 'content' in value && 'timestamp' in value ? 0.3 : 0
}
