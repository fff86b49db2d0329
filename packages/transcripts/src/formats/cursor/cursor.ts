import { defineFormat, type Note } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf } from '../../json/index.js'

/** Transcripts of the agent of Cursor. Lines have no times, and many calls have no id. */
export const cursor = defineFormat({
  id: 'cursor',
  title: 'Cursor agent transcript',
  accepts: 'lines { "role", "message": { "content": [{ "type": "text" | "tool_use" | "tool_result" }] } }',
  signature: { 'role=user|assistant|system|tool message.content[].type': 0.9, 'type=turn_ended': 0.5 },
  role: ({ role, type }) => role ?? type,
  roles: { user: 'user tool', assistant: 'assistant', system: 'system', omitted: 'turn_ended' },
  text: ({ message }, note) => objectsOf(asObject(message).content).map((block) => blockOf(block, note)),
  model: 'model',
  structure: 'callKind source toolResultStatus',
})

/** A block as Anthropic has it, without the mark around what the user typed. */
function blockOf(block: JsonObject, note: Note): JsonObject {
  const { type, text } = block
  if (type === 'tool_call') return { ...block, type: 'tool_use' }
  if (type === 'tool-call') return { type: 'tool_use', id: block.toolCallId, name: block.toolName, input: block.args }
  if (type === 'tool-result') return { ...block, type: 'tool_result', content: block.content ?? block.result }
  if (type !== 'text' || typeof text !== 'string') return block
  note(text)
  return { type: 'text', text: text.replace(/^\s*<user_query>\n?([\s\S]*?)\n?<\/user_query>\s*$/, '$1') }
}
