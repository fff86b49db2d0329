import {
  defineFormat,
  type FileRecord,
  type Format,
  openaiMessage,
  placeIn,
  type Reader,
  type ReaderContext,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { asObject, getOrInsert, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type ConversationDraft, type Place, reasons } from '../../model/index.js'
import { ResponseEvents } from './response-events.js'
import { openaiResponses } from './responses.js'

/** Events of streamed answers: of the Responses interface, and chunks of chat completions. */
export const openaiStream: Format<'openai-stream'> = defineFormat({
  id: 'openai-stream',
  title: 'OpenAI stream',
  accepts:
    'lines { "type": "response.completed", "response" } and other events of a response, or { "object": "chat.completion.chunk", "choices": [{ "delta" }] }',
  fields: ['type', 'object', 'choices', 'response', 'sequence_number'],
  recordsRepeat: true,
  structure: 'id type role status object model system_fingerprint item_id',
  signature(value) {
    if (!isObject(value)) return 0
    if (isChunk(value)) return 0.97
    const isEvent = typeof value.type === 'string' && /^response\.(?!done$)[a-z_]+/.test(value.type)
    return isEvent && !('event_id' in value) && marks.some((mark) => mark in value) ? 0.97 : 0
  },
  // The text of an answer comes in many events, which are not held until the end of the file.
  reader: (context) => new StreamReader(context),
})

const marks = ['response', 'item', 'delta', 'text', 'part', 'sequence_number', 'item_id']

const isChunk = ({ object, choices }: JsonObject) => object === 'chat.completion.chunk' && Array.isArray(choices)

/** The last event of a response, which holds all of it. */
const endings = /^response\.(?:completed|incomplete|failed|cancelled)$/

/** The most answers in chunks that wait for the end of the file. */
const mostChats = 1000

interface Chat {
  place: Place
  first: JsonObject
  message: JsonObject
  calls: Map<unknown, JsonObject>
  end: unknown
  /** The number of other choices. */
  others: Set<unknown>
}

class StreamReader implements Reader {
  readonly isInterleaved = true
  readonly #context: ReaderContext
  readonly #responses: Reader
  readonly #chats = new Map<unknown, Chat>()
  #response: ResponseEvents

  constructor(context: ReaderContext) {
    this.#context = context
    this.#responses = openaiResponses.reader(context)
    this.#response = new ResponseEvents(context)
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const { value } = record
    if (!isObject(value) || openaiStream.detect(value) === 0) {
      this.#context.report(`expected ${openaiStream.accepts}; found another record`, placeIn(record))
      return []
    }
    if (isChunk(value)) return this.#addChunk(value, placeIn(record))
    const { type, response } = value
    const isEnd = typeof type === 'string' && endings.test(type)
    // The response before the first event of the next one has no end.
    const cut = type === 'response.created' ? this.#takeResponse().cut() : []
    if (!isEnd) {
      this.#response.add(value, record)
      return cut
    }
    const end = this.#takeResponse().end(response)
    const at = { ...record, value: end.response, pointer: `${record.pointer ?? ''}/response` }
    const drafts = this.#responses.read(at)
    drafts[0]?.losses.push(...end.losses)
    return drafts
  }

  *end(): Generator<ConversationDraft> {
    yield* this.#responses.end()
    for (const chat of this.#chats.values()) yield this.#draftOf(chat)
    yield* this.#takeResponse().cut()
  }

  #takeResponse(): ResponseEvents {
    const response = this.#response
    this.#response = new ResponseEvents(this.#context)
    return response
  }

  #addChunk(chunk: JsonObject, place: Place): ConversationDraft[] {
    const choices = objectsOf(chunk.choices)
    if (choices.length === 0) return []
    const chat = getOrInsert(this.#chats, chunk.id, () => newChat(chunk, place))
    for (const { index, delta, finish_reason: end } of choices) {
      if ((index ?? 0) !== 0) chat.others.add(index)
      else {
        addDelta(asObject(delta), chat, (text) => this.#context.account.note(text))
        chat.end = end ?? chat.end
      }
    }
    // The unread texts of all chunks are found at the end of the file.
    if (this.#chats.size < mostChats) return []
    const ended = [...this.#chats].filter(([, each]) => typeof each.end === 'string')
    for (const [id] of ended) this.#chats.delete(id)
    return ended.map(([, each]) => this.#draftOf(each))
  }

  #draftOf({ first, message, calls, end, others, place }: Chat): ConversationDraft {
    const conversation = new ConversationBuilder(this.#context)
    const called = calls.size > 0 ? { tool_calls: [...calls.values()] } : {}
    openaiMessage.add({ role: 'assistant', content: null, ...message, ...called }, place, conversation)
    conversation.addEnd({ finish_reason: end }, place)
    conversation.losses.drop('prompt', reasons.notInFile)
    if (typeof end !== 'string') conversation.losses.drop('end of the stream', reasons.notInFile)
    if (others.size > 0) conversation.losses.drop('other answer', reasons.firstKept, others.size)
    return conversation.build({
      externalId: textOf(first.id),
      modelName: textOf(first.model),
      sourceTimestamp: conversation.time(first.created),
      place,
    })
  }
}

const newChat = (first: JsonObject, place: Place): Chat => ({
  place,
  first,
  message: {},
  calls: new Map(),
  end: undefined,
  others: new Set(),
})

/** Adds the parts of texts, and of the arguments of calls, to those before. */
function addDelta(
  { tool_calls: more, ...texts }: JsonObject,
  { message, calls }: Chat,
  note: (text: unknown) => void,
): void {
  message.role ??= texts.role ?? undefined
  for (const field of ['content', 'refusal', 'reasoning_content']) {
    const text = textOf(texts[field])
    note(text)
    if (text !== undefined) message[field] = `${textOf(message[field]) ?? ''}${text}`
  }
  for (const { index, id, function: called } of objectsOf(more)) {
    const { name, arguments: args } = asObject(called)
    for (const text of [name, args]) note(text)
    const known = calls.get(index) ?? { function: { name: '', arguments: '' } }
    const before = asObject(known.function)
    calls.set(index, {
      type: 'function',
      id: id ?? known.id,
      function: {
        name: `${before.name}${textOf(name) ?? ''}`,
        arguments: `${before.arguments}${textOf(args) ?? ''}`,
      },
    })
  }
}
