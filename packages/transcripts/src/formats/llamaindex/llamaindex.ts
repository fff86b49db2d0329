import { defineFormat } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, objectsOf } from '../../json/index.js'
import { elementsOf, within } from '../../model/index.js'

/** The chat store of LlamaIndex, which `SimpleChatStore.persist()` writes. */
export const llamaindex = defineFormat({
  id: 'llamaindex',
  title: 'LlamaIndex chat store',
  accepts:
    '{ "class_name": "SimpleChatStore", "store": { KEY: [{ "role", "blocks" or "content", "additional_kwargs" }] } }',
  signature: { 'class_name=SimpleChatStore store': 0.97 },
  conversations: ({ store }, place) =>
    isObject(store)
      ? Object.entries(store).map(([key, messages]) => ({
          value: { key },
          messages: elementsOf(messages, within(place, 'store', key)),
          place: within(place, 'store', key),
        }))
      : undefined,
  skipsEmpty: true,
  conversation: { externalId: 'key' },
  roles: { user: 'user', assistant: 'assistant chatbot model', system: 'system developer', tool: 'tool function' },
  text: ({ content, blocks }) =>
    Array.isArray(blocks)
      ? objectsOf(blocks)
          .filter(({ block_type: type }) => !apart.has(type))
          .map(partOf)
      : content,
  thinking: ({ blocks }) =>
    objectsOf(blocks).map(({ block_type: type, content }) => (type === 'thinking' ? content : undefined)),
  calls: {
    in: ({ blocks, additional_kwargs: more }) => [
      ...objectsOf(blocks).filter(({ block_type: type }) => type === 'tool_call'),
      ...objectsOf(asObject(more).tool_calls),
    ],
    id: ['tool_call_id', 'id'],
    name: ['tool_name', 'function.name'],
    args: ['tool_kwargs', 'function.arguments'],
  },
  results: {
    id: 'additional_kwargs.tool_call_id',
    name: 'additional_kwargs.name',
    output: ({ content, blocks }) => content ?? objectsOf(blocks).map(partOf),
  },
  structure: 'block_type class_name',
})

const apart = new Set<unknown>(['thinking', 'tool_call'])

/** A block as a part that every format has. */
function partOf({ block_type: type, ...block }: JsonObject): JsonObject {
  if (type === 'text') return { type, text: block.text }
  const {
    image_mimetype,
    document_mimetype,
    audio_mimetype,
    mime_type = image_mimetype ?? document_mimetype ?? audio_mimetype,
  } = block
  return { ...block, type, mime_type }
}
