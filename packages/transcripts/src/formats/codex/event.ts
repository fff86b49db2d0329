import { mediaOf, parseJsonText } from '../../conversation/index.js'
import { asList, asObject, isObject, type JsonObject, textOf, wordSet } from '../../json/index.js'
import { ofType } from '../../model/index.js'

/** The content of a Codex event: items, or facts about the turn before. */
export interface CodexEvent {
  items?: readonly CodexItem[] | undefined
  note?: JsonObject | undefined
  name?: unknown
  startsTask?: boolean
  /** The name of the event, if it is lost as a whole. */
  lost?: string
  /** The texts that repeat others. */
  repeats?: readonly unknown[]
}

export function codexEvent(payload: JsonObject): CodexEvent {
  const type = textOf(payload.type) ?? 'unknown'
  const known = events.get(type)
  if (known) return known(payload)
  return quiet.has(type) || noise.test(type) ? {} : { lost: ofType('event', type) }
}

/** An item of `item_completed`, whose types are in camel case or snake case. */
export function codexCompleted(payload: JsonObject): CodexEvent {
  const item = asObject(payload.item)
  const type = textOf(item.type) ?? 'unknown'
  const known = completed.get(type.replaceAll('_', '').toLowerCase())
  return known ? known(item) : { lost: ofType('item', type) }
}

type Read = (fields: JsonObject) => CodexEvent

const message = (role: string, content: unknown): CodexEvent => ({
  items: [{ item: { type: 'message', role, content } }],
})

const thinking = (...texts: unknown[]): CodexEvent => ({
  items: [{ item: { type: 'reasoning', summary: texts.flat().map((text) => ({ type: 'summary_text', text })) } }],
})

const command: Read = (fields) => {
  const { call_id, id, command: args, aggregated_output, formatted_output, stdout, stderr, exit_code } = fields
  const printed = [textOf(stdout), textOf(stderr)].filter((text) => text !== undefined).join('\n')
  const output = textOf(aggregated_output) ?? textOf(formatted_output) ?? textOf(printed) ?? stdout
  const hasCode = typeof exit_code === 'number'
  const result = hasCode && typeof output === 'string' ? { output, metadata: { exit_code } } : output
  const repeats = [fields.parsed_cmd, fields.command_actions, aggregated_output, formatted_output, stdout]
  return { items: codexCall(call_id ?? id, 'shell', { command: args }, result), repeats }
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

const startsTask: Read = () => ({ startsTask: true })
const textOfThought: Read = ({ text }) => thinking(text)
const image: Read = (fields) => ({ items: [imageOf(fields)] })

const events: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['user_message', userMessage],
  ['agent_message', ({ message: text }) => message('assistant', text)],
  ['agent_reasoning', textOfThought],
  ['agent_reasoning_raw_content', textOfThought],
  ['exec_command_end', command],
  ['patch_apply_end', patch],
  ['mcp_tool_call_end', mcpCall],
  ['web_search_end', search],
  [
    'view_image_tool_call',
    ({ call_id, path }) => ({
      items: codexCall(call_id, 'view_image', { path }, undefined),
    }),
  ],
  [
    'dynamic_tool_call_response',
    (fields) => {
      const { call_id, tool, arguments: args, content_items: output, error, success } = fields
      return { items: codexCall(call_id, tool, args, error ?? withoutBulk(output), success === false) }
    },
  ],
  ['image_generation_end', image],
  ['item_completed', codexCompleted],
  ['turn_aborted', ({ reason }) => ({ note: { interrupted: textOf(reason) ?? 'unknown' } })],
  ['error', failure],
  // Its message repeats the last one.
  ['task_complete', ({ error }) => failure({ error })],
  ['task_started', startsTask],
  ['turn_started', startsTask],
  ['thread_name_updated', ({ thread_name }) => ({ name: thread_name })],
])

const completed: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['usermessage', ({ content }) => message('user', withoutBulk(blocks(content)))],
  [
    'agentmessage',
    ({ content, text }) => {
      const parts = typeof content === 'string' || Array.isArray(content) ? content : text
      return message('assistant', withoutBulk(blocks(parts)))
    },
  ],
  ['reasoning', ({ summary_text: summary, raw_content: raw }) => thinking(summary ?? [], raw ?? [])],
  ['commandexecution', command],
  ['filechange', patch],
  ['mcptoolcall', mcpCall],
  ['extension', search],
  ['websearch', search],
  ['imageview', ({ id, path }) => ({ items: codexCall(id, 'view_image', { path }, undefined) })],
  ['imagegeneration', image],
  ['contextcompaction', () => ({})],
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
