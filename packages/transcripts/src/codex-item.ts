import { isObject, type JsonObject, textOf } from './json.js'
import { fieldsOf, type Known, Losses } from './losses.js'
import { mediaOf } from './media.js'
import { countPart } from './parts.js'

/** An item of a Codex log without its bulk, in the words of the Responses interface. */
export interface CodexItem {
  item: JsonObject
  metadata?: JsonObject
}

const bulk = new Set(['encrypted_content', 'internal_chat_message_metadata_passthrough', 'metadata', 'phase'])

/** An item as it is kept until the end of the log; undefined for what carries nothing. */
export function codexItem(payload: JsonObject): CodexItem | undefined {
  const { type } = payload
  if (type === undefined || type === 'message') {
    return { item: { type: 'message', role: payload.role, content: slim(payload.content) } }
  }
  if (type === 'function_call' || type === 'custom_tool_call') {
    const { call_id = payload.id, name, arguments: args, input } = payload
    return {
      // The literal, not the file's own copy of it, of which a session may have very many.
      item:
        type === 'function_call'
          ? { type: 'function_call', call_id, name, arguments: args }
          : { type: 'custom_tool_call', call_id, name, input },
    }
  }
  if (type === 'reasoning') return { item: { type, summary: payload.summary, content: payload.content } }
  if (type === 'agent_message') return messageOfAgent(payload)
  if (type === 'tool_call') return callOf(payload)
  if (type === 'tool_result') {
    const id = payload.call_id ?? payload.tool_call_id
    return outputOf('function_call_output', id, payload.name, payload.result ?? payload.output ?? payload.content)
  }
  if (type === 'image_generation_call') return imageOf(payload)
  if (typeof type === 'string' && type.endsWith('_output') && 'output' in payload) {
    return outputOf(type, payload.call_id ?? payload.id, payload.name, payload.output)
  }
  if (type === 'ghost_snapshot') return undefined
  return { item: Object.fromEntries(Object.entries(payload).filter(([key]) => !bulk.has(key))) }
}

const ofAll = 'type id status timestamp model encrypted_content internal_chat_message_metadata_passthrough phase'
const shared = { metadata: fieldsOf('turn_id') }
const call = fieldsOf(`${ofAll} call_id tool_call_id name namespace arguments`, {
  ...shared,
  function: fieldsOf('name arguments'),
})
const output = fieldsOf(`${ofAll} call_id tool_call_id name success result output content`, shared)
/** The fields that are read of an item by its type; of others all fields are kept. */
const itemFields: ReadonlyMap<string, Known> = new Map([
  ['message', fieldsOf(`${ofAll} role content end_turn author recipient`, shared)],
  ['agent_message', fieldsOf(`${ofAll} role content end_turn author recipient`, shared)],
  ['reasoning', fieldsOf(`${ofAll} content summary`, shared)],
  ['function_call', call],
  ['tool_call', call],
  ['custom_tool_call', fieldsOf(`${ofAll} call_id name namespace input`, shared)],
  ['function_call_output', output],
  ['custom_tool_call_output', output],
  ['tool_result', output],
])

/** The fields of an item that nobody reads and in which there is text. */
export function unreadOf(payload: JsonObject): string[] {
  const { type = 'message' } = payload
  const known = typeof type === 'string' ? itemFields.get(type) : undefined
  if (known === undefined) return []
  const losses = new Losses()
  losses.addTexts(payload, known, 'item ')
  if (type === 'tool_result') losses.addOthers(payload, ['result', 'output', 'content'], 'item ')
  else if (known === output)
    for (const key of ['result', 'content']) losses.addTexts({ [key]: payload[key] }, none, 'item ')
  for (const part of Array.isArray(payload.content) ? payload.content : []) countPart(part, losses)
  return losses.list().map(({ what }) => what)
}

const none: ReadonlySet<string> = new Set()

/** A call, and its answer, as events tell them. */
export function codexCall(id: unknown, name: unknown, args: unknown, output: unknown, failed = false): CodexItem[] {
  const call = { item: { type: 'function_call', call_id: id, name, arguments: args } }
  if (output === undefined || output === null) return [call]
  const answer = outputOf('function_call_output', id, name, output)
  return [call, failed ? { ...answer, item: { ...answer.item, status: 'failed' } } : answer]
}

/** An image that was made: of the image itself only its size is kept. */
export function imageOf({ result, revised_prompt }: JsonObject): CodexItem {
  const size_bytes = typeof result === 'string' ? Math.floor((result.length * 3) / 4) : undefined
  return { item: { type: 'image_generation_call', size_bytes, revised_prompt } }
}

/** Content without bulk; most of it is one text, which is kept as such. */
function slim(content: unknown): unknown {
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined
  const isText = isObject(only) && (only.type === 'input_text' || only.type === 'output_text')
  return isText && typeof only.text === 'string' ? only.text : withoutBulk(content)
}

/** Content, or the parts of an output, with the facts of an image or sound instead of its bytes. */
export function withoutBulk(content: unknown): unknown {
  return Array.isArray(content) ? content.map(partWithoutBulk) : content
}

function partWithoutBulk(part: unknown): unknown {
  if (!isObject(part)) return part
  if (part.type === 'encrypted_content') return { type: part.type }
  if (typeof part.text === 'string') return { type: part.type, text: part.text }
  const media = mediaOf(part)
  if (media?.bytes === undefined) return part
  return { type: media.kind, mime_type: media.mime_type, size_bytes: media.bytes, name: media.name }
}

/** What one agent says to another is nobody's of this talk. */
function messageOfAgent({ author, recipient, content }: JsonObject): CodexItem {
  const metadata = { kind: 'agent_message', author: textOf(author), recipient: textOf(recipient) }
  return { item: { type: 'message', role: 'system', content: withoutBulk(content) }, metadata }
}

function callOf(payload: JsonObject): CodexItem {
  const tool = isObject(payload.function) ? payload.function : payload
  const args = payload.arguments ?? tool.arguments
  const id = payload.call_id ?? payload.tool_call_id ?? payload.id
  return { item: { type: 'function_call', call_id: id, name: tool.name ?? payload.name, arguments: args } }
}

/** Outputs of the shell are JSON in a text, with the exit code beside what was printed. */
function outputOf(type: string, id: unknown, name: unknown, output: unknown): CodexItem {
  const told = wrapped(output)
  const facts = isObject(told?.metadata) ? told.metadata : {}
  const code = typeof facts.exit_code === 'number' ? facts.exit_code : undefined
  const failed = told?.success === false || (code !== undefined && code !== 0)
  const printed = told ? (told.output ?? told.content) : output
  const item: JsonObject = {
    type: type === 'function_call_output' ? 'function_call_output' : type,
    call_id: id,
    name,
    output: withoutBulk(printed),
  }
  if (failed) item.status = 'failed'
  return code === undefined ? { item } : { item, metadata: { exit_code: code } }
}

function wrapped(output: unknown): JsonObject | undefined {
  const value = typeof output === 'string' && /^\{"(output|metadata)"/.test(output) ? parsed(output) : output
  if (!isObject(value)) return undefined
  if (typeof value.output === 'string' && isObject(value.metadata)) return value
  const isOld = 'success' in value && (typeof value.content === 'string' || Array.isArray(value.content))
  return isOld ? value : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
