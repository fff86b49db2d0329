import { commandOf } from './claude-code-text.js'
import { countWords } from './facts.js'
import { isObject, type JsonObject, textOf } from './json.js'
import { type Losses, noPlace } from './losses.js'
import { mediaOf } from './media.js'
import type { Place, Role } from './turn.js'

/** A line of a session that says something: no more of it than its turns need. */
export interface Entry {
  role: Extract<Role, 'user' | 'assistant' | 'system'>
  content: string | readonly unknown[]
  uuid: string | undefined
  /** The id of the API's message: it is written one block a line. */
  message: string | undefined
  model: string | undefined
  kind: string | undefined
  at: unknown
  place: Place
}

/** What a user or assistant line says; undefined, and counted, where that is nothing or nobody's words. */
export function messageEntry(line: JsonObject, place: Place, losses: Losses): Entry | undefined {
  const message = isObject(line.message) ? line.message : {}
  const content = contentIn(line, message, losses)
  if (content === undefined) return undefined
  countWords(line, lineFields, 'line ', losses)
  countWords(message, messageFields, 'message ', losses)
  const isMade = line.isApiErrorMessage === true || message.model === '<synthetic>'
  const kind = line.isCompactSummary === true ? 'compaction' : isMade ? madeKind(line) : undefined
  return {
    role: kind !== undefined ? 'system' : line.type === 'assistant' ? 'assistant' : 'user',
    content,
    uuid: textOf(line.uuid),
    message: textOf(message.id),
    model: textOf(message.model),
    kind,
    at: line.timestamp,
    place,
  }
}

/** The fields that are read, what repeats that, and what keeps house. */
const lineFields = new Set(
  `type message uuid parentUuid logicalParentUuid sessionId session_id timestamp cwd version gitBranch slug userType
  entrypoint origin requestId request_id promptId promptSource permissionMode mode agentId agentName agentType teamName
  parent_tool_use_id toolUseResult tool_use_result toolUseID sourceToolUseID sourceToolAssistantUUID isSidechain isMeta
  isSynthetic isReplay isCompactSummary compactMetadata summarizeMetadata isApiErrorMessage apiErrorStatus apiError error
  errorDetails level subtype leafUuid todos planContent thinkingMetadata imagePasteIds mcpMeta forkedFrom attribution
  attributionAgent attributionPlugin attributionSkill attributionMcpServer attributionMcpTool priority`.split(/\s+/),
)
const messageFields = new Set(
  'role content id model type stop_reason stop_sequence stop_details usage container context_management diagnostics'.split(
    ' ',
  ),
)

/** What the program says in the assistant's place. */
function madeKind(line: JsonObject): string {
  return line.isApiErrorMessage === true ? 'api_error' : 'synthetic'
}

function contentIn(line: JsonObject, { content }: JsonObject, losses: Losses): Entry['content'] | undefined {
  if (typeof content !== 'string' && !Array.isArray(content)) {
    losses.add('dropped', 'line without a message that can be read', 'it is damaged, or of a version not known')
    return undefined
  }
  if (line.isMeta !== true || line.isCompactSummary === true) {
    return typeof content === 'string' ? content : content.map(slim)
  }
  const results = typeof content === 'string' ? [] : content.filter(isToolResult)
  if (results.length === 0 || typeof content === 'string' || results.length < content.length) {
    losses.add('dropped', 'context that the program injected', 'nobody said it')
  }
  return results.length === 0 ? undefined : results.map(slim)
}

export function isToolResult(block: unknown): boolean {
  return isObject(block) && block.type === 'tool_result'
}

/** The block without the bytes of its media, which are megabytes and only measured. */
function slim(block: unknown): unknown {
  if (!isObject(block)) return block
  if (block.type === 'tool_result' && Array.isArray(block.content))
    return { ...block, content: block.content.map(slim) }
  if (!isObject(block.source) || block.source.type !== 'base64') return block
  const media = mediaOf({ name: block.title, ...block })
  if (media === undefined) return block
  const { kind, bytes, ...facts } = media
  return { type: kind, source: {}, ...facts, ...(bytes !== undefined && { size_bytes: bytes }) }
}

/** A system line: commands that ran on the user's side and errors say something, the rest keeps house. */
export function systemEntry(line: JsonObject, place: Place, losses: Losses): Entry | undefined {
  const content = textOf(line.content)
  const subtype = textOf(line.subtype) ?? 'system'
  if (content === undefined || quiet.has(subtype) || line.isMeta === true) return undefined
  const about = { content, uuid: textOf(line.uuid), message: undefined, model: undefined, at: line.timestamp, place }
  if (subtype === 'local_command') return { ...about, role: 'user', kind: undefined }
  if (line.level === 'error' || /error|refusal/.test(subtype)) return { ...about, role: 'system', kind: subtype }
  losses.add('dropped', `system line "${subtype.slice(0, 40)}"`, noPlace)
  return undefined
}

const quiet = new Set(['compact_boundary', 'microcompact_boundary', 'turn_duration', 'stop_hook_summary'])

/** An attachment: what the user typed while the assistant worked, or a file or hint for the model, which is counted. */
export function attachmentEntry(line: JsonObject, place: Place, losses: Losses): Entry | undefined {
  const attachment = isObject(line.attachment) ? line.attachment : {}
  const prompt = attachment.type === 'queued_command' ? attachment.prompt : undefined
  if (typeof prompt === 'string' || Array.isArray(prompt)) {
    const content = typeof prompt === 'string' ? prompt : prompt.map(slim)
    const about = { uuid: textOf(line.uuid), message: undefined, model: undefined, kind: undefined }
    return { ...about, role: 'user', content, at: line.timestamp, place }
  }
  if (wordsOf.some((field) => hasWords(attachment[field]))) {
    losses.add('dropped', `attachment "${(textOf(attachment.type) ?? 'unknown').slice(0, 40)}"`, noPlace)
  }
  return undefined
}

const wordsOf = ['content', 'text', 'snippet', 'prompt', 'stdout', 'files', 'memories', 'planContent']

function hasWords(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && value !== '{}'
  return Array.isArray(value) ? value.length > 0 : isObject(value)
}

/** True if the user starts afresh here. */
export function isClear({ role, content }: Entry): boolean {
  if (role !== 'user') return false
  const only = typeof content === 'string' ? content : content.length === 1 ? content[0] : undefined
  const text = isObject(only) ? only.text : only
  return typeof text === 'string' && text.length < 1000 && commandOf(text)?.split(' ')[0] === '/clear'
}
