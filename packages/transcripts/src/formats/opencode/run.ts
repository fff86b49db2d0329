import { defineFormat, type FoundConversation, type Piece } from '../../contract/index.js'
import { asObject, getOrInsert, isObject, type JsonObject } from '../../json/index.js'
import type { Placed } from '../../model/index.js'
import { parts, structureOfParts } from './parts.js'

/** Runs of opencode with `run --format json`, which writes the parts of answers and no prompt. */
export const opencodeRun = defineFormat({
  id: 'opencode-run',
  title: 'opencode stream',
  accepts:
    'lines { "type": "text" | "reasoning" | "tool_use" | "step_start" | "step_finish" | "error", "timestamp", "sessionID", "part" }',
  signature: {
    'type=text|reasoning|tool_use|step_start|step_finish timestamp sessionID part.type': 0.97,
    'type=error timestamp sessionID error': 0.9,
  },
  log: true,
  join: joined,
  conversation: { externalId: 'sessionID', sourceTimestamp: 'timestamp' },
  role: ({ type }) => (type === 'error' ? 'system' : 'assistant'),
  time: 'timestamp',
  ...parts,
  text: (message) => (message.type === 'error' ? errorIn(message) : parts.text(message)),
  metadata: { kind: ({ type }) => (type === 'error' ? 'error' : undefined) },
  structure: `${structureOfParts} name`,
})

function errorIn({ error }: JsonObject): unknown {
  const { name, data } = asObject(error)
  return asObject(data).message ?? name
}

/** The runs by their sessions, with the parts of each message together, as in an export. */
function joined(pieces: readonly Piece[]): FoundConversation[] {
  const runs = new Map<unknown, Piece & { messages: Placed[] }>()
  const messages = new Map<unknown, unknown[]>()
  for (const { value, place } of pieces) {
    const run = getOrInsert(runs, value.sessionID, () => ({ value, place, messages: [] }))
    const { part } = value
    const known = messages.get(asObject(part).messageID)
    if (known) {
      known.push(part)
      continue
    }
    const parts = [part]
    if (isObject(part)) messages.set(part.messageID, parts)
    run.messages.push({ value: { ...value, parts }, place })
  }
  return [...runs.values()]
}
