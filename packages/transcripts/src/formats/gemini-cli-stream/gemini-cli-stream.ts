import { defineFormat, type FoundConversation, type Piece } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, textOf } from '../../json/index.js'
import type { Losses, Placed } from '../../model/index.js'

/** A run of the Gemini CLI with `--output-format stream-json`. */
export const geminiCliStream = defineFormat({
  id: 'gemini-cli-stream',
  title: 'Gemini CLI stream',
  accepts: 'lines { "type": "init" | "message" | "tool_use" | "tool_result" | "error" | "result", "timestamp" }',
  signature: {
    'type=init timestamp session_id model': 0.97,
    'type=message timestamp role=user|assistant content': 0.9,
    'type=tool_use timestamp tool_name tool_id': 0.95,
    'type=tool_result timestamp tool_id status=success|error': 0.95,
    'type=error timestamp severity=warning|error message': 0.9,
    'type=result timestamp status=success|error': 0.9,
  },
  log: true,
  join: joined,
  conversation: { externalId: 'session_id', modelName: 'model', sourceTimestamp: 'timestamp' },
  role: ({ type, role, error }) => (type === 'message' ? role : type === 'result' && error ? 'error' : type),
  roles: { user: 'user', assistant: 'assistant tool_use', tool: 'tool_result', system: 'error', omitted: 'result' },
  text: textOfEvent,
  time: 'timestamp',
  metadata: { kind: ({ type }) => (type === 'error' || type === 'result' ? 'error' : undefined) },
  calls: {
    in: (event) => (event.type === 'tool_use' ? event : undefined),
    id: 'tool_id',
    name: 'tool_name',
    args: 'parameters',
  },
  results: { id: 'tool_id', output: ['output', 'error.message'], error: ({ status }) => status === 'error' },
  structure: 'type role status severity tool_name',
})

function textOfEvent({ type, content, message, error }: JsonObject): unknown {
  if (type === 'message') return content
  return type === 'error' ? message : type === 'result' ? asObject(error).message : undefined
}

/** The runs, each with the pieces of an answer as one message. */
function joined(pieces: readonly Piece[]): FoundConversation[] {
  const runs: (FoundConversation & { events: Placed[] })[] = []
  for (const { value, place } of pieces) {
    if (value.type === 'init' || runs.length === 0) {
      const events: Placed[] = []
      runs.push({
        value: value.type === 'init' ? value : {},
        place,
        events,
        messages: (losses) => merged(events, losses),
      })
    }
    if (value.type !== 'init') runs.at(-1)?.events.push({ value, place })
  }
  return runs
}

/** The events, with consecutive pieces of an answer as one message. */
function merged(events: readonly Placed[], losses: Losses): Placed[] {
  const messages: (Placed & { pieces: string[] })[] = []
  for (const { value, place } of events) {
    const last = messages.at(-1)
    const isPiece = isObject(value) && value.delta === true && typeof value.content === 'string'
    if (isPiece && last && isObject(last.value) && last.value.delta === true)
      last.pieces.push(textOf(value.content) ?? '')
    else messages.push({ value, place, pieces: isPiece ? [textOf(value.content) ?? ''] : [] })
  }
  return messages.map(({ value, place, pieces }) => {
    if (pieces.length < 2) return { value, place }
    losses.noteEach(pieces)
    return { value: { ...(value as JsonObject), content: pieces.join('') }, place }
  })
}
