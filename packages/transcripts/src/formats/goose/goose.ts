import { defineFormat } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, objectsOf } from '../../json/index.js'

/** Sessions that `goose session export --format json` writes. */
export const goose = defineFormat({
  id: 'goose',
  title: 'Goose session',
  accepts: '{ "id", "working_dir", "conversation": [{ "role", "created", "content": [{ "type" }] }] }',
  signature: { 'conversation[].created conversation[].content[].type': 0.97 },
  conversation: {
    name: ['name', 'description'],
    externalId: 'id',
    modelName: 'model_config.model_name',
    sourceTimestamp: 'created_at',
    metadata: { cwd: 'working_dir', provider: 'provider_name' },
  },
  messages: 'conversation',
  text: ({ content }) => (Array.isArray(content) ? objectsOf(content).map(blockOf) : content),
  time: 'created',
  note: ({ metadata }) => isObject(metadata) && metadata.userVisible === false,
  structure: 'signature session_type status schedule_id mimeType',
})

/** A block as Anthropic has it. */
function blockOf(block: JsonObject): JsonObject {
  const { type, id } = block
  const { status, value, error } = asObject(block.toolCall ?? block.toolResult)
  if (type === 'toolRequest') {
    const { name, arguments: input } = asObject(value)
    return { type: 'tool_use', id, name, input }
  }
  if (type === 'toolResponse') {
    const { content = value, isError } = asObject(Array.isArray(value) ? { content: value } : value)
    const isFailed = status === 'error' || isError === true
    return { type: 'tool_result', tool_use_id: id, content: content ?? error ?? '', is_error: isFailed }
  }
  if (type === 'image' && block.source === undefined) {
    return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } }
  }
  return block
}
