import { defineFormat } from '../../contract/index.js'
import { type JsonObject, objectsOf } from '../../json/index.js'

/** Messages of Haystack 2, as `ChatMessage.to_dict()` writes them. */
export const haystack = defineFormat({
  id: 'haystack',
  title: 'Haystack messages',
  accepts:
    '[{ "role", "meta", "content": [{ "text" } | { "tool_call" } | { "tool_call_result" }] }], or an object with "messages"; also with "_role", "_meta" and "_content"',
  signature: {
    'role meta content[].text': 0.93,
    'role content[].tool_call.tool_name': 0.97,
    'role content[].tool_call_result.origin': 0.97,
    'messages[].meta messages[].content[].text': 0.93,
    '_role _content[]': 0.97,
    'messages[]._role messages[]._content[]': 0.97,
  },
  fields: 'messages role content meta _role _content _meta',
  rows: {},
  messages: 'messages',
  role: ['role', '_role'],
  text: (message) =>
    partsOf(message).filter(({ text, image, base64_image, file }) => text ?? image ?? base64_image ?? file),
  thinking: (message) => partsOf(message).map(({ reasoning }) => (reasoning as JsonObject)?.reasoning_text),
  model: ['meta.model', '_meta.model'],
  metadata: { name: ['name', '_name'] },
  calls: {
    in: (message) => partsOf(message).flatMap(({ tool_call: call }) => call ?? []),
    id: 'id',
    name: 'tool_name',
    args: 'arguments',
  },
  results: {
    in: (message) => partsOf(message).flatMap(({ tool_call_result: result }) => result ?? []),
    id: 'origin.id',
    name: 'origin.tool_name',
    output: 'result',
    error: 'error',
  },
  structure: 'finish_reason',
})

const partsOf = ({ content, _content }: JsonObject): JsonObject[] => objectsOf(content ?? _content)
