import { decoded } from './decoded.js'
import { gathered } from './gathered.js'
import { isObject, type JsonObject, textOf } from './json.js'
import { mapped } from './mapped.js'
import { isMessage, isToolDefinition } from './messages/any.js'
import { type Place, within } from './turn.js'

/** A value of a log that a message shape reads, and where it stands. */
export interface Placed {
  value: unknown
  place: Place
  /** It is an answer beside the one that was taken. Default: false. */
  isOther?: boolean
}

/** Who is taken to speak where nothing says so: the user in what a run was given, the assistant in what it gave. */
export type Side = 'user' | 'assistant'

/**
 * The messages in what a run was given, or gave: a list of them, an object that holds one (a request, a response, a
 * state), one message, content alone, or a text; as values or as the text of their JSON. Empty where none is found.
 */
export function messagesIn(value: unknown, side: Side, place: Place): Placed[] {
  return found(decoded(value), side, { place, fixed: typeof value === 'string' }, 0)
}

/** The same of the call of a model, which says something whatever it is: see `otherWords`. */
export function messagesOfCall(value: unknown, side: Side, place: Place): Placed[] {
  const messages = messagesIn(value, side, place)
  return messages.length > 0 ? messages : otherWords(value, side, place)
}

/**
 * What a model was given, or gave, where no message is in it. An answer in JSON is the text of it; what else a model
 * was given is no message, which whoever says it counts.
 */
export function otherWords(value: unknown, side: Side, place: Place): Placed[] {
  const inner = decoded(value)
  if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0) return []
  if (side === 'user') return [{ value: inner, place }]
  // An envelope with nothing in it is no answer.
  if (lists.some((field) => field in inner)) return []
  const content = typeof value === 'string' ? value : JSON.stringify(inner)
  return [{ value: { role: side, content }, place }]
}

/** Where a value stands. A pointer cannot go into the text of a JSON, so that of the text is `fixed`. */
interface At {
  place: Place
  fixed: boolean
}

const deepest = 5

function found(value: unknown, side: Side, at: At, depth: number): Placed[] {
  if (depth > deepest) return []
  if (typeof value === 'string')
    return value.trim() === '' ? [] : [{ value: { role: side, content: value }, place: at.place }]
  if (Array.isArray(value)) return inList(value, side, at, depth)
  return isObject(value) ? inObject(value, side, at, depth) : []
}

function inside(at: At, step: string | number): At {
  return at.fixed ? at : { place: within(at.place, step), fixed: false }
}

function inList(list: readonly unknown[], side: Side, at: At, depth: number): Placed[] {
  const [first] = list
  if (list.length === 0) return []
  if (list.some(isMessage)) {
    return gathered(list, (each, index) => element(each, side, inside(at, index), depth))
  }
  // LangSmith writes the messages of a batch, mostly of one.
  if (Array.isArray(first)) return found(first, side, inside(at, 0), depth + 1)
  if (list.every((each) => typeof each === 'string')) {
    return gathered(list, (each, index) => found(each, side, inside(at, index), depth + 1))
  }
  if (list.every(isCall)) return [{ value: messageOfCalls(list), place: at.place }]
  if (list.every(isPart)) return [{ value: { role: side, content: list }, place: at.place }]
  return gathered(list, (each, index) => (isObject(each) ? found(each, side, inside(at, index), depth + 1) : []))
}

/** In a list of messages only an object may be one in an envelope. */
function element(value: unknown, side: Side, at: At, depth: number): Placed[] {
  const inner = withoutMarks(decoded(value))
  if (isMessage(inner) || isToolDefinition(inner)) return [{ value: inner, place: at.place }]
  return isObject(inner) ? found(inner, side, at, depth + 1) : []
}

/** A message that was an event bears the event's attributes beside its own fields. */
function withoutMarks(value: unknown): unknown {
  if (!isObject(value) || !('event.name' in value || 'gen_ai.message.index' in value)) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.includes('.')))
}

/** Fields that hold messages, in the order in which they are asked. */
const lists = ['messages', 'input_messages', 'output_messages', 'message', 'generations', 'choices', 'parts']
const histories = ['chat_history', 'history']
const given = ['input', 'prompt', 'prompts', 'question', 'query', 'text', 'user_input', 'chat_input']
const gave = ['output', 'response', 'answer', 'text', 'completion', 'result', 'generated_text', 'content']

function inObject(object: JsonObject, side: Side, at: At, depth: number): Placed[] {
  if (isMessage(object)) return [{ value: object, place: at.place }]
  const system = systemIn(object, at)
  const calls = object.toolCalls ?? object.tool_calls
  for (const field of lists) {
    const value = object[field]
    if (value === undefined) continue
    const messages =
      field === 'choices' && Array.isArray(value)
        ? inChoices(value, side, inside(at, field), depth + 1)
        : found(decoded(value), side, inside(at, field), depth + 1)
    if (messages.length > 0) return [...system, ...messages]
  }
  const said = firstSaid(object, side === 'user' ? given : gave, side, at, depth)
  const before = side === 'user' ? histories.find((field) => Array.isArray(object[field])) : undefined
  const earlier = before === undefined ? [] : found(object[before], side, inside(at, before), depth + 1)
  const messages = [...earlier, ...said]
  const called = Array.isArray(calls) && calls.length > 0 && calls.every(isCall)
  return [...system, ...messages, ...(called ? [{ value: messageOfCalls(calls), place: at.place }] : [])]
}

/** What the first of some fields says that says anything. */
function firstSaid(object: JsonObject, fields: readonly string[], side: Side, at: At, depth: number): Placed[] {
  for (const field of fields) {
    const value = object[field]
    const messages = value === undefined ? [] : found(decoded(value), side, inside(at, field), depth + 1)
    if (messages.length > 0) return messages
  }
  return []
}

/** Answers to choose from, of which the first was taken. */
function inChoices(choices: readonly unknown[], side: Side, at: At, depth: number): Placed[] {
  return othersMarked(mapped(choices, (choice, index) => found([choice], side, inside(at, index), depth)))
}

/** The messages of several answers, those of all but the first marked. */
export function othersMarked(answers: readonly (readonly Placed[])[]): Placed[] {
  return gathered(answers, (messages, index) =>
    index === 0 ? messages : mapped(messages, (message) => ({ ...message, isOther: true })),
  )
}

/** What the system said, where it stands beside the messages. */
function systemIn(object: JsonObject, at: At): Placed[] {
  for (const field of ['system', 'instructions', 'system_instructions', 'systemInstruction']) {
    const content = object[field]
    if (textOf(content) !== undefined || (Array.isArray(content) && content.length > 0 && content.every(isPart))) {
      return [{ value: { role: 'system', content }, place: inside(at, field).place }]
    }
  }
  return []
}

const partTypes: ReadonlySet<unknown> = new Set(
  'text input_text output_text image image_url input_image file input_file document thinking reasoning tool_use'.split(
    ' ',
  ),
)

function isPart(value: unknown): boolean {
  return isObject(value) && partTypes.has(value.type)
}

/** A call outside any message, as the Vercel SDK and OpenAI write them. */
function isCall(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  if (typeof value.toolName === 'string') return 'input' in value || 'args' in value
  if (isObject(value.function)) return typeof value.function.name === 'string'
  return typeof value.name === 'string' && ('args' in value || 'arguments' in value)
}

function messageOfCalls(calls: readonly JsonObject[]): JsonObject {
  const read = mapped(calls, (call) => {
    if (isObject(call.function)) return call
    const args = call.input ?? call.args ?? call.arguments
    return { id: call.toolCallId ?? call.id, function: { name: call.toolName ?? call.name, arguments: args } }
  })
  return { role: 'assistant', content: null, tool_calls: read }
}
