import { defineFormat } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf } from '../../json/index.js'

/** Messages of a thread of the Assistants interface, which lists them newest first. */
export const openaiAssistants = defineFormat({
  id: 'openai-assistants',
  title: 'OpenAI Assistants messages',
  accepts:
    '{ "data": [{ "object": "thread.message", "thread_id", "role", "content": [{ "type": "text", "text": { "value" } }] }] }, or such messages',
  signature: { 'object=thread.message content[]': 0.97 },
  conversation: { externalId: 'thread_id' },
  order: 'created_at',
  time: 'created_at',
  text: ({ content }) => objectsOf(content).map(partOf),
  metadata: { assistant: 'assistant_id' },
  structure: 'object id first_id last_id run_id type',
})

/** A text is an object with its value and its citations. */
function partOf(part: JsonObject): JsonObject {
  const { value } = asObject(part.text)
  return typeof value === 'string' ? { ...part, text: value } : part
}
