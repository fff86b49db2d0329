import { defineFormat, openaiMessage } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import type { JsonObject } from '../../json/index.js'
import { type Place, reasons } from '../../model/index.js'

/** Sessions of Mistral Vibe: `messages.jsonl`, in which each message says if the program wrote it (`injected`). */
export const mistralVibe = defineFormat({
  id: 'mistral-vibe',
  title: 'Mistral Vibe session',
  accepts: 'lines { "role", "content", "injected", "message_id", "reasoning_content"?, "tool_calls"? }',
  signature: {
    'role=user|assistant injected message_id': 0.97,
    'role=tool injected tool_call_id': 0.97,
    'role=user|assistant injected': 0.9,
  },
  addMessage,
  structure: 'reasoning_state reasoning_signature',
})

function addMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { injected = false, ...known } = message
  if (typeof injected !== 'boolean') conversation.losses.addField('injected', injected, 'message ', reasons.unreadable)
  if (injected === true && message.role === 'user')
    conversation.addMessage('system', message.content, { place, metadata: { kind: 'injected' } })
  else openaiMessage.add(known, place, conversation)
}
