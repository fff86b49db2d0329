import {
  addApproval,
  addBlocks,
  defineFormat,
  type FileRecord,
  type Format,
  LogReader,
  placeIn,
  type ReaderContext,
  resultOf,
} from '../../contract/index.js'
import { ConversationBuilder, type MessageContext } from '../../conversation/index.js'
import { asList, asObject, defined, getOrInsert, isObject, type JsonObject, textOf } from '../../json/index.js'
import { type Account, type ConversationDraft, Losses, ofType, type Place, reasons, within } from '../../model/index.js'

export const anthropicManagedAgents: Format<'anthropic-managed-agents'> = defineFormat({
  id: 'anthropic-managed-agents',
  title: 'Anthropic managed agents',
  accepts:
    'lines ["client.beta.sessions.…", payload], or events { "type": "user.message" | "agent.message" | …, "content" }',
  fields: ['processed_at', 'session_thread_id', 'custom_tool_use_id', 'content', 'type'],
  signature(value) {
    if (Array.isArray(value)) {
      const [method, payload] = value
      const isCall = value.length === 2 && typeof method === 'string' && typeof payload === 'object' && payload !== null
      return isCall && /\bsessions\./.test(method.slice(0, 100)) ? 0.96 : 0
    }
    return isObject(value) && isEvent(value) ? 0.9 : 0
  },
  recordsRepeat: true,
  // An event is sent, comes back with its time and stands in lists again, in the calls of several sessions: it counts once.
  reader: (context) => new RecordingReader(context),
})

const families: ReadonlySet<string> = new Set(['user', 'agent', 'session', 'span', 'system'])

/** Sessions of the Copilot CLI have events with the same names and their fields in `data`. */
function isEvent({ type, data }: JsonObject): boolean {
  if (typeof type !== 'string' || type.length > 100 || isObject(data)) return false
  return type.includes('.') && families.has(type.split('.')[0] ?? '')
}

class RecordingReader extends LogReader {
  readonly #sessions: Session[] = []

  read(record: FileRecord): ConversationDraft[] {
    const { value } = record
    const place = placeIn(record)
    this.first ??= place
    if (Array.isArray(value) && value.length === 2 && typeof value[0] === 'string') {
      this.losses.noteWord(value[0])
      this.#payload(value[1], within(place, 1))
    } else if (isObject(value) && isEvent(value)) this.#session(undefined, place).take(value, place)
    else this.losses.dropValue(value, 'record that is neither a call nor an event', reasons.unreadable)
    return []
  }

  protected drafts(): ConversationDraft[] {
    this.#sessions[0]?.losses.addAll(this.losses.list())
    return this.#sessions.flatMap((session) => session.draft(this.context))
  }

  protected reportEmpty(first: Place): void {
    this.context.report('expected events user.message or agent.message of a session; found none', first)
  }

  /** A payload is what was sent, `[session, { events }]`, or a session, an event or a list of events that came back. */
  #payload(payload: unknown, place: Place): void {
    if (Array.isArray(payload)) {
      const [id, body] = payload
      const events = asList(asObject(body).events)
      this.#events(textOf(id), events, within(place, 1, 'events'))
    } else if (isObject(payload) && payload.type === 'session') {
      this.#session(textOf(payload.id), place).context = payload
    } else if (isObject(payload) && Array.isArray(payload.data)) {
      this.#events(undefined, payload.data, within(place, 'data'))
    } else if (isObject(payload) && isEvent(payload)) this.#session(undefined, place).take(payload, place)
  }

  #events(id: string | undefined, events: readonly unknown[], place: Place): void {
    for (const [index, event] of events.entries()) {
      const own = within(place, index)
      if (isObject(event)) this.#session(id, own).take(event, own)
    }
  }

  /** The session with the id, by default the last one. */
  #session(id: string | undefined, place: Place): Session {
    const last = this.#sessions.at(-1)
    if (last && (id === undefined || last.id === undefined || last.id === id)) {
      last.id ??= id
      return last
    }
    const known = this.#sessions.find((session) => session.id === id)
    const session = known ?? new Session(id, place, this.context.account)
    if (!known) this.#sessions.push(session)
    return session
  }
}

class Session {
  id: string | undefined
  context: JsonObject = {}
  readonly losses: Losses
  readonly #place: Place
  /** In the order of the file. A sent event stays until the service returns it with its time. */
  readonly #items = new Map<string, { event: JsonObject; place: Place }>()
  #count = 0
  readonly #sent = new Map<string, string[]>()

  constructor(id: string | undefined, place: Place, account: Account) {
    this.id = id
    this.losses = new Losses(account)
    this.#place = place
  }

  /** Events come in the stream and again in lists; a sent event comes back with an id. */
  take(event: JsonObject, place: Place): void {
    const id = textOf(event.id)
    const key = id === undefined ? `#${this.#count++}` : `id ${id}`
    if (this.#items.has(key)) return
    if (typeof event.type === 'string' && event.type.startsWith('user.')) {
      // The service returns the fields in another order.
      const message = JSON.stringify([event.type, textIn(event.content), event.custom_tool_use_id ?? event.tool_use_id])
      const waiting = getOrInsert(this.#sent, message, () => [])
      if (id === undefined) waiting.push(key)
      else this.#items.delete(waiting.shift() ?? '')
    }
    this.#items.set(key, { event, place })
  }

  draft(context: ReaderContext): ConversationDraft[] {
    const conversation = new ConversationBuilder(context)
    conversation.losses.addAll(this.losses.list())
    const { agent, title, created_at: created, metadata } = this.context
    const known = asObject(agent)
    const model = isObject(known.model) ? textOf(known.model.id) : textOf(known.model)
    const system = textOf(known.system)
    if (system !== undefined)
      conversation.addMessage('system', system, { place: within(this.#place, 'agent', 'system') })
    const before = conversation.size
    for (const { event, place } of this.#items.values())
      addEvent(event, { place, at: event.processed_at }, conversation)
    if (conversation.size === before) return []
    return [
      conversation.build({
        name: textOf(title),
        modelName: model,
        externalId: this.id,
        sourceTimestamp: conversation.time(created),
        metadata: { ...asObject(metadata), ...defined<JsonObject>({ agent: textOf(known.name) }) },
        place: this.#place,
      }),
    ]
  }
}

/** Other events are counted as a loss as a whole. */
const isRead = (type: string) =>
  /^(session|span)\.|^(agent|user)\.(message|thinking|interrupt|error|tool_confirmation|\w*tool_(use|result))$/.test(
    type,
  )

function addEvent(event: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const type = textOf(event.type) ?? 'unknown'
  if (type === 'user.message') addBlocks('user', event.content, context, conversation)
  else if (type === 'agent.message') addBlocks('assistant', event.content, context, conversation)
  else if (type === 'agent.thinking') conversation.addThinking(textIn(event.content ?? event.thinking), context)
  else if (/^agent\.\w*tool_use$/.test(type))
    conversation.addToolCalls([{ id: event.id, name: event.name, args: event.input }], context)
  else if (/^(agent|user)\.\w*tool_result$/.test(type)) conversation.addToolResult(resultIn(event), context)
  else if (type === 'user.interrupt')
    conversation.addMessage('user', '[interrupted]', { ...context, metadata: { kind: 'interruption' } })
  else if (type === 'user.tool_confirmation') {
    conversation.losses.note(event.result)
    addApproval(event.result !== 'deny', event.deny_message, context, conversation)
  } else if (type === 'session.error' || type === 'agent.error') addError(event, context, conversation)
  else if (!isRead(type)) conversation.losses.dropValue(event, ofType('event', type))
}

function resultIn(event: JsonObject) {
  const id = event.custom_tool_use_id ?? event.mcp_tool_use_id ?? event.tool_use_id
  return resultOf({ ...event, tool_use_id: id })
}

function addError({ error, message }: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const text = isObject(error) ? (textOf(error.message) ?? textOf(error.type)) : (textOf(error) ?? textOf(message))
  conversation.addMessage('system', text ?? 'error', { ...context, metadata: { kind: 'error' } })
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content) ?? ''
  const texts = content.map((part) => (isObject(part) ? (part.thinking ?? part.text) : part))
  return texts.filter((text) => typeof text === 'string').join('\n')
}
