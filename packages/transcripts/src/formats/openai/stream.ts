import { type FileRecord, type Format, placeIn, type Reader, type ReaderContext } from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { asObject, getOrInsert, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { openaiMessage, responsesItem } from '../../messages/index.js'
import { type ConversationDraft, type Loss, type Place, type Placed, reasons } from '../../model/index.js'
import { openaiResponses } from './responses.js'

/** Events of streamed answers: of the Responses interface, and chunks of chat completions. */
export const openaiStream: Format<'openai-stream'> = {
  id: 'openai-stream',
  title: 'OpenAI stream',
  accepts:
    'lines { "type": "response.completed", "response" } and other events of a response, or { "object": "chat.completion.chunk", "choices": [{ "delta" }] }',
  fields: ['type', 'object', 'choices', 'response', 'sequence_number'],
  repeats: true,
  structure: 'id type role status object model system_fingerprint item_id',
  detect(value) {
    if (!isObject(value)) return 0
    if (isChunk(value)) return 0.97
    const isEvent = typeof value.type === 'string' && /^response\.(?!done$)[a-z_]+/.test(value.type)
    return isEvent && !('event_id' in value) && marks.some((mark) => mark in value) ? 0.97 : 0
  },
  reader: (context) => new StreamReader(context),
}

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
  readonly #context: ReaderContext
  readonly #responses: Reader
  readonly #chats = new Map<unknown, Chat>()
  /** The items of a response that has no end yet. */
  #items: Placed[] = []
  #events = 0
  /** The number of events with a part of an item that has no end yet, by the place of the item. */
  readonly #parts = new Map<unknown, number>()
  /** The number of events with a part of an item that never ended. */
  #cutParts = 0

  constructor(context: ReaderContext) {
    this.#context = context
    this.#responses = openaiResponses.reader(context)
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const { value } = record
    if (!isObject(value) || openaiStream.detect(value) === 0) {
      this.#context.report(`expected ${openaiStream.accepts}; found another record`, placeIn(record))
      return []
    }
    if (isChunk(value)) return this.#addChunk(value, placeIn(record))
    const { type, response } = value
    if (typeof type !== 'string' || !endings.test(type)) return this.#addEvent(value, record)
    this.#items = []
    this.#parts.clear()
    const drafts = this.#responses.read({ ...record, value: response, pointer: `${record.pointer ?? ''}/response` })
    drafts[0]?.losses.push(...this.#takeEvents())
    return drafts
  }

  /** The response before the first event of the next one has no end. */
  #addEvent(event: JsonObject, record: FileRecord): ConversationDraft[] {
    const { type, item, delta, output_index: index } = event
    const drafts = type === 'response.created' ? this.#takeCut() : []
    this.#events++
    this.#context.account.note(event)
    if (typeof delta === 'string') this.#parts.set(index, (this.#parts.get(index) ?? 0) + 1)
    else if (type === 'response.output_item.done') {
      this.#items.push({ value: item, place: placeIn(record, '/item') })
      this.#parts.delete(index)
    }
    return drafts
  }

  /** The events before the end of a response, which repeat what that holds, and those of items without an end. */
  #takeEvents(): Loss[] {
    const [cut, repeated] = [this.#cutParts, this.#events - this.#cutParts]
    this.#events = this.#cutParts = 0
    const losses: Loss[] = [
      { code: 'merged', what: 'event of the stream', why: reasons.repeated, count: repeated },
      { code: 'dropped', what: 'part of a message', why: reasons.noWhole, count: cut },
    ]
    return losses.filter(({ count }) => count > 0)
  }

  *end(): Generator<ConversationDraft> {
    yield* this.#responses.end()
    for (const chat of this.#chats.values()) yield this.#draftOf(chat)
    yield* this.#takeCut()
  }

  /** The whole items of a response that has no end. */
  #takeCut(): ConversationDraft[] {
    for (const count of this.#parts.values()) this.#cutParts += count
    this.#parts.clear()
    const items = this.#items
    this.#items = []
    const [first] = items
    if (first === undefined) return []
    const conversation = new ConversationBuilder(this.#context)
    for (const { value, place } of items) responsesItem.add(value, place, conversation)
    conversation.losses.drop('prompt', reasons.notInFile)
    conversation.losses.drop('end of the stream', reasons.notInFile)
    conversation.losses.addAll(this.#takeEvents())
    return [conversation.build({ place: first.place })]
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
    if (end === 'length' || end === 'content_filter') conversation.addMetadata({ finish_reason: end })
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
  for (const field of ['content', 'refusal', 'reasoning_content']) {
    const text = textOf(texts[field])
    note(text)
    if (text !== undefined) message[field] = `${textOf(message[field]) ?? ''}${text}`
  }
  for (const { index, id, function: called } of objectsOf(more)) {
    const { name, arguments: args } = asObject(called)
    note([name, args])
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
