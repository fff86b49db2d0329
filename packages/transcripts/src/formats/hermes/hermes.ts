import { defineFormat, openaiMessage, thoughtIn } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type Place, reasons } from '../../model/index.js'

/** Sessions of Hermes Agent, which `~/.hermes/sessions/session_*.json` holds if `sessions.write_json_snapshots` is set. */
export const hermes = defineFormat({
  id: 'hermes',
  title: 'Hermes session',
  accepts: '{ "session_id", "session_start", "platform", "messages": [{ "role", "content", "tool_calls"? }] }',
  signature: { 'session_id session_start messages[].role': 0.97 },
  conversation: {
    name: 'title',
    externalId: 'session_id',
    modelName: 'model',
    sourceTimestamp: 'session_start',
    metadata: { cwd: ['cwd', 'model_config.cwd'], platform: 'platform' },
  },
  system: 'system_prompt',
  messages: 'messages',
  addMessage,
  lost: ['tools', 'rewound_messages'],
  structure: 'base_url finish_reason last_updated encrypted_content',
})

function addMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { tool_name: tool, codex_reasoning_items: items, codex_message_items: copies, ...known } = message
  const { losses } = conversation
  if (message.role === 'session_meta')
    return losses.dropValue(message, 'message with the role "session_meta"', reasons.notConversation)
  // The Responses API is given its own items again, which hold the same text.
  losses.addField('codex_message_items', copies, 'message ', reasons.othersRead)
  const isRead = thoughtIn(known) !== undefined
  const summary = objectsOf(items).flatMap((item) => [item.text, ...objectsOf(item.summary).map(({ text }) => text)])
  const thoughts = summary.map(textOf).filter((text) => text !== undefined)
  const thought = thoughts.join('\n')
  if (isRead) losses.addField('codex_reasoning_items', items, 'message ', 'the thinking beside it is read instead')
  else losses.noteEach(thoughts)
  const own = isRead || thought === '' ? known : { ...known, reasoning: thought }
  openaiMessage.add(tool === undefined ? own : { ...own, name: own.name ?? tool }, place, conversation)
}
