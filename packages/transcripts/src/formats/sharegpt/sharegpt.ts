import {
  callsOf,
  defineFormat,
  type Piece,
  scoreOfList,
  thoughtIn,
  usualFacts,
  usualHeadFields,
  usualMessage,
  usualMessageFields,
} from '../../contract/index.js'
import {
  type ConversationBuilder,
  type MessageContext,
  shortFields,
  type ToolCallInput,
  toolOutput,
} from '../../conversation/index.js'
import { asList, describe, getOrInsert, isObject, type JsonObject, textOf, wordMap, wordSet } from '../../json/index.js'
import { type Place, type Placed, type Role, reasons, within } from '../../model/index.js'

const lists = ['conversations', 'conversation', 'messages']

/** Data sets in the ShareGPT layout, and its variants that LLaMA-Factory reads. */
export const sharegpt = defineFormat({
  id: 'sharegpt',
  isGeneric: true,
  title: 'ShareGPT data set',
  accepts: '{ "conversations": [{ "from", "value" }] }, or { "messages": [{ "role", "content" }], "images": […] }',
  fields: ['conversations', 'conversation', 'messages', 'from', 'value', 'role', 'system', 'tools', 'images'],
  signature(value) {
    if (Array.isArray(value)) return scoreOfList(value, scoreOf)
    if (!isObject(value)) return 0
    const list = lists.find((field) => Array.isArray(value[field]))
    if (list === undefined) return scoreOf(value)
    const score = scoreOfList(value[list], scoreOf)
    if (list !== 'messages') return score
    const hasMedia = mediaFields.some(([field]) => Array.isArray(value[field]))
    return score > 0.9 ? score : hasMedia && scoreOfList(value.messages, isPlain) > 0 ? 0.92 : 0
  },
  rows: {},
  messages: lists,
  system: ['system', 'system_prompt'],
  addMessages,
  conversation: {
    ...usualFacts,
    language: ['language', 'lang'],
    externalId: ['id', 'conversation_id'],
    metadata: ({ tools, ...head }, losses) => {
      if (tools !== '[]') losses.addField('tools', tools)
      return shortFields(head, (key) => headFields.has(key), losses)
    },
  },
})

const mediaFields: readonly [string, string][] = [
  ['images', 'image'],
  ['image', 'image'],
  ['videos', 'video'],
  ['audios', 'audio'],
]

/** `{ from, value }`, or parts with `value` instead of `text`. */
function scoreOf(message: unknown): number {
  if (!isObject(message) || speakerIn(message) === undefined) return 0
  if ('from' in message) return 'value' in message ? 0.95 : 0
  const parts = asList(message.content)
  return parts.some((part) => isObject(part) && 'type' in part && 'value' in part) ? 0.95 : 0
}

function isPlain(message: unknown): number {
  return isObject(message) && speakerIn(message) !== undefined && typeof message.content === 'string' ? 1 : 0
}

const headFields = wordSet(
  `conversations conversation messages id conversation_id system system_prompt language lang chosen rejected images
  image videos audios`,
  usualHeadFields,
)

function addMessages(
  messages: readonly Placed[],
  conversation: ConversationBuilder,
  { value: head, place }: Piece,
): void {
  const media = new Media(head)
  for (const [field] of mediaFields) conversation.losses.noteEach([head[field]].flat())
  const reader = new MessageReader(conversation, (text) => {
    const parts = media.partsOf(text)
    if (parts !== text) conversation.losses.note(text)
    return parts
  })
  for (const message of messages) reader.add(message.value, message.place)
  if (isObject(head.chosen)) reader.add(head.chosen, within(place, 'chosen'))
  if (head.rejected !== undefined)
    conversation.losses.dropValue(head.rejected, 'rejected answer', reasons.notConversation)
  for (const kind of media.left()) {
    conversation.losses.drop(`${kind} without a place in the text`, 'no message contains its token')
  }
}

const token = /<(image|video|audio)>/

/** The media of a conversation, in the order of the tokens in its texts. */
class Media {
  readonly #waiting = new Map<string, unknown[]>()

  constructor(head: JsonObject) {
    for (const [field, kind] of mediaFields) {
      getOrInsert(this.#waiting, kind, () => []).push(...[head[field] ?? []].flat())
    }
  }

  /** The text, or its pieces with media between them. A token without media stays. */
  partsOf(text: string): string | unknown[] {
    if (!text.includes('<') || !token.test(text)) return text
    const parts: unknown[] = []
    for (const [index, piece] of text.split(token).entries()) {
      const waiting = index % 2 === 1 ? this.#waiting.get(piece) : undefined
      if (waiting && waiting.length > 0) parts.push(mediumOf(piece, waiting.shift()))
      else if (index % 2 === 1) parts.push(`<${piece}>`)
      else if (piece.trim() !== '') parts.push(piece)
    }
    return parts
  }

  left(): string[] {
    return [...this.#waiting].flatMap(([kind, waiting]) => waiting.map(() => kind))
  }
}

function mediumOf(kind: string, value: unknown): JsonObject {
  const source = textOf(isObject(value) ? (value.path ?? value.url) : value)
  if (source === undefined) return { type: kind }
  if (/^(data:|https?:)/.test(source)) return { type: kind, [`${kind}_url`]: { url: source } }
  return source.length > 500 ? { type: kind, data: source } : { type: kind, name: source }
}

type Speaker = 'user' | 'assistant' | 'system' | 'call' | 'result' | 'tool'

const speakerOf = wordMap({
  user: 'human user',
  assistant: 'gpt chatgpt assistant bot model bing bard claude gemini ai',
  system: 'system',
  call: 'function_call tool_call',
  result: 'observation function_response tool_response tool_result function_result function',
  tool: 'tool',
})

function speakerIn(message: JsonObject): Speaker | undefined {
  const from = message.from ?? message.role
  return typeof from === 'string' ? (speakerOf.get(from) ?? speakerOf.get(from.trim().toLowerCase())) : undefined
}

/** The fields of data sets, and those of chat completions, which some data sets use. */
const sharegptFields =
  wordSet(`from role value content text weight loss_weight loss name id index tool_call_id reasoning_content reasoning
  reasoning_details ${usualMessageFields.join(' ')}`)

/** Adds the messages of one conversation. Results take the names of the calls before them, in order. */
class MessageReader {
  readonly #conversation: ConversationBuilder
  readonly #media: (text: string) => unknown
  #waiting: string[] = []

  /** @param media replaces tokens such as `<image>` in a text by media */
  constructor(conversation: ConversationBuilder, media: (text: string) => unknown) {
    this.#conversation = conversation
    this.#media = media
  }

  add(message: unknown, place: Place): void {
    const speaker = isObject(message) ? speakerIn(message) : undefined
    if (!isObject(message) || speaker === undefined) {
      const found = isObject(message) ? describe(message.from ?? message.role) : describe(message)
      this.#conversation.report(
        `expected a message from one of ${[...speakerOf.keys()].join(', ')}; found ${found}`,
        place,
      )
      return
    }
    const weight = message.weight ?? message.loss_weight ?? message.loss
    const name = speaker === 'result' || speaker === 'tool' ? undefined : textOf(message.name)
    const metadata: JsonObject = {}
    if (typeof weight === 'number') metadata.weight = weight
    if (name !== undefined) metadata.name = name
    const role = speaker === 'call' ? 'assistant' : speaker === 'result' ? 'tool' : speaker
    const { at, model } = usualMessage(message, role, this.#conversation.losses)
    const context = { place, at, model, message, metadata }
    this.#conversation.losses.addFields(message, sharegptFields, 'message ')
    this.#conversation.losses.addOthers(message, ['value', 'content', 'text'], 'message ')
    const value = message.value ?? message.content ?? message.text
    const asCalls = speaker === 'call' || speaker === 'tool' ? callsIn(value) : []
    if (speaker === 'call' || asCalls.some((call) => call.name !== undefined)) this.#addCalls(asCalls, context)
    else if (speaker === 'result' || speaker === 'tool') {
      this.#conversation.losses.note(value)
      this.#addResults(textOfParts(value), message, context)
    } else this.#addText(speaker, message, value, context)
  }

  #addText(role: 'user' | 'assistant' | 'system', message: JsonObject, value: unknown, context: MessageContext): void {
    const thought = role === 'assistant' ? thoughtIn(message) : undefined
    if (thought !== undefined) this.#conversation.addThinking(thought, context)
    const calls = callsOf(message)
    if (Array.isArray(value)) this.#addParts(role, value, context)
    else if (value || calls.length === 0) {
      this.#conversation.addMessage(role, typeof value === 'string' ? this.#media(value) : value, context)
    }
    this.#addCalls(calls, context, role)
  }

  #addParts(role: 'user' | 'assistant' | 'system', parts: readonly unknown[], context: MessageContext): void {
    const calls = parts.filter(isCall)
    const spoken = parts.filter((part) => !isCall(part))
    const content = spoken.flatMap((part) => (typeof part === 'string' ? this.#media(part) : part))
    if (content.length > 0 || calls.length === 0) this.#conversation.addMessage(role, content, context)
    this.#addCalls(
      calls.flatMap((part) => callsIn(isObject(part) ? part.value : part)),
      context,
      role,
    )
  }

  #addCalls(calls: readonly ToolCallInput[], context: MessageContext, role: Role = 'assistant'): void {
    if (calls.length === 0) return
    this.#conversation.addToolCalls(calls, context, role)
    this.#waiting = calls.map(({ name }) => (typeof name === 'string' ? name : ''))
  }

  /** One message may hold the results of several calls, as a list of the same length. */
  #addResults(value: unknown, { tool_call_id: id, name: given }: JsonObject, context: MessageContext): void {
    if (id !== undefined && id !== null) {
      this.#waiting.shift()
      this.#conversation.addToolResult({ id, name: given, output: value }, context)
      return
    }
    const outputs: unknown = this.#waiting.length > 1 ? toolOutput(value) : undefined
    const all = Array.isArray(outputs) && outputs.length === this.#waiting.length ? outputs : [value]
    for (const output of all) {
      const own = namedOutput(output)
      const waiting = this.#waiting.shift()
      const name = own?.name ?? textOf(given) ?? waiting
      this.#conversation.addToolResult({ name, output: own ? own.output : output }, { ...context, message: undefined })
    }
  }
}

function isCall(part: unknown): boolean {
  return isObject(part) && part.type === 'tool_call'
}

/** A call is a JSON text (`{ name, arguments }` or a list of these), or the object itself. */
function callsIn(value: unknown): ToolCallInput[] {
  const read = toolOutput(value)
  return (Array.isArray(read) ? read : [read]).map((call) => {
    if (!isObject(call)) return { name: undefined, args: value, raw: true }
    const inner = isObject(call.function) ? call.function : call
    return { name: inner.name, args: inner.arguments ?? inner.parameters ?? inner.args }
  })
}

/** `{ name, content }`, as in lists of results. */
function namedOutput(output: unknown): { name: string; output: unknown } | undefined {
  if (!isObject(output) || typeof output.name !== 'string' || !('content' in output)) return undefined
  return { name: output.name, output: output.content }
}

function textOfParts(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? ''
  const texts = value.map((part) => (isObject(part) ? (part.value ?? part.text) : part))
  return texts.map((text) => (typeof text === 'object' && text !== null ? JSON.stringify(text) : text)).join('\n')
}
