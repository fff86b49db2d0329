import { type CodexItem, codexCall, imageOf, withoutBulk } from './codex-item.js'
import { isObject, type JsonObject, textOf } from './json.js'
import { fieldsOf, type Known, textOnly, unreadIn } from './losses.js'

/** What an event of a Codex log tells: items, something to note of the turn before, or nothing that has a place. */
export interface CodexEvent {
  items?: readonly CodexItem[] | undefined
  note?: JsonObject | undefined
  name?: unknown
  startsTask?: boolean
  /** What is lost as a whole. */
  lost?: string
  /** Fields that nobody reads. */
  unread?: readonly string[]
}

/** An `event_msg`. */
export function codexEvent(payload: JsonObject): CodexEvent {
  const type = textOf(payload.type) ?? 'unknown'
  const read = events.get(type)
  if (read) return { ...read(payload), unread: unreadIn(payload, eventFields.get(type), 'event ') }
  return isNoise(type) ? {} : { lost: `event "${type.slice(0, 40)}"` }
}

/** An item of `item_completed`, whose types are in camel case of either kind. */
export function codexCompleted(payload: JsonObject): CodexEvent {
  const item = isObject(payload.item) ? payload.item : {}
  const type = textOf(item.type) ?? 'unknown'
  const key = type.replaceAll('_', '').toLowerCase()
  const read = completed.get(key)
  if (!read) return { lost: `item "${type.slice(0, 40)}"` }
  const unsaid = key === 'agentmessage' && textOf(item.text) && item.content !== undefined ? unsaidIn(item) : []
  return { ...read(item), unread: [...unreadIn(item, completedFields.get(key), 'item '), ...unsaid] }
}

/** Of the two places of a message the one that is not read. */
function unsaidIn({ content, text }: JsonObject): string[] {
  const isContent = typeof content === 'string' || Array.isArray(content)
  const isSame = JSON.stringify(content).includes(JSON.stringify(text).slice(1, -1))
  return isSame ? [] : unreadIn(isContent ? { text } : { content }, fieldsOf(''), 'item ')
}

type Read = (fields: JsonObject) => CodexEvent

const message = (role: string, content: unknown): CodexEvent => ({
  items: [{ item: { type: 'message', role, content } }],
})

const thought = (...texts: unknown[]): CodexEvent => ({
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
  const told = hasCode && typeof output === 'string' ? { output, metadata: { exit_code } } : output
  return { items: codexCall(call_id ?? id, 'shell', { command: args }, told) }
}

const patch: Read = ({ call_id, id, changes, stdout, stderr, success, status }) => {
  const failed = success === false || status === 'failed'
  return { items: codexCall(call_id ?? id, 'apply_patch', { changes }, textOf(stdout) ?? stderr, failed) }
}

const ofServer: Read = (fields) => {
  const { call_id, id, invocation, result } = fields
  const { tool, arguments: args } = isObject(invocation) ? invocation : fields
  const told = isObject(result) ? (result.Ok ?? result.Err ?? result) : result
  const output = isObject(told) ? (told.content ?? told.structuredContent ?? told) : told
  const failed = (isObject(result) && 'Err' in result) || (isObject(told) && told.isError === true)
  return { items: codexCall(call_id ?? id, tool, args, withoutBulk(output), failed) }
}

const search: Read = ({ call_id, id, query, action, results }) => {
  const args = isObject(action) ? action : { query }
  return { items: codexCall(call_id ?? id, 'web_search', args, Array.isArray(results) ? results : undefined) }
}

const ofUser: Read = ({ message: text, images, local_images }) => {
  const pictures: unknown[] = []
  for (const list of [images, local_images]) if (Array.isArray(list)) pictures.push(...list)
  if (pictures.length === 0) return message('user', text)
  const parts = pictures.map((image_url) => ({ type: 'input_image', image_url }))
  return message('user', withoutBulk([{ type: 'input_text', text }, ...parts]))
}

const failure: Read = ({ message: text, text: other, error }) => {
  const told = [text, other, isObject(error) ? error.message : undefined].flatMap((each) => textOf(each) ?? [])
  return told.length === 0 ? {} : { note: { error: [...new Set(told)].join(': ') } }
}

const events: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['user_message', ofUser],
  ['agent_message', ({ message: text }) => message('assistant', text)],
  ['agent_reasoning', ({ text }) => thought(text)],
  ['agent_reasoning_raw_content', ({ text }) => thought(text)],
  ['exec_command_end', command],
  ['patch_apply_end', patch],
  ['mcp_tool_call_end', ofServer],
  ['web_search_end', search],
  ['view_image_tool_call', ({ call_id, path }) => ({ items: codexCall(call_id, 'view_image', { path }, undefined) })],
  [
    'dynamic_tool_call_response',
    ({ call_id, tool, arguments: args, content_items: output, error, success }) => ({
      items: codexCall(call_id, tool, args, error ?? withoutBulk(output), success === false),
    }),
  ],
  ['image_generation_end', (fields) => ({ items: [imageOf(fields)] })],
  ['item_completed', codexCompleted],
  ['turn_aborted', ({ reason }) => ({ note: { interrupted: textOf(reason) ?? 'unknown' } })],
  ['error', failure],
  ['task_complete', ({ error }) => failure({ error })],
  ['task_started', () => ({ startsTask: true })],
  ['turn_started', () => ({ startsTask: true })],
  ['thread_name_updated', ({ thread_name }) => ({ name: thread_name })],
])

const blocks = (content: unknown) =>
  Array.isArray(content)
    ? content.map((block) => (isObject(block) ? { ...block, type: textOf(block.type)?.toLowerCase() } : block))
    : content

const completed: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['usermessage', ({ content }) => message('user', withoutBulk(blocks(content)))],
  [
    'agentmessage',
    ({ content, text }) => {
      const said = typeof content === 'string' || Array.isArray(content) ? content : text
      return message('assistant', withoutBulk(blocks(said)))
    },
  ],
  ['reasoning', ({ summary_text: summary, raw_content: raw }) => thought(summary ?? [], raw ?? [])],
  ['commandexecution', command],
  ['filechange', patch],
  ['mcptoolcall', ofServer],
  ['extension', search],
  ['websearch', search],
  ['imageview', ({ id, path }) => ({ items: codexCall(id, 'view_image', { path }, undefined) })],
  ['imagegeneration', (fields) => ({ items: [imageOf(fields)] })],
  ['contextcompaction', () => ({})],
])

const ofCall = 'type id call_id turn_id thread_id process_id status source duration started_at_ms completed_at_ms'
const commandFields = fieldsOf(
  `${ofCall} command parsed_cmd command_actions cwd stdout stderr aggregated_output formatted_output exit_code`,
)
const patchFields = fieldsOf(`${ofCall} changes stdout stderr success auto_approved`)
const serverFields = fieldsOf(`${ofCall} tool server arguments result error mcp_app_resource_uri`, {
  invocation: fieldsOf('server tool arguments'),
})
const searchFields = fieldsOf(`${ofCall} query action results`)
const imageFields = fieldsOf(`${ofCall} result revised_prompt saved_path`)

/** The fields that are read of an event by its type, what repeats that, and what holds no content. */
const eventFields: ReadonlyMap<string, Known> = new Map([
  ['user_message', fieldsOf(`${ofCall} message images local_images text_elements kind`)],
  ['agent_message', fieldsOf(`${ofCall} message phase`)],
  ['agent_reasoning', fieldsOf(`${ofCall} text`)],
  ['agent_reasoning_raw_content', fieldsOf(`${ofCall} text`)],
  ['exec_command_end', commandFields],
  ['patch_apply_end', patchFields],
  ['mcp_tool_call_end', serverFields],
  ['web_search_end', searchFields],
  ['view_image_tool_call', fieldsOf(`${ofCall} path`)],
  ['dynamic_tool_call_response', fieldsOf(`${ofCall} tool namespace arguments content_items error success`)],
  ['image_generation_end', imageFields],
  ['item_completed', fieldsOf(`${ofCall} item`)],
  ['turn_aborted', fieldsOf(`${ofCall} reason completed_at`)],
  ['error', fieldsOf(`${ofCall} codex_error_info`, { message: textOnly, text: textOnly, error: fieldsOf('message') })],
  // Its message is the last one again.
  ['task_complete', fieldsOf(`${ofCall} last_agent_message`, { error: fieldsOf('message') })],
  ['task_started', fieldsOf(`${ofCall} started_at collaboration_mode_kind`)],
  ['turn_started', fieldsOf(`${ofCall} started_at collaboration_mode_kind`)],
  ['thread_name_updated', fieldsOf(`${ofCall} thread_name`)],
])

const completedFields: ReadonlyMap<string, Known> = new Map([
  ['usermessage', fieldsOf(`${ofCall} content client_id`)],
  ['agentmessage', fieldsOf(`${ofCall} content text phase memory_citation`)],
  ['reasoning', fieldsOf(`${ofCall} summary_text raw_content`)],
  ['commandexecution', commandFields],
  ['filechange', patchFields],
  ['mcptoolcall', serverFields],
  ['extension', searchFields],
  ['websearch', searchFields],
  ['imageview', fieldsOf(`${ofCall} path`)],
  ['imagegeneration', imageFields],
  ['contextcompaction', fieldsOf(ofCall)],
])

/** Counts and states of the program, and what is told again. */
const quiet = new Set(
  `token_count context_compacted thread_settings_applied session_configured turn_complete turn_completed turn.completed
  sub_agent_activity undo_completed shutdown_complete mcp_startup_complete agent_reasoning_section_break
  dynamic_tool_call_request plan_update turn_diff`.split(/\s+/),
)

/** Counts, states of the program, and what is told again when it ends. */
function isNoise(type: string): boolean {
  return quiet.has(type) || type.startsWith('collab_') || /_(begin|delta|started|updated|update)$/.test(type)
}
