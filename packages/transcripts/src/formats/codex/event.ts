import { countPart, mediaOf, parseJsonText } from '../../conversation/index.js'
import { asList, asObject, isObject, type JsonObject, textOf, wordSet } from '../../json/index.js'
import { fieldsOf, type KnownFields, Losses, ofType, textOnly, unreadIn } from '../../model/index.js'

/** The content of a Codex event: items, or facts about the turn before. */
export interface CodexEvent {
  items?: readonly CodexItem[] | undefined
  note?: JsonObject | undefined
  name?: unknown
  startsTask?: boolean
  /** The name of the event, if it is lost as a whole. */
  lost?: string
  unread?: readonly string[]
}

export function codexEvent(payload: JsonObject): CodexEvent {
  const type = textOf(payload.type) ?? 'unknown'
  const known = events.get(type)
  if (known) return { ...known.read(payload), unread: unreadIn(payload, known.fields, 'event ') }
  return quiet.has(type) || noise.test(type) ? {} : { lost: ofType('event', type) }
}

/** An item of `item_completed`, whose types are in camel case or snake case. */
export function codexCompleted(payload: JsonObject): CodexEvent {
  const item = asObject(payload.item)
  const type = textOf(item.type) ?? 'unknown'
  const key = type.replaceAll('_', '').toLowerCase()
  const known = completed.get(key)
  if (!known) return { lost: ofType('item', type) }
  const unreadTexts = key === 'agentmessage' && textOf(item.text) && item.content !== undefined ? unreadText(item) : []
  return { ...known.read(item), unread: [...unreadIn(item, known.fields, 'item '), ...unreadTexts] }
}

/** The loss if `content` and `text` of a message differ. */
function unreadText({ content, text }: JsonObject): string[] {
  const isContent = typeof content === 'string' || Array.isArray(content)
  const isSame = JSON.stringify(content).includes(JSON.stringify(text).slice(1, -1))
  return isSame ? [] : unreadIn(isContent ? { text } : { content }, fieldsOf(''), 'item ')
}

type Read = (fields: JsonObject) => CodexEvent

const message = (role: string, content: unknown): CodexEvent => ({
  items: [{ item: { type: 'message', role, content } }],
})

const thinking = (...texts: unknown[]): CodexEvent => ({
  items: [{ item: { type: 'reasoning', summary: texts.flat().map((text) => ({ type: 'summary_text', text })) } }],
})

const command: Read = ({
  call_id,
  id,
  command: args,
  aggregated_output,
  formatted_output,
  stdout,
  stderr,
  exit_code,
}) => {
  const printed = [textOf(stdout), textOf(stderr)].filter((text) => text !== undefined).join('\n')
  const output = textOf(aggregated_output) ?? textOf(formatted_output) ?? textOf(printed) ?? stdout
  const hasCode = typeof exit_code === 'number'
  const result = hasCode && typeof output === 'string' ? { output, metadata: { exit_code } } : output
  return { items: codexCall(call_id ?? id, 'shell', { command: args }, result) }
}

const patch: Read = ({ call_id, id, changes, stdout, stderr, success, status }) => {
  const failed = success === false || status === 'failed'
  return { items: codexCall(call_id ?? id, 'apply_patch', { changes }, textOf(stdout) ?? stderr, failed) }
}

const mcpCall: Read = (fields) => {
  const { call_id, id, invocation, result } = fields
  const { tool, arguments: args } = isObject(invocation) ? invocation : fields
  const inner = isObject(result) ? (result.Ok ?? result.Err ?? result) : result
  const output = isObject(inner) ? (inner.content ?? inner.structuredContent ?? inner) : inner
  const failed = (isObject(result) && 'Err' in result) || (isObject(inner) && inner.isError === true)
  return { items: codexCall(call_id ?? id, tool, args, withoutBulk(output), failed) }
}

const search: Read = ({ call_id, id, query, action, results }) => {
  const args = isObject(action) ? action : { query }
  return { items: codexCall(call_id ?? id, 'web_search', args, Array.isArray(results) ? results : undefined) }
}

const userMessage: Read = ({ message: text, images, local_images }) => {
  const pictures = [...asList(images), ...asList(local_images)]
  if (pictures.length === 0) return message('user', text)
  const parts = pictures.map((image_url) => ({ type: 'input_image', image_url }))
  return message('user', withoutBulk([{ type: 'input_text', text }, ...parts]))
}

const failure: Read = ({ message: text, text: other, error }) => {
  const texts = [text, other, isObject(error) ? error.message : undefined].flatMap((each) => textOf(each) ?? [])
  return texts.length === 0 ? {} : { note: { error: [...new Set(texts)].join(': ') } }
}

const blocks = (content: unknown) =>
  Array.isArray(content)
    ? content.map((block) => (isObject(block) ? { ...block, type: textOf(block.type)?.toLowerCase() } : block))
    : content

const ofCall = 'type id call_id turn_id thread_id process_id status source duration started_at_ms completed_at_ms'
const commandFields =
  'command parsed_cmd command_actions cwd stdout stderr aggregated_output formatted_output exit_code'
const patchFields = 'changes stdout stderr success auto_approved'
const serverFields = 'tool server arguments result error mcp_app_resource_uri'
const ofInvocation = { invocation: fieldsOf('server tool arguments') }
const searchFields = 'query action results'
const imageFields = 'result revised_prompt saved_path'
const ofError = { error: fieldsOf('message') }

interface Kind {
  read: Read
  fields: KnownFields
}

function kind(name: string, fields: string, read: Read, objects?: Record<string, KnownFields>): [string, Kind] {
  return [name, { read, fields: fieldsOf(`${ofCall} ${fields}`, objects) }]
}

const startsTask: Read = () => ({ startsTask: true })
const textOfThought: Read = ({ text }) => thinking(text)
const image: Read = (fields) => ({ items: [imageOf(fields)] })

const events: ReadonlyMap<string, Kind> = new Map([
  kind('user_message', 'message images local_images text_elements kind', userMessage),
  kind('agent_message', 'message phase', ({ message: text }) => message('assistant', text)),
  kind('agent_reasoning', 'text', textOfThought),
  kind('agent_reasoning_raw_content', 'text', textOfThought),
  kind('exec_command_end', commandFields, command),
  kind('patch_apply_end', patchFields, patch),
  kind('mcp_tool_call_end', serverFields, mcpCall, ofInvocation),
  kind('web_search_end', searchFields, search),
  kind('view_image_tool_call', 'path', ({ call_id, path }) => ({
    items: codexCall(call_id, 'view_image', { path }, undefined),
  })),
  kind('dynamic_tool_call_response', 'tool namespace arguments content_items error success', (fields) => {
    const { call_id, tool, arguments: args, content_items: output, error, success } = fields
    return { items: codexCall(call_id, tool, args, error ?? withoutBulk(output), success === false) }
  }),
  kind('image_generation_end', imageFields, image),
  kind('item_completed', 'item', codexCompleted),
  kind('turn_aborted', 'reason completed_at', ({ reason }) => ({ note: { interrupted: textOf(reason) ?? 'unknown' } })),
  kind('error', 'codex_error_info', failure, { message: textOnly, text: textOnly, ...ofError }),
  // Its message repeats the last one.
  kind('task_complete', 'last_agent_message', ({ error }) => failure({ error }), ofError),
  kind('task_started', 'started_at collaboration_mode_kind', startsTask),
  kind('turn_started', 'started_at collaboration_mode_kind', startsTask),
  kind('thread_name_updated', 'thread_name', ({ thread_name }) => ({ name: thread_name })),
])

const completed: ReadonlyMap<string, Kind> = new Map([
  kind('usermessage', 'content client_id', ({ content }) => message('user', withoutBulk(blocks(content)))),
  kind('agentmessage', 'content text phase memory_citation', ({ content, text }) => {
    const parts = typeof content === 'string' || Array.isArray(content) ? content : text
    return message('assistant', withoutBulk(blocks(parts)))
  }),
  kind('reasoning', 'summary_text raw_content', ({ summary_text: summary, raw_content: raw }) =>
    thinking(summary ?? [], raw ?? []),
  ),
  kind('commandexecution', commandFields, command),
  kind('filechange', patchFields, patch),
  kind('mcptoolcall', serverFields, mcpCall, ofInvocation),
  kind('extension', searchFields, search),
  kind('websearch', searchFields, search),
  kind('imageview', 'path', ({ id, path }) => ({ items: codexCall(id, 'view_image', { path }, undefined) })),
  kind('imagegeneration', imageFields, image),
  kind('contextcompaction', '', () => ({})),
])

/** Events without content of their own. */
const quiet =
  wordSet(`token_count context_compacted thread_settings_applied session_configured turn_complete turn_completed turn.completed
  sub_agent_activity undo_completed shutdown_complete mcp_startup_complete agent_reasoning_section_break
  dynamic_tool_call_request plan_update turn_diff`)

const noise = /^collab_|_(begin|delta|started|updated|update)$/

/** An item of the Responses interface without large binary data. */
export interface CodexItem {
  item: JsonObject
  metadata?: JsonObject
}

const bulk = new Set(['encrypted_content', 'internal_chat_message_metadata_passthrough', 'metadata', 'phase'])

/** The item to keep until the end of the log; undefined if it has no content. */
export function codexItem(payload: JsonObject): CodexItem | undefined {
  const { type } = payload
  if (type === undefined || type === 'message') {
    return { item: { type: 'message', role: payload.role, content: slim(payload.content) } }
  }
  // A long session has many calls: copy their fields instead of keeping the parsed object.
  const { call_id = payload.id, name, arguments: args, input } = payload
  if (type === 'function_call') return { item: { type, call_id, name, arguments: args } }
  if (type === 'custom_tool_call') return { item: { type, call_id, name, input } }
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
/** The fields that are read, by item type. Of other types all fields are kept. */
const itemFields: ReadonlyMap<string, KnownFields> = new Map([
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

export function unreadOf(payload: JsonObject): string[] {
  const { type = 'message' } = payload
  const known = typeof type === 'string' ? itemFields.get(type) : undefined
  if (known === undefined) return []
  const losses = new Losses()
  losses.addTexts(payload, known, 'item ')
  if (type === 'tool_result') losses.addOthers(payload, ['result', 'output', 'content'], 'item ')
  else if (known === output) for (const key of ['result', 'content']) losses.addText(key, payload[key], 'item ')
  for (const part of asList(payload.content)) countPart(part, losses)
  return losses.list().map(({ what }) => what)
}

function codexCall(id: unknown, name: unknown, args: unknown, output: unknown, failed = false): CodexItem[] {
  const call = { item: { type: 'function_call', call_id: id, name, arguments: args } }
  if (output === undefined || output === null) return [call]
  const answer = outputOf('function_call_output', id, name, output)
  return [call, failed ? { ...answer, item: { ...answer.item, status: 'failed' } } : answer]
}

function imageOf({ result, revised_prompt }: JsonObject): CodexItem {
  const size_bytes = typeof result === 'string' ? Math.floor((result.length * 3) / 4) : undefined
  return { item: { type: 'image_generation_call', size_bytes, revised_prompt } }
}

function slim(content: unknown): unknown {
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined
  const isText = isObject(only) && (only.type === 'input_text' || only.type === 'output_text')
  return isText && typeof only.text === 'string' ? only.text : withoutBulk(content)
}

/** The parts with facts about media instead of their bytes. */
function withoutBulk(content: unknown): unknown {
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

/** A message between agents is not part of the conversation. */
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

/** Shell outputs are JSON texts with the exit code beside the output. */
function outputOf(type: string, id: unknown, name: unknown, output: unknown): CodexItem {
  const shell = wrapped(output)
  const facts = isObject(shell?.metadata) ? shell.metadata : {}
  const code = typeof facts.exit_code === 'number' ? facts.exit_code : undefined
  const failed = shell?.success === false || (code !== undefined && code !== 0)
  const printed = shell ? (shell.output ?? shell.content) : output
  const item: JsonObject = {
    type,
    call_id: id,
    name,
    output: withoutBulk(printed),
    ...(failed && { status: 'failed' }),
  }
  return code === undefined ? { item } : { item, metadata: { exit_code: code } }
}

function wrapped(output: unknown): JsonObject | undefined {
  const value = typeof output === 'string' && /^\{"(output|metadata)"/.test(output) ? parseJsonText(output, 1) : output
  if (!isObject(value)) return undefined
  if (typeof value.output === 'string' && isObject(value.metadata)) return value
  const isOld = 'success' in value && (typeof value.content === 'string' || Array.isArray(value.content))
  return isOld ? value : undefined
}
