import { defineFormat, type FileRecord, type Format, LogReader, placeIn } from '../../contract/index.js'
import { isObject, type JsonObject, textOf, wordSet } from '../../json/index.js'
import { type ConversationDraft, ofType, type Place, reasons, within } from '../../model/index.js'
import { attachmentEntry, messageEntry, systemEntry } from './entry.js'
import { Session, type titles } from './session.js'

export const claudeCode: Format<'claude-code'> = defineFormat({
  id: 'claude-code',
  title: 'Claude Code session',
  accepts:
    'lines { "type": "user" | "assistant" | …, "sessionId", "uuid", "parentUuid", "message" }, or { "loglines": […] }',
  fields: ['sessionId', 'uuid', 'parentUuid', 'isSidechain', 'loglines', 'leafUuid', 'snapshot'],
  signature(value) {
    if (!isObject(value)) return 0
    if (Array.isArray(value.loglines)) return 0.97
    return scoreOfLine(value)
  },
  recordsRepeat: true,
  structure:
    'reason commandMode trigger attributionSkill attributionPlugin attributionMcpServer attributionMcpTool operation entrypoint permissionMode mode level',
  reader: (context) => new SessionReader(context),
})

function scoreOfLine(line: JsonObject): number {
  if (typeof line.type !== 'string') return 0
  // Lines of Qwen Code have the parts of Gemini in place of the content, and no side chains; a line that is cut may be of either.
  // Lines of the Grok CLI have the content without a message around it.
  const message = isObject(line.message) ? line.message : undefined
  if (message && 'parts' in message) return 0
  const isSaid = line.type === 'user' || line.type === 'assistant'
  const isCut = message ? !('content' in message) && 'version' in line : isSaid && !('content' in line)
  if (isSaid && isCut && !('isSidechain' in line)) return 0.4
  if (textOf(line.sessionId) !== undefined) return typeof line.uuid === 'string' ? 0.97 : 0.8
  if (line.type === 'summary' && typeof line.leafUuid === 'string') return 0.95
  if (line.type === 'file-history-snapshot') return 0.95
  return typeof line.uuid === 'string' && 'parentUuid' in line && 'isSidechain' in line ? 0.9 : 0
}

const titleOf = new Map<string, [kind: (typeof titles)[number], field: string]>([
  ['custom-title', ['custom', 'customTitle']],
  ['ai-title', ['ai', 'aiTitle']],
  ['summary', ['summary', 'summary']],
])

/** Lines without content. */
const quiet = wordSet(
  'progress file-history-snapshot permission-mode mode pr-link worktree-state relocated frame-link last-prompt agent-name agent-color agent-setting tag started',
)

/** The most sessions searched for a message, so that the time stays linear. */
const mostSearched = 50

class SessionReader extends LogReader {
  readonly #sessions: Session[] = []
  readonly #byId = new Map<string, Session>()
  readonly #summaries: { leaf: string | undefined; text: string; session: Session }[] = []

  read(record: FileRecord): ConversationDraft[] {
    const { value } = record
    const place = placeIn(record)
    if (!isObject(value) || !Array.isArray(value.loglines)) {
      this.#line(value, place)
      return []
    }
    const own = new SessionReader(this.context)
    for (const [index, line] of value.loglines.entries()) own.#line(line, within(place, 'loglines', index))
    const head = { id: textOf(value.id) ?? textOf(value.session_id), title: textOf(value.title) ?? textOf(value.name) }
    for (const session of own.#sessions) session.id ??= head.id
    if (head.title !== undefined) own.#sessions[0]?.addTitle('ai', head.title)
    own.first = place
    return [...own.end()]
  }

  #line(line: unknown, place: Place): void {
    this.first ??= place
    if (!isObject(line)) this.losses.dropValue(line, 'line that is not a JSON object', reasons.unreadable)
    else if (typeof line.type !== 'string') this.losses.dropValue(line, 'line without a type', reasons.unreadable)
    else this.#known(line, line.type, place, this.#sessionOf(line))
  }

  #known(line: JsonObject, type: string, place: Place, session: Session): void {
    session.note(line)
    const title = titleOf.get(type)
    const text = title && textOf(line[title[1]])
    session.losses.note(text)
    if (title?.[0] === 'summary' && text) this.#summaries.push({ leaf: textOf(line.leafUuid), text, session })
    else if (title && text) session.addTitle(title[0], text)
    else if (type === 'user' || type === 'assistant') this.#message(line, place, session)
    else if (type === 'queue-operation') session.addQueueLine(line, place)
    else if (type === 'system' || type === 'attachment') {
      const read = type === 'system' ? systemEntry : attachmentEntry
      const entry = line.isSidechain === true ? undefined : read(line, place, session.losses)
      if (entry && type === 'attachment') session.addQueued(entry)
      else if (entry) session.add(entry)
    } else if (!title && !quiet.has(type)) {
      session.losses.dropValue(line, ofType('line', type))
    }
  }

  #message(line: JsonObject, place: Place, session: Session): void {
    const isAgent = line.isSidechain === true
    if (isAgent) {
      session.agentLines++
      session.firstOfAgents ??= place
      if (!this.context.options.subagents) return session.losses.noteAll(line)
    }
    const entry = messageEntry(line, within(place, 'message'), session.losses)
    if (entry && isAgent) session.addOfAgent(line, entry)
    else if (entry) session.add(entry)
  }

  /** The session with the id of the line, else that of the line before: a resumed session changes its id. */
  #sessionOf(line: JsonObject): Session {
    const id = textOf(line.sessionId)
    const last = this.#sessions.at(-1)
    if (last && (id === undefined || id === last.id)) return last
    let session = id === undefined ? undefined : (this.#byId.get(id) ?? this.#begun(textOf(line.parentUuid)))
    if (session === undefined) {
      session = new Session(this.context.account)
      this.#sessions.push(session)
    }
    if (id !== undefined) this.#byId.set(id, session)
    return session
  }

  /** A line whose parent is not in the file begins no session. */
  #begun(parent: string | undefined): Session | undefined {
    const last = this.#sessions.at(-1)
    if (parent === undefined) return last?.id === undefined ? last : undefined
    return this.#holderOf(parent) ?? last
  }

  #holderOf(uuid: string): Session | undefined {
    return this.#sessions.slice(-mostSearched).find(({ parents }) => parents.has(uuid))
  }

  protected *drafts(): Generator<ConversationDraft> {
    for (const { leaf, text, session } of this.#summaries) {
      // A continued session begins with the summaries of the earlier ones.
      const of = leaf === undefined ? session : this.#holderOf(leaf)
      if (of) of.addTitle('summary', text)
      else this.losses.drop('summary of another session', 'the file does not contain that session')
    }
    for (const session of this.#sessions.filter(({ isEmpty }) => isEmpty)) {
      this.losses.addAll(session.losses.list())
      for (const _ of session.titles) this.losses.drop('title of a session without messages', reasons.notConversation)
    }
    this.#sessions.find((session) => !session.isEmpty)?.losses.addAll(this.losses.list())
    for (const session of this.#sessions) yield* session.drafts(this.context)
  }

  protected reportEmpty(first: Place): void {
    const { report } = this.context
    const agents = this.#sessions.reduce((sum, { agentLines }) => sum + agentLines, 0)
    const found = this.#sessions.find(({ firstOfAgents }) => firstOfAgents !== undefined)?.firstOfAgents
    const expected = 'expected user or assistant lines of a session'
    if (found === undefined) report(`${expected}; found none with content`, first, 'nothing_said')
    else {
      const only = `${expected}; found only ${agents} of sub-agents. Use the option subagents to read these`
      report(only, found, 'only_subagents')
    }
  }
}
