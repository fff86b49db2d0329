import {
  defineFormat,
  type FileRecord,
  type Format,
  placeIn,
  type Reader,
  type ReaderContext,
} from '../../contract/index.js'
import { ConversationBuilder, type MessageContext, type ToolResultInput } from '../../conversation/index.js'
import { asList, asObject, isObject, type JsonObject, objectsOf, sampleOf, textOf, wordSet } from '../../json/index.js'
import { type ConversationDraft, Losses, ofType, type Place, reasons } from '../../model/index.js'

/** Gemini CLI sessions: one JSON document, or the newer log whose lines add, replace and rewind messages. */
export const geminiCli: Format<'gemini-cli'> = defineFormat({
  id: 'gemini-cli',
  title: 'Gemini CLI session',
  accepts: '{ "sessionId", "projectHash", "messages": [{ "id", "type", "content" }] }, or a log of such lines',
  fields: ['sessionId', 'projectHash', 'messages', 'toolCalls', 'thoughts', 'type', '$set', '$rewindTo'],
  signature(value) {
    if (!isObject(value)) return 0
    if (isSession(value)) return 0.97
    if (isObject(value.$set) || typeof value.$rewindTo === 'string') return 0.6
    return isMessage(value) ? (value.type === 'gemini' ? 0.8 : 0.5) : 0
  },
  recordsRepeat: true,
  structure: 'displayName lastUpdated projectHash $rewindTo',
  // A line may replace earlier messages, take them back, or set the facts of the session.
  reader: readerOf,
})

/** Older and newer sessions have no hash of their project. */
function isSession({ sessionId, projectHash, startTime, lastUpdated, messages }: JsonObject): boolean {
  if (textOf(sessionId) === undefined) return false
  if (typeof projectHash === 'string' || (typeof startTime === 'string' && typeof lastUpdated === 'string')) return true
  const sample = objectsOf(sampleOf(messages))
  return sample.length > 0 && sample.every(({ type, role }) => types.has(type) && role === undefined)
}

const types = new Set<unknown>(['user', 'gemini', 'model', 'info', 'warning', 'error'])

function isMessage(value: JsonObject): boolean {
  const isPlain = typeof value.id === 'string' && types.has(value.type) && !('role' in value) && !('message' in value)
  return isPlain && ('content' in value || 'parts' in value || 'toolCalls' in value)
}

function readerOf(context: ReaderContext): Reader {
  let session: Session | undefined
  const end = () => {
    const drafts = session?.drafts() ?? []
    session = undefined
    return drafts
  }
  const broken = (_: string, place: Place) => {
    session ??= new Session(place, context)
    session.losses.drop('line that is not a JSON object', reasons.unreadable)
  }
  return {
    read(record) {
      const { value } = record
      if (!isObject(value)) {
        broken('', placeIn(record))
        return []
      }
      const isHead = 'sessionId' in value && !('type' in value)
      const isOther = isHead && value.sessionId !== (session?.head.sessionId ?? value.sessionId)
      const drafts = isOther ? end() : []
      session ??= new Session(placeIn(record), context)
      session.add(value, record, isHead)
      return drafts
    },
    end,
    broken,
  }
}

interface Kept {
  message: JsonObject
  place: Place
}

class Session {
  readonly losses: Losses
  head: JsonObject = {}
  readonly #place: Place
  readonly #context: ReaderContext
  readonly #thread = new Map<string, Kept>()
  /** The ids of the messages given to the model; a compression replaces earlier ones. */
  #given = new Set<string>()
  readonly #rewound: { kept: Kept[]; before: string }[] = []
  /** Numbers the messages without an id. */
  #unnamed = 0

  constructor(place: Place, context: ReaderContext) {
    this.#place = place
    this.#context = context
    this.losses = new Losses(context.account)
  }

  add(value: JsonObject, record: FileRecord, isHead: boolean): void {
    if (typeof value.$rewindTo === 'string') this.#rewind(value.$rewindTo)
    else if (isObject(value.$set)) this.#addHead(value.$set, record, '/$set/messages')
    else if (isHead) this.#addHead(value, record, '/messages')
    else if (types.has(value.type)) this.#addMessage(value, placeIn(record), true)
    else this.losses.dropValue(value, 'line of an unknown type', reasons.unreadable)
  }

  /** Add fields of the session. Its messages are the whole conversation, or the new input of the model. */
  #addHead({ messages, ...head }: JsonObject, record: FileRecord, pointer: string): void {
    this.head = { ...this.head, ...head }
    if (!Array.isArray(messages)) return
    const ids = new Set(messages.map((message) => asObject(message).id))
    const goesOn = [...this.#given].every((id) => ids.has(id))
    for (const [index, message] of messages.entries()) {
      if (!isObject(message)) this.losses.dropValue(message, 'message that is not an object', reasons.unreadable)
      else if (goesOn) this.#addMessage(message, placeIn(record, `${pointer}/${index}`), false)
      else if (!this.#isKnown(textOf(message.id) ?? '')) {
        this.losses.dropValue(message, 'context rewritten for the model', reasons.notConversation)
      }
    }
    this.#given = new Set([...ids].filter((id) => typeof id === 'string'))
  }

  #isKnown(id: string): boolean {
    return this.#thread.has(id) || this.#given.has(id)
  }

  /** The last version of a message wins, at the place of the first, unless only the model receives it. */
  #addMessage(message: JsonObject, place: Place, isOwnLine: boolean): void {
    const id = typeof message.id === 'string' ? message.id : `\u0000${this.#unnamed++}`
    if (!isOwnLine && this.#isKnown(id)) return
    this.#thread.set(id, { message: trimmed(message, this.losses), place })
    if (typeof message.id === 'string') this.#given.add(id)
  }

  #rewind(before: string): void {
    if (!this.#thread.has(before)) return this.losses.drop('rewind to an unknown message', 'no message is retracted')
    const ids = [...this.#thread.keys()]
    const back = ids.slice(ids.indexOf(before))
    if (this.#context.options.branches) this.#rewound.push({ kept: [...this.#thread.values()], before })
    else this.losses.drop('retracted message', reasons.branches, back.length)
    for (const id of back) {
      if (!this.#context.options.branches) this.losses.noteAll(this.#thread.get(id)?.message)
      this.#thread.delete(id)
      this.#given.delete(id)
    }
  }

  drafts(): ConversationDraft[] {
    const branches = this.#rewound.map(({ kept, before }) => this.#draft(kept, before))
    return [this.#draft([...this.#thread.values()]), ...branches]
  }

  #draft(kept: readonly Kept[], before?: string): ConversationDraft {
    const { head } = this
    const conversation = new ConversationBuilder(this.#context)
    conversation.losses.addAll(this.losses.list())
    for (const { message, place } of kept) addGeminiMessage(message, place, conversation)
    const id = textOf(head.sessionId)
    const directories = asList(head.directories)
    return conversation.build({
      name: textOf(head.summary),
      externalId: before === undefined ? id : `${id}/${before}`,
      sourceTimestamp: conversation.time(head.startTime),
      metadata: {
        ...(textOf(head.kind) && { kind: head.kind }),
        ...(directories.length > 0 && { directories: directories.slice(0, 20) }),
        ...(before !== undefined && { branch_before: before, parent_session: id }),
      },
      place: this.#place,
    })
  }
}

function isShown(display: unknown, result: unknown): boolean {
  return typeof display === 'string' && JSON.stringify(result).includes(JSON.stringify(display).slice(1, -1))
}

/** The message without unread fields, to keep memory low in long logs. */
function trimmed({ tokens, ...message }: JsonObject, losses: Losses): JsonObject {
  if (!Array.isArray(message.toolCalls)) return message
  const toolCalls = message.toolCalls.map((call) => {
    if (!isObject(call) || call.result === undefined || call.result === null) return call
    const { resultDisplay, description, ...fields } = call
    // The display of a result usually repeats it.
    losses.note(description)
    if (isShown(resultDisplay, fields.result)) losses.noteAll(resultDisplay)
    return fields
  })
  return { ...message, toolCalls }
}

const sessionMessageFields = wordSet('id timestamp type content parts displayContent model tokens toolCalls')
/** The fields that are read, and those that repeat a result. */
const callFields = wordSet(
  'id name args result resultDisplay status timestamp displayName description renderOutputAsMarkdown agentId',
)
const notices = new Set(['info', 'warning', 'error'])

function addGeminiMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type } = message
  const context: MessageContext = { place, at: message.timestamp, message }
  conversation.losses.addFields(message, sessionMessageFields, 'message ')
  if (type === 'gemini' || type === 'model') addModel(message, { ...context, model: message.model }, conversation)
  else if (type === 'user') addUser(message, context, conversation)
  else if (typeof type === 'string' && notices.has(type)) {
    conversation.addMessage('system', message.content ?? message.parts, { ...context, metadata: { kind: type } })
  } else conversation.losses.dropValue(message, ofType('message', textOf(type) ?? 'unknown'))
}

function addModel(message: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const parts = partsOf(message.content ?? message.parts)
  for (const { subject, description } of objectsOf(message.thoughts)) {
    const texts = [textOf(subject), textOf(description)].filter((text) => text !== undefined)
    conversation.losses.noteEach(texts)
    conversation.addThinking(texts.join(': '), context)
  }
  const content = parts.filter((part) => !isObject(part) || !isObject(part.functionCall))
  if (content.length > 0) conversation.addMessage('assistant', content, context)
  const calls = objectsOf(message.toolCalls)
  // The parts repeat the calls in `toolCalls`.
  const made = calls.length > 0 ? calls : objectsOf(objectsOf(parts).flatMap(({ functionCall }) => functionCall ?? []))
  conversation.addToolCalls(
    made.map(({ id, name, args }) => ({ id, name, args })),
    context,
  )
  for (const call of calls) {
    conversation.losses.addFields(call, callFields, 'tool call ')
    answer(call, context.place, conversation)
  }
}

function answer(call: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const parts = partsOf(call.result ?? call.resultDisplay)
  if (parts.length === 0 || (call.result === undefined && isObject(call.resultDisplay))) return
  const result = resultOf(parts)
  const failed = call.status === 'error' || result.error
  conversation.addToolResult({ id: call.id, name: call.name, ...result, error: failed }, { place, at: call.timestamp })
}

/** The response among the parts, with the texts and media beside it. */
function resultOf(parts: readonly unknown[]): Pick<ToolResultInput, 'output' | 'error'> {
  const responses = parts.map(responseOf).filter((response) => response !== undefined)
  const outputs = responses.map(({ response }) => outputIn(response))
  const error = responses.some(({ response }) => isObject(response) && response.error !== undefined)
  const others = parts.filter((part) => responseOf(part) === undefined)
  if (others.length === 0 && outputs.length === 1) return { output: outputs[0], error }
  const texts = outputs.map((output) => (typeof output === 'string' ? output : JSON.stringify(output ?? null)))
  return { output: [...texts.map((text) => ({ type: 'text', text })), ...others.map(asTyped)], error }
}

/** The value of `output` or `error` if it is the only field. */
function outputIn(response: unknown): unknown {
  if (!isObject(response) || Object.keys(response).length !== 1) return response
  return response.output ?? response.error ?? response
}

function responseOf(part: unknown): JsonObject | undefined {
  return isObject(part) && isObject(part.functionResponse) ? part.functionResponse : undefined
}

function asTyped(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part }
  return isObject(part) ? { type: typeof part.text === 'string' ? 'text' : 'file', ...part } : part
}

/**
 * The typed text is in `displayContent` if present. The rest of the content was added by the program: referenced files,
 * the project, output of hooks.
 */
function addUser(message: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const typed = partsOf(message.displayContent)
  const own = new Set(typed.map(textOfPart).filter((text) => text !== undefined))
  let fromFiles = false
  const human: unknown[] = [...typed]
  const injected: unknown[] = []
  for (const part of partsOf(message.content ?? message.parts)) {
    const response = responseOf(part)
    if (response) {
      const { place, at } = context
      conversation.addToolResult({ id: response.id, name: response.name, ...resultOf([part]) }, { place, at })
      continue
    }
    const text = textOfPart(part)
    fromFiles ||= text?.trimStart().startsWith('--- Content from referenced files') === true
    const isOwn = typed.length > 0 ? text !== undefined && own.has(text) : !fromFiles && !isInjected(text)
    if (!isOwn) injected.push(part)
    else if (typed.length === 0) human.push(part)
  }
  if (injected.length > 0) conversation.addMessage('system', injected, { ...context, metadata: { kind: 'injected' } })
  if (human.length > 0) conversation.addMessage('user', human, context)
}

const injectedTag = /^\s*<(session_context|hook_context|state_snapshot|environment_context|system_reminder)\b/

function isInjected(text: string | undefined): boolean {
  return text !== undefined && (injectedTag.test(text) || text.startsWith('This is the Gemini CLI. We are setting up'))
}

function textOfPart(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  return isObject(part) && typeof part.text === 'string' ? part.text : undefined
}

function partsOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null || content === '') return []
  return Array.isArray(content) ? content : [content]
}
