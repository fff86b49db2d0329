import { countOtherRole, endOf } from '../../contract/index.js'
import { mediaOf } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, textOf, wordMap, wordSet } from '../../json/index.js'
import { type Losses, ofType, type Place, type Role, reasons } from '../../model/index.js'

/** A session line with content, reduced to what its turns need. */
export interface Entry {
  role: Extract<Role, 'user' | 'assistant' | 'system'>
  content: string | readonly unknown[]
  uuid?: string | undefined
  /** The API message id: each line has one block of a message. */
  message?: string | undefined
  model?: string | undefined
  kind?: string | undefined
  /** Why the answer ended, if it did so early. */
  end?: JsonObject | undefined
  at?: unknown
  place: Place
}

/** The entry of a user or assistant line. Undefined, and counted as a loss, if the line has no readable message. */
export function messageEntry(line: JsonObject, place: Place, losses: Losses): Entry | undefined {
  const message = asObject(line.message)
  const content = contentIn(line, message, losses)
  if (content === undefined) return undefined
  countUnread(line, lineFields, 'line ', losses)
  countUnread(message, entryMessageFields, 'message ', losses)
  countOtherRole(message.role, line.type === 'assistant' ? 'assistant' : 'user', losses)
  const isError = line.isApiErrorMessage === true
  const synthetic = isError ? 'api_error' : message.model === '<synthetic>' ? 'synthetic' : undefined
  const kind = line.isCompactSummary === true ? 'compaction' : synthetic
  if (kind !== undefined) losses.noteWord(message.model)
  return {
    role: kind !== undefined ? 'system' : line.type === 'assistant' ? 'assistant' : 'user',
    content,
    uuid: textOf(line.uuid),
    message: textOf(message.id),
    model: textOf(message.model),
    kind,
    end: endOf(message),
    at: line.timestamp,
    place,
  }
}

function countUnread(fields: JsonObject, known: ReadonlySet<string>, where: string, losses: Losses): void {
  for (const [key, value] of Object.entries(fields)) {
    if (!known.has(key) && (typeof value === 'string' || typeof value === 'object')) losses.addField(key, value, where)
  }
}

/** The fields that are read, that repeat these, or that have no content. */
const lineFields =
  wordSet(`type message uuid parentUuid logicalParentUuid sessionId session_id timestamp cwd version gitBranch slug userType
  entrypoint origin requestId request_id promptId promptSource permissionMode mode agentId agentName agentType teamName
  parent_tool_use_id toolUseResult tool_use_result toolUseID sourceToolUseID sourceToolAssistantUUID isSidechain isMeta
  isSynthetic isReplay isCompactSummary compactMetadata summarizeMetadata isApiErrorMessage apiErrorStatus apiError error
  errorDetails level subtype leafUuid todos planContent thinkingMetadata imagePasteIds mcpMeta forkedFrom attribution
  attributionAgent attributionPlugin attributionSkill attributionMcpServer attributionMcpTool priority`)
const entryMessageFields = wordSet(
  'role content id model type stop_reason stop_sequence stop_details usage container context_management diagnostics',
)

function contentIn(line: JsonObject, { content }: JsonObject, losses: Losses): Entry['content'] | undefined {
  if (typeof content !== 'string' && !Array.isArray(content)) {
    losses.dropValue(line, 'line without a readable message', 'it is damaged or from an unknown version')
    return undefined
  }
  if (line.isMeta !== true || line.isCompactSummary === true) {
    return typeof content === 'string' ? content : slimmed(content, losses)
  }
  const results = typeof content === 'string' ? [] : content.filter(isToolResult)
  if (results.length === 0 || typeof content === 'string' || results.length < content.length) {
    losses.dropValue(
      typeof content === 'string' ? content : content.filter((block) => !isToolResult(block)),
      'context injected by the program',
      reasons.notConversation,
    )
  }
  return results.length === 0 ? undefined : slimmed(results, losses)
}

export function isToolResult(block: unknown): boolean {
  return isObject(block) && block.type === 'tool_result'
}

function slimmed(blocks: readonly unknown[], losses: Losses): unknown[] {
  return blocks.map((block) => slim(block, losses))
}

/** The block without the bytes of its media, to keep memory low. */
function slim(block: unknown, losses: Losses): unknown {
  if (!isObject(block)) return block
  if (block.type === 'tool_result' && Array.isArray(block.content))
    return { ...block, content: slimmed(block.content, losses) }
  if (!isObject(block.source) || block.source.type !== 'base64') return block
  const media = mediaOf({ name: block.title, ...block }, losses)
  if (media === undefined) return block
  const { kind, bytes, ...facts } = media
  return { type: kind, source: {}, ...facts, ...(bytes !== undefined && { size_bytes: bytes }) }
}

/** The entry of a system line: a local command or an error. */
export function systemEntry(line: JsonObject, place: Place, losses: Losses): Entry | undefined {
  const content = textOf(line.content)
  const subtype = textOf(line.subtype) ?? 'system'
  if (quiet.has(subtype) && content !== undefined)
    losses.dropValue(content, ofType('system line', subtype), reasons.notConversation)
  if (content === undefined || quiet.has(subtype) || line.isMeta === true) return undefined
  const context = { content, uuid: textOf(line.uuid), at: line.timestamp, place }
  if (subtype === 'local_command') return { ...context, role: 'user' }
  if (line.level === 'error' || /error|refusal/.test(subtype)) return { ...context, role: 'system', kind: subtype }
  losses.dropValue(line, ofType('system line', subtype))
  return undefined
}

const quiet = new Set(['compact_boundary', 'microcompact_boundary', 'turn_duration', 'stop_hook_summary'])

/** The entry of a prompt typed while the assistant worked. Other attachments are counted as losses. */
export function attachmentEntry(line: JsonObject, place: Place, losses: Losses): Entry | undefined {
  const attachment = asObject(line.attachment)
  const prompt = attachment.type === 'queued_command' ? attachment.prompt : undefined
  if (typeof prompt === 'string' || Array.isArray(prompt)) {
    const content = typeof prompt === 'string' ? prompt : slimmed(prompt, losses)
    return { role: 'user', content, uuid: textOf(line.uuid), at: line.timestamp, place }
  }
  if (contentFields.some((field) => hasContent(attachment[field]))) {
    losses.dropValue(attachment, ofType('attachment', textOf(attachment.type) ?? 'unknown'))
  }
  return undefined
}

const contentFields = ['content', 'text', 'snippet', 'prompt', 'stdout', 'files', 'memories', 'planContent']

function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && value !== '{}'
  return Array.isArray(value) ? value.length > 0 : isObject(value)
}

export function isClearCommand({ role, content }: Entry): boolean {
  if (role !== 'user') return false
  const only = typeof content === 'string' ? content : content.length === 1 ? content[0] : undefined
  const text = isObject(only) ? only.text : only
  return typeof text === 'string' && text.length < 1000 && commandOf(text)?.split(' ')[0] === '/clear'
}

/** A piece of a user message; `kind` if the user did not type it. */
export interface TextPiece {
  role: Extract<Role, 'user' | 'system'>
  text: string
  kind?: string
}

/** Elements that the program adds to user messages, by the kind of their content. */
const injected = wordMap({
  injected:
    'system-reminder task-notification teammate-message ide_opened_file ide_selection ide_diagnostics new-diagnostics user-prompt-submit-hook command-contents',
  local_command: 'local-command-caveat local-command-stdout local-command-stderr bash-stdout bash-stderr',
})

const reminder = 'system-reminder'

/** Split a user message into typed text, slash commands and injected elements. */
export function splitUserText(text: string): TextPiece[] {
  const command = commandOf(text)
  if (command !== undefined) {
    const more = ['name', 'message', 'args'].reduce((rest, part) => without(rest, `command-${part}`), text)
    return [{ role: 'user', text: command, kind: 'slash_command' }, ...(more.trim() === '' ? [] : split(more))]
  }
  if (text.startsWith('[Request interrupted by user')) return [{ role: 'user', text, kind: 'interruption' }]
  if (text.startsWith('Caveat: The messages below were generated by the user while running local commands')) {
    return [{ role: 'system', text, kind: 'local_command' }]
  }
  if (text.startsWith('This session is being continued from a previous conversation')) {
    return [{ role: 'system', text, kind: 'compaction' }]
  }
  return split(text)
}

/** `/name arguments` of a slash command. */
function commandOf(text: string): string | undefined {
  if (!text.trimStart().startsWith('<command-')) return undefined
  const name = inner(text, 'command-name') ?? inner(text, 'command-message')
  if (name === undefined) return undefined
  const args = inner(text, 'command-args') ?? ''
  return `${name.startsWith('/') ? '' : '/'}${name} ${args}`.trimEnd()
}

/** True for a slash command with a message other than its name, such as `init is analyzing your codebase…`. */
export function isDescribed(text: string): boolean {
  const message = commandOf(text) === undefined ? undefined : inner(text, 'command-message')
  return message !== undefined && message.replace(/^\//, '') !== inner(text, 'command-name')?.replace(/^\//, '')
}

/** The start and the end of the first element with a tag, and of its content. It may be cut off. */
function placeOf(text: string, tag: string) {
  const start = text.indexOf(`<${tag}>`)
  if (start === -1) return undefined
  const close = text.indexOf(`</${tag}>`, start)
  const [endOfContent, end] = close === -1 ? [text.length, text.length] : [close, close + tag.length + 3]
  return { start, content: start + tag.length + 2, endOfContent, end }
}

function inner(text: string, tag: string): string | undefined {
  const at = placeOf(text, tag)
  return at && textOf(text.slice(at.content, at.endOfContent).trim())
}

function without(text: string, tag: string): string {
  const at = placeOf(text, tag)
  return at ? text.slice(0, at.start) + text.slice(at.end) : text
}

/** Elements at the start and reminders anywhere are injected; the rest is typed. */
function split(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let at = 0
  for (;;) {
    const start = skipBlanks(text, at)
    const tag = tagAt(text, start)
    if (tag === undefined) break
    const element = elementAt(text, start, tag)
    if (element.inner !== '') pieces.push(pieceOf(tag, element.inner))
    at = element.end
  }
  for (let open = text.indexOf(`<${reminder}>`, at); open !== -1; open = text.indexOf(`<${reminder}>`, at)) {
    addTyped(pieces, text.slice(at, open))
    const element = elementAt(text, open, reminder)
    if (element.inner !== '') pieces.push(pieceOf(reminder, element.inner))
    at = element.end
  }
  if (at === 0) return [{ role: 'user', text }]
  addTyped(pieces, text.slice(at))
  return pieces
}

function addTyped(pieces: TextPiece[], typed: string): void {
  const text = typed.trim()
  if (text !== '') pieces.push({ role: 'user', text })
}

/** The user typed `!ls` or `#remember`; the program marked it with an element. */
const typed = new Map([
  ['bash-input', { sign: '!', kind: 'shell_command' }],
  ['user-memory-input', { sign: '#', kind: 'memory' }],
])

function pieceOf(tag: string, text: string): TextPiece {
  const mark = typed.get(tag)
  if (mark !== undefined) return { role: 'user', text: mark.sign + text, kind: mark.kind }
  return { role: 'system', text, kind: injected.get(tag) ?? 'injected' }
}

function tagAt(text: string, start: number): string | undefined {
  if (text[start] !== '<') return undefined
  const tag = /^<([a-z_-]{4,40})[\s>]/.exec(text.slice(start, start + 50))?.[1]
  return tag !== undefined && (injected.has(tag) || typed.has(tag)) ? tag : undefined
}

/** The content of an element, or the whole of one with attributes. Without an end tag it reaches to the end of the text. */
function elementAt(text: string, start: number, tag: string): { inner: string; end: number } {
  const opened = text.indexOf('>', start) + 1
  const close = `</${tag}>`
  const closed = text.indexOf(close, opened)
  const end = closed === -1 ? text.length : closed + close.length
  const hasAttributes = text[start + tag.length + 1] !== '>'
  return {
    inner: hasAttributes ? text.slice(start, end) : text.slice(opened, closed === -1 ? end : closed).trim(),
    end,
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 32) at++
  return at
}
