import {
  defineFormat,
  type FileRecord,
  type Format,
  LogReader,
  placeIn,
  type ReaderContext,
  scoreOfList,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import {
  type AllowUndefined,
  defined,
  getOrInsert,
  isObject,
  type JsonObject,
  textOf,
  wordSet,
} from '../../json/index.js'
import {
  type Account,
  type ConversationDraft,
  Losses,
  ofType,
  type Place,
  reasons,
  startOfFile,
  within,
} from '../../model/index.js'
import { type Entry, messageEntry } from './entry.js'
import { addEntry, mergeMessages, Written } from './turns.js'

export const claudeAgentSdk: Format<'claude-agent-sdk'> = defineFormat({
  id: 'claude-agent-sdk',
  title: 'Claude Agent SDK stream',
  accepts:
    'lines { "type": "system" | "assistant" | "user" | "result", "session_id", "message" }, or the array of them',
  fields: ['session_id', 'parent_tool_use_id', 'subtype', 'total_cost_usd', 'num_turns', 'message'],
  signature: (value) => (Array.isArray(value) ? scoreOfList(value, scoreOfLine) : scoreOfLine(value)),
  recordsRepeat: true,
  structure: 'tools permissionMode apiKeySource output_style fast_mode_state',
  // Runs replay messages that grow, by the rules of a Claude Code session, whose entries are merged here, too.
  reader: (context) => new StreamReader(context),
})

function scoreOfLine(line: unknown): number {
  if (!isObject(line) || typeof line.type !== 'string' || textOf(line.sessionId) !== undefined) return 0
  const { type, message, session_id: id } = line
  const isOurs = textOf(id) !== undefined || 'parent_tool_use_id' in line
  if (type === 'result') return isOurs || 'total_cost_usd' in line || 'num_turns' in line ? 0.95 : 0
  if (type === 'assistant' || type === 'user') {
    if (!isObject(message) || !('content' in message)) return 0
    return isOurs ? 0.95 : 0.6
  }
  if (type === 'system') return isOurs && typeof line.subtype === 'string' ? 0.95 : 0
  return isOurs ? 0.5 : 0
}

/** Lines without content, and partial messages that come again as a whole. */
const quiet = wordSet(
  'stream_event tool_progress auth_status rate_limit_event keep_alive control_request control_response control_cancel_request',
)

class StreamReader extends LogReader {
  readonly #runs: Run[] = []
  readonly #byId = new Map<string, Run>()
  #last: Run | undefined

  read(record: FileRecord): ConversationDraft[] {
    const place = placeIn(record)
    if (!Array.isArray(record.value)) {
      this.#line(record.value, place)
      return []
    }
    const own = new StreamReader(this.context)
    for (const [index, line] of record.value.entries()) own.#line(line, within(place, index))
    own.first = place
    return [...own.end()]
  }

  #line(line: unknown, place: Place): void {
    this.first ??= place
    if (!isObject(line)) return this.losses.dropValue(line, 'line that is not a JSON object', reasons.unreadable)
    const run = this.#runOf(textOf(line.session_id), place)
    this.#last = run
    run.take(line, place, this.context.options.subagents === true)
  }

  /** A line without an id belongs to the run before it, or to the one that begins after it. */
  #runOf(id: string | undefined, place: Place): Run {
    const last = this.#last
    let run = id === undefined ? last : (this.#byId.get(id) ?? (last?.id === undefined ? last : undefined))
    if (run === undefined) {
      run = new Run(place, this.context.account)
      this.#runs.push(run)
    }
    if (id !== undefined) {
      run.id = id
      this.#byId.set(id, run)
    }
    return run
  }

  protected *drafts(): Generator<ConversationDraft> {
    // The losses of a run without messages are those of the file.
    for (const run of this.#runs) if (run.isEmpty) this.losses.addAll(run.losses.list())
    let isFirst = true
    for (const run of this.#runs) {
      for (const draft of run.drafts(this.context)) {
        if (isFirst) this.addLosses(draft)
        isFirst = false
        yield draft
      }
    }
  }

  protected reportEmpty(first: Place): void {
    const agents = this.#runs.reduce((sum, run) => sum + run.agentLines, 0)
    const expected = 'expected assistant, user or result lines of a stream'
    const found =
      agents === 0 ? 'none with content' : `only ${agents} of sub-agents. Use the option subagents to read these`
    this.context.report(`${expected}; found ${found}`, first)
  }
}

class Run {
  id: string | undefined
  agentLines = 0
  readonly losses: Losses
  readonly #place: Place
  readonly #entries: Entry[] = []
  readonly #uuids = new Set<string>()
  readonly #written = new Written()
  readonly #agents = new Map<string, Entry[]>()
  readonly #facts: JsonObject = {}
  #model: string | undefined
  #result: Entry | undefined

  constructor(place: Place, account: Account) {
    this.#place = place
    this.losses = new Losses(account)
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  take(line: JsonObject, place: Place, withAgents: boolean): void {
    const { type } = line
    if (type === 'assistant' || type === 'user') this.#message(line, place, withAgents)
    else if (type === 'result') this.#ended(line, place)
    else if (type === 'system') this.#system(line)
    else if (typeof type !== 'string') this.losses.dropValue(line, 'line without a type', reasons.unreadable)
    else if (!quiet.has(type)) this.losses.dropValue(line, ofType('line', type))
  }

  #message(line: JsonObject, place: Place, withAgents: boolean): void {
    const agent = textOf(line.parent_tool_use_id)
    if (agent !== undefined) this.agentLines++
    if (agent !== undefined && !withAgents) return this.losses.noteAll(line)
    const marked = line.isSynthetic === true ? { ...line, isMeta: true } : line
    const entry = messageEntry(marked, within(place, 'message'), this.losses)
    if (!entry) return
    if (this.#isRepeated(entry)) {
      this.losses.add('merged', 'repeated line', reasons.repeated)
      return
    }
    const entries = agent === undefined ? this.#entries : getOrInsert(this.#agents, agent, () => [])
    entries.push(entry)
  }

  /** A resumed run may replay the messages before it. */
  #isRepeated(entry: Entry): boolean {
    const { uuid } = entry
    const isKnown = uuid !== undefined && this.#uuids.has(uuid)
    if (uuid !== undefined) this.#uuids.add(uuid)
    return isKnown || this.#written.add(entry) !== undefined
  }

  #system(line: JsonObject): void {
    if (line.subtype !== 'init') {
      if (textOf(line.content)) this.losses.dropValue(line.content, 'system line with text')
      return
    }
    this.#model = textOf(line.model)
    this.losses.noteWord(this.#model)
    this.#facts.cwd = textOf(line.cwd)
    this.#facts.version = textOf(line.claude_code_version)
  }

  #ended(line: JsonObject, place: Place): void {
    for (const key of ['total_cost_usd', 'num_turns', 'duration_ms']) {
      if (typeof line[key] === 'number') this.#facts[key] = line[key]
    }
    this.#facts.result = textOf(line.subtype)
    if (line.is_error === true) this.#facts.is_error = true
    const content = textOf(line.result)
    if (content === undefined) return
    const kind = line.is_error === true ? 'error' : undefined
    this.#result = { role: kind ? 'system' : 'assistant', kind, content, place: within(place, 'result') }
  }

  drafts(context: ReaderContext): ConversationDraft[] {
    if (this.#result) this.#addResult(this.#result)
    const agents = [...this.#agents].map(([agent, entries]) =>
      draftOf(entries, new ConversationBuilder(context), {
        externalId: this.id === undefined ? agent : `${this.id}/${agent}`,
        metadata: defined<JsonObject>({ parent_session: this.id, cwd: this.#facts.cwd }),
      }),
    )
    if (this.isEmpty) return agents
    const conversation = new ConversationBuilder(context)
    if (this.agentLines > 0 && !context.options.subagents) {
      this.losses.drop('message of a sub-agent', reasons.subagents, this.agentLines)
    }
    conversation.losses.addAll(this.losses.list())
    const modelName = this.#entries.some(({ model, kind }) => model !== undefined && !kind) ? undefined : this.#model
    const metadata = defined<JsonObject>(this.#facts)
    const draft = draftOf(this.#entries, conversation, { externalId: this.id, modelName, metadata }, this.#place)
    return [draft, ...agents]
  }

  /** The result repeats or summarizes the last text; without other text it is the only answer. */
  #addResult(result: Entry): void {
    const hasText = this.#entries.some(({ role, content }) => role === 'assistant' && textIn(content) !== '')
    const repeats = this.#entries.some(({ content }) => textIn(content) === result.content)
    this.losses.note(result.content)
    if (!hasText && !repeats) this.#entries.push(result)
    else if (!repeats) this.losses.drop('result text', 'it summarizes the conversation')
  }
}

function textIn(content: Entry['content']): string {
  if (typeof content === 'string') return content
  const texts = content.map((block) => (isObject(block) && block.type === 'text' ? textOf(block.text) : undefined))
  return texts.filter((text) => text !== undefined).join('\n')
}

function draftOf(
  entries: readonly Entry[],
  conversation: ConversationBuilder,
  fields: Pick<AllowUndefined<ConversationDraft>, 'externalId' | 'modelName' | 'metadata'>,
  place = entries[0]?.place ?? startOfFile,
): ConversationDraft {
  for (const entry of mergeMessages(entries, new Map(), conversation.losses)) addEntry(entry, conversation)
  return conversation.build({ ...fields, place })
}
