import { type FileRecord, type Format, placeIn, type Reader, type ReaderContext } from '../contract/index.js'
import {
  ConversationBuilder,
  type MessageContext,
  type ToolCallInput,
  type ToolResultInput,
} from '../conversation/index.js'
import { asList, describe, isObject, type JsonObject, objectsOf, textOf, wordSet } from '../json/index.js'
import { type ConversationDraft, fieldsOf, Losses, ofType, type Place, reasons } from '../model/index.js'

/** Gemini CLI sessions: one JSON document, or the newer log whose lines add, replace and rewind messages. */
export const geminiCli: Format<'gemini-cli'> = {
  id: 'gemini-cli',
  title: 'Gemini CLI session',
  accepts: '{ "sessionId", "projectHash", "messages": [{ "id", "type", "content" }] }, or a log of such lines',
  fields: ['sessionId', 'projectHash', 'messages', 'toolCalls', 'thoughts'],
  found: '`~/.gemini/tmp/<project>/chats/session-*.json` and `session-*.jsonl`',
  keeps:
    'summary (the name), times, models, kind of session, folders, context injected by the program (system turns); messages before a rewind on request',
  loses: 'token counts, how results were displayed, context rewritten for the model',
  detect(value) {
    if (!isObject(value)) return 0
    if (typeof value.sessionId === 'string' && typeof value.projectHash === 'string') return 0.97
    if (isObject(value.$set) || typeof value.$rewindTo === 'string') return 0.6
    return isMessage(value) ? (value.type === 'gemini' ? 0.8 : 0.5) : 0
  },
  reader: (notes) => new GeminiReader(notes),
}

const types = new Set<unknown>(['user', 'gemini', 'model', 'info', 'warning', 'error'])

function isMessage(value: JsonObject): boolean {
  const isPlain = typeof value.id === 'string' && types.has(value.type) && !('role' in value) && !('message' in value)
  return isPlain && ('content' in value || 'parts' in value || 'toolCalls' in value)
}

interface Kept {
  message: JsonObject
  place: Place
}

interface Session {
  head: JsonObject
  place: Place
  thread: Map<string, Kept>
  /** The ids of the messages given to the model; a compression replaces earlier ones. */
  context: Set<string>
  rewound: { kept: Kept[]; before: string }[]
  losses: Losses
}

class GeminiReader implements Reader {
  readonly #notes: ReaderContext
  #session: Session | undefined
  /** Numbers the messages without an id. */
  #unnamed = 0

  constructor(notes: ReaderContext) {
    this.#notes = notes
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const { value } = record
    if (!isObject(value)) {
      this.broken(`expected ${geminiCli.accepts}; found ${describe(value)}`, placeIn(record))
      return []
    }
    const isHead = 'sessionId' in value && !('type' in value)
    const isOther = isHead && value.sessionId !== (this.#session?.head.sessionId ?? value.sessionId)
    const drafts = isOther ? this.end() : []
    this.#session ??= newSession(placeIn(record))
    this.#addRecord(this.#session, value, record, isHead)
    return drafts
  }

  end(): readonly ConversationDraft[] {
    const session = this.#session
    this.#session = undefined
    if (!session) return []
    const branches = session.rewound.map(({ kept, before }) => this.#draft(session, kept, before))
    return [this.#draft(session, [...session.thread.values()]), ...branches]
  }

  broken(_message: string, place: Place): void {
    this.#session ??= newSession(place)
    this.#session.losses.drop('line that is not a JSON object', reasons.unreadable)
  }

  #addRecord(session: Session, value: JsonObject, record: FileRecord, isHead: boolean): void {
    if (typeof value.$rewindTo === 'string') this.#rewind(session, value.$rewindTo)
    else if (isObject(value.$set)) this.#addHead(session, value.$set, record, '/$set/messages')
    else if (isHead) this.#addHead(session, value, record, '/messages')
    else if (types.has(value.type)) this.#addMessage(session, value, placeIn(record), true)
    else session.losses.drop('line of an unknown type', reasons.unreadable)
  }

  /** Add fields of the session. Its messages are the whole conversation, or the new input of the model. */
  #addHead(session: Session, fields: JsonObject, record: FileRecord, pointer: string): void {
    const { messages, ...head } = fields
    session.head = { ...session.head, ...head }
    if (!Array.isArray(messages)) return
    const listed = messages.map((message, index) => ({ message, place: placeIn(record, `${pointer}/${index}`) }))
    const ids = new Set(listed.map(({ message }) => (isObject(message) ? message.id : undefined)))
    const goesOn = [...session.context].every((id) => ids.has(id))
    for (const { message, place } of listed) {
      if (!isObject(message)) session.losses.drop('message that is not an object', reasons.unreadable)
      else if (goesOn) this.#addMessage(session, message, place, false)
      else if (!session.thread.has(textOf(message.id) ?? '') && !session.context.has(textOf(message.id) ?? '')) {
        session.losses.drop('context rewritten for the model', reasons.notConversation)
      }
    }
    session.context = new Set([...ids].filter((id) => typeof id === 'string'))
  }

  /** The last version of a message wins, at the place of the first, unless only the model receives it. */
  #addMessage(session: Session, message: JsonObject, place: Place, isOwnLine: boolean): void {
    const id = typeof message.id === 'string' ? message.id : `\u0000${this.#unnamed++}`
    const known = session.thread.get(id)
    const isCopy = !isOwnLine && (known !== undefined || session.context.has(id))
    if (isCopy) return
    session.thread.set(id, { message: trimmed(message, session.losses), place })
    if (typeof message.id === 'string') session.context.add(id)
  }

  #rewind(session: Session, target: string): void {
    if (!session.thread.has(target)) {
      session.losses.drop('rewind to an unknown message', 'no message is retracted')
      return
    }
    const ids = [...session.thread.keys()]
    if (this.#notes.options.branches) session.rewound.push({ kept: [...session.thread.values()], before: target })
    const back = ids.slice(ids.indexOf(target))
    for (const id of back) {
      session.thread.delete(id)
      session.context.delete(id)
    }
    if (this.#notes.options.branches) return
    session.losses.drop('retracted message', reasons.branches, back.length)
  }

  #draft({ head, place, losses }: Session, kept: readonly Kept[], before?: string): ConversationDraft {
    const conversation = new ConversationBuilder(this.#notes.options)
    conversation.losses.addAll(losses.list())
    for (const { message, place } of kept) addGeminiMessage(message, place, conversation)
    conversation.losses.addTexts(head, headFields)
    const id = textOf(head.sessionId)
    const directories = asList(head.directories)
    return conversation.build({
      name: textOf(head.summary),
      sourceSystem: geminiCli.id,
      externalId: before === undefined ? id : `${id}/${before}`,
      sourceTimestamp: conversation.time(head.startTime),
      metadata: {
        ...(typeof head.kind === 'string' && { kind: head.kind }),
        ...(directories.length > 0 && { directories: directories.slice(0, 20) }),
        ...(before !== undefined && { branch_before: before, parent_session: id }),
      },
      place,
    })
  }
}

/** The display of a result usually repeats it. */
function countDisplay(display: unknown, result: unknown, losses: Losses): void {
  const isShown = typeof display !== 'string' || !JSON.stringify(result).includes(JSON.stringify(display).slice(1, -1))
  if (isShown) losses.addText('resultDisplay', display, 'tool call ')
}

const headFields = fieldsOf('sessionId projectHash startTime lastUpdated summary kind directories memoryScratchpad')

function newSession(place: Place): Session {
  return { head: {}, place, thread: new Map(), context: new Set(), rewound: [], losses: new Losses() }
}

/** The message without unread fields, to keep memory low in long logs. */
function trimmed({ tokens, ...message }: JsonObject, losses: Losses): JsonObject {
  if (!Array.isArray(message.toolCalls)) return message
  const toolCalls = message.toolCalls.map((call) => {
    if (!isObject(call) || call.result === undefined || call.result === null) return call
    const { resultDisplay, description, ...kept } = call
    countDisplay(resultDisplay, kept.result, losses)
    return kept
  })
  return { ...message, toolCalls }
}

const messageFields = fieldsOf('id timestamp type content parts displayContent model tokens toolCalls', {
  thoughts: fieldsOf('subject description timestamp'),
})
/** The fields that are read, and those that repeat a result. */
const callFields = wordSet(
  'id name args result resultDisplay status timestamp displayName description renderOutputAsMarkdown agentId',
)
const notices = new Set(['info', 'warning', 'error'])

function addGeminiMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type } = message
  const context: MessageContext = { place, at: message.timestamp, model: undefined, message, metadata: undefined }
  conversation.losses.addFields(message, messageFields, 'message ')
  const content = message.content ?? message.parts
  if (type === 'gemini' || type === 'model')
    addModel(message, partsOf(content), { ...context, model: message.model }, conversation)
  else if (type === 'user') addUser(message, partsOf(content), context, conversation)
  else if (typeof type === 'string' && notices.has(type)) {
    conversation.addMessage('system', content, { ...context, metadata: { kind: type } })
  } else conversation.losses.drop(ofType('message', textOf(type) ?? 'unknown'))
}

function addModel(
  message: JsonObject,
  parts: readonly unknown[],
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  for (const thought of asList(message.thoughts)) {
    if (isObject(thought)) conversation.addThinking(texts(thought.subject, thought.description), context)
  }
  const content = parts.filter((part) => !isObject(part) || !isObject(part.functionCall))
  if (content.length > 0) conversation.addMessage('assistant', content, context)
  const calls: unknown[] = objectsOf(message.toolCalls)
  // The parts repeat the calls in `toolCalls`.
  const made = calls.length > 0 ? calls : parts.flatMap((part) => (isObject(part) ? (part.functionCall ?? []) : []))
  conversation.addToolCalls(made.filter(isObject).map(callOf), context)
  for (const call of calls) {
    if (!isObject(call)) continue
    conversation.losses.addFields(call, callFields, 'tool call ')
    answer(call, context.place, conversation)
  }
}

const answerFields = fieldsOf('', { functionResponse: fieldsOf('id name response') })
const partFields = fieldsOf('type text inlineData fileData thought thoughtSignature')

function callOf({ id, name, args }: JsonObject): ToolCallInput {
  return { id, name, args }
}

function answer(call: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const parts = partsOf(call.result ?? call.resultDisplay)
  if (parts.length === 0 || (call.result === undefined && isObject(call.resultDisplay))) return
  for (const part of parts) conversation.losses.addTexts(part, responseOf(part) ? answerFields : partFields, 'result ')
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
function addUser(
  message: JsonObject,
  parts: readonly unknown[],
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  const typed = partsOf(message.displayContent)
  const own = new Set(typed.map(textOfPart).filter((text) => text !== undefined))
  let fromFiles = false
  const human: unknown[] = [...typed]
  const injected: unknown[] = []
  for (const part of parts) {
    const response = responseOf(part)
    if (response) {
      conversation.addToolResult(
        { id: response.id, name: response.name, ...resultOf([part]) },
        { place: context.place, at: context.at },
      )
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

function texts(...values: unknown[]): string {
  return values.filter((value) => typeof value === 'string' && value !== '').join(': ')
}
