import {
  defineFormat,
  type FileRecord,
  type Format,
  placeIn,
  type Reader,
  type ReaderContext,
} from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { asObject, defined, isObject, type JsonObject, textOf, textsAt } from '../../json/index.js'
import { type ConversationDraft, type Place, reasons } from '../../model/index.js'
import { codexLine, scoreOfCodexLine } from './line.js'
import { CodexSession, codexConversation } from './session.js'

export const codex: Format<'codex'> = defineFormat({
  id: 'codex',
  title: 'Codex CLI session',
  accepts: 'lines { "timestamp", "type": "session_meta" | "turn_context" | "response_item" | "event_msg", "payload" }',
  fields: ['payload', 'record_type', 'type', 'role', 'timestamp', 'git'],
  recordsRepeat: true,
  structure: 'server approval_policy effort summary memory_mode comp_hash timezone phase mode access execution',
  signature: scoreOfCodexLine,
  reader: (context) => new CodexReader(context),
})

class CodexReader implements Reader {
  readonly #context: ReaderContext
  #session: CodexSession
  #start: Place | undefined
  #lines = 0
  readonly #kinds = new Map<string, number>()

  constructor(context: ReaderContext) {
    this.#context = context
    this.#session = new CodexSession(context.account)
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const done = this.#start !== undefined && this.#start.member !== record.member ? this.end() : []
    const { value } = record
    this.#start ??= placeIn(record)
    this.#count(value)
    const line = isObject(value) ? codexLine(value) : undefined
    if (line === undefined || !isObject(value)) this.#session.losses.drop('line of an unknown type', reasons.unreadable)
    else this.#session.add(line, record, isObject(value.payload) ? '/payload' : '', value.timestamp)
    return done
  }

  broken(_: string, place: Place): void {
    this.#start ??= place
    this.#count(undefined)
    this.#session.losses.drop('line that is not a JSON object', reasons.unreadable)
  }

  end(): readonly ConversationDraft[] {
    const session = this.#session
    const place = this.#start
    const found = this.#found()
    this.#session = new CodexSession(this.#context.account)
    this.#start = undefined
    this.#lines = 0
    this.#kinds.clear()
    if (place === undefined) return []
    const conversation = codexConversation(this.#context)
    if (session.addTo(conversation)) return [draftOf(session, conversation, place)]
    const message = `expected messages of a user or an assistant; found ${found}`
    this.#context.report(message, place, 'nothing_said', conversation.origin)
    return []
  }

  /** Count the kinds of lines, for the message about a session without a conversation. */
  #count(value: unknown): void {
    if (this.#session.hasMessages) return
    this.#lines++
    const { type, payload } = asObject(value)
    const inner = isObject(payload) ? textOf(payload.type) : undefined
    const kind = [textOf(type), inner].filter((each) => each !== undefined).join(' ') || 'other'
    if (this.#kinds.size < 100 || this.#kinds.has(kind)) this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
  }

  #found(): string {
    const kinds = [...this.#kinds].sort((a, b) => b[1] - a[1]).slice(0, 5)
    const counts = kinds.map(([kind, count]) => `${count} ${kind.slice(0, 60)}`).join(', ')
    return `a Codex session of ${this.#lines} ${this.#lines === 1 ? 'line' : 'lines'} without messages (${counts})`
  }
}

function draftOf(session: CodexSession, conversation: ConversationBuilder, place: Place): ConversationDraft {
  const { facts = {} } = session
  return conversation.build({
    name: textOf(session.name),
    externalId: textOf(facts.id) ?? textOf(facts.session_id),
    metadata: metadataOf(facts),
    sourceTimestamp: conversation.time(facts.timestamp),
    place,
  })
}

function metadataOf(facts: JsonObject): JsonObject {
  const git = textsAt(asObject(facts.git), ['branch', 'commit_hash', 'repository_url'])
  // Either the kind of sub-agent, such as `review`, or how another session started it.
  const { subagent } = asObject(facts.source)
  const spawn = asObject(asObject(subagent).thread_spawn)
  const names = [facts.agent_nickname, spawn.agent_nickname, spawn.agent_role, subagent]
  return defined<JsonObject>({
    ...textsAt(facts, ['cwd', 'cli_version', 'originator', 'source', 'model_provider', 'forked_from_id']),
    git: Object.keys(git).length > 0 ? git : undefined,
    parent_session: textOf(facts.parent_thread_id) ?? textOf(spawn.parent_thread_id),
    agent: names.map(textOf).find((name) => name !== undefined),
  })
}
