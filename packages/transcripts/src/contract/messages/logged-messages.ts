import { parseJsonText } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, textOf, wordSet, wordsOf } from '../../json/index.js'
import { holdsText, type Losses, type Place, type Placed, reasons, within } from '../../model/index.js'
import { aliasedRole } from '../role-aliases.js'
import { isMessage, isToolDefinition } from './any.js'
import { isGeminiPart } from './gemini.js'
import { flatCallOf } from './openai.js'

/** The role of a text without one: user in an input, assistant in an output. */
export type Side = 'user' | 'assistant'

/**
 * The messages in the input or output of a run: a list, an object with one (a request, response or state), a message,
 * content alone, or a text, also as JSON text. Other texts are counted as losses.
 */
export function messagesIn(value: unknown, side: Side, place: Place, losses?: Losses): Placed[] {
  return found(parseJsonText(value), { place, fixed: typeof value === 'string', side, losses, depth: 0 })
}

/** The place of a value. A pointer cannot lead into a JSON text, so the place of the text is `fixed`. */
interface At {
  place: Place
  fixed: boolean
  side: Side
  losses: Losses | undefined
  depth: number
}

const deepest = 8

function found(value: unknown, at: At): Placed[] {
  if (at.depth > deepest) return []
  if (typeof value === 'string')
    return value.trim() === '' ? [] : [{ value: { role: at.side, content: value }, place: at.place }]
  if (Array.isArray(value)) return inList(value, at)
  return isObject(value) ? inObject(value, at) : []
}

function inside(at: At, step: string | number): At {
  return { ...at, depth: at.depth + 1, place: at.fixed ? at.place : within(at.place, step) }
}

function inList(list: readonly unknown[], at: At): Placed[] {
  const [first] = list
  if (list.length === 0) return []
  if (list.some(isMessage)) return elements(list, at)
  // LangSmith writes batches of messages, usually of one list.
  if (Array.isArray(first)) {
    if (list.length > 1) at.losses?.drop('other list of a batch', reasons.firstKept, list.length - 1)
    return found(first, inside(at, 0))
  }
  if (list.every((each) => typeof each === 'string')) {
    if (at.side === 'assistant' && list.length > 1) {
      at.losses?.noteAll(list)
      return found(joined(list), at)
    }
    return list.flatMap((each, index) => inText(each, inside(at, index)))
  }
  if (list.every(isCall)) return [{ value: messageOfCalls(list), place: at.place }]
  if (list.every(isGeminiPart)) return [{ value: { role: geminiRoles[at.side], parts: list }, place: at.place }]
  if (list.every(isPart)) return [{ value: { role: at.side, content: list }, place: at.place }]
  return elements(list, at)
}

/** The messages in a JSON text of such, else the text. */
function inText(text: string, at: At): Placed[] {
  const value = parseJsonText(text)
  const messages = Array.isArray(value) && value.some(isMessage) ? inList(value, { ...at, fixed: true }) : []
  return messages.length > 0 ? messages : found(text, at)
}

/** One answer: the parts in which it was streamed, which keep their blanks, or the list as JSON. */
function joined(texts: readonly string[]): string {
  return texts.some((text) => /^\s|\s$/.test(text)) ? texts.join('') : JSON.stringify(texts)
}

/** Gemini contents may lack the role. */
const geminiRoles = { user: 'user', assistant: 'model' } as const

function elements(list: readonly unknown[], at: At): Placed[] {
  const read = list.map((each, index) => element(each, inside(at, index)))
  const messages = read.flat()
  if (messages.length === 0 || at.losses === undefined) return messages
  const unread = list.filter((each, index) => read[index]?.length === 0 && holdsText(each)).length
  if (unread > 0) at.losses.drop('list entry that is not a message', reasons.othersRead, unread)
  return messages
}

/** In a list of messages only an object may hold a message. */
function element(value: unknown, at: At): Placed[] {
  const inner = withoutEventFields(parseJsonText(value))
  if (isMessage(inner) || isToolDefinition(inner)) return [{ value: inner, place: at.place }]
  return isObject(inner) ? found(inner, at) : []
}

/** A message from an event also has the attributes of the event. */
function withoutEventFields(value: unknown): unknown {
  if (!isObject(value) || !('event.name' in value || 'gen_ai.message.index' in value)) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.includes('.')))
}

/** Fields with messages, in the order of the search. */
const lists = wordsOf('messages input_messages output_messages message generations choices contents candidates parts')
const choiceLists: ReadonlySet<string> = new Set(['choices', 'candidates', 'generations'])
export const histories: readonly string[] = ['chat_history', 'history']
/** The usual names of the text among others, in the order of the search. A text alone may have any name. */
const inputFields = wordsOf('input prompt prompts question query text inputs')
const outputFields = wordsOf('output response answer text completion result content outputs')

export const usualFields = (side: Side): readonly string[] => (side === 'user' ? inputFields : outputFields)

/** True for an object that lists messages or answers, or none. */
export function isEnvelope(value: unknown): boolean {
  return isObject(value) && lists.some((field) => field in value)
}

function inObject(object: JsonObject, at: At): Placed[] {
  if (isMessage(object)) return [{ value: object, place: at.place }]
  const calls = callsIn(object, at)
  const listed = firstIn(object, lists, at)
  const content = listed.length > 0 ? listed : firstIn(object, usualFields(at.side), at)
  const earlier = listed.length > 0 || content.length === 0 || at.side !== 'user' ? [] : firstIn(object, histories, at)
  const parts = [...systemIn(object, at), ...earlier, ...calls.answered, ...content, ...calls.open]
  const messages = parts.flatMap((part) => part.messages)
  const isNamed = (object.role ?? '') !== '' && aliasedRole(object.role) === undefined
  // A role that nobody knows is refused with its message.
  return isNamed
    ? messages.map((each) => ({ ...each, value: { ...asObject(each.value), role: object.role } }))
    : messages
}

interface Part {
  field: string
  messages: Placed[]
}

function firstIn(object: JsonObject, fields: readonly string[], at: At): Part[] {
  for (const field of fields) {
    const value = object[field]
    if (value === undefined || (fields === histories && !Array.isArray(value))) continue
    const messages =
      choiceLists.has(field) && Array.isArray(value)
        ? inChoices(value, inside(at, field))
        : found(parseJsonText(value), inside(at, field))
    if (messages.length > 0) return [{ field, messages }]
  }
  return []
}

/** Fields of requests and responses without content. */
const settings = wordSet(
  `id object type created created_at role index model model_version modelVersion response_id responseId finish_reason
  finishReason stop_reason stop_sequence usage usage_metadata usageMetadata logprobs system_fingerprint service_tier run
  tool_choice truncation billing event.name gen_ai.system`,
)

export const isSetting = (field: string): boolean => settings.has(field)

/** Tool calls beside the content. Calls with results come before it, open calls after it. */
function callsIn(object: JsonObject, at: At): { answered: Part[]; open: Part[] } {
  const field = Array.isArray(object.toolCalls) ? 'toolCalls' : 'tool_calls'
  const calls = object[field]
  if (!Array.isArray(calls) || calls.length === 0 || !calls.every(isFlatOrCall)) return { answered: [], open: [] }
  const parts = [{ field, messages: [{ value: messageOfCalls(calls), place: at.place }] }]
  const isAnswered = calls.some((call) => flatCallOf(call)?.output !== undefined)
  return isAnswered ? { answered: parts, open: [] } : { answered: [], open: parts }
}

/** LangChain has a list of choices for each prompt of a batch. */
function inChoices(choices: readonly unknown[], at: At): Placed[] {
  const [first] = choices
  if (Array.isArray(first)) {
    if (choices.length > 1) at.losses?.drop('other list of a batch', reasons.firstKept, choices.length - 1)
    return inChoices(first, inside(at, 0))
  }
  const read = (choice: unknown) => (isObject(choice) ? element : found)
  return markAlternatives(choices.map((choice, index) => read(choice)(choice, inside(at, index))))
}

/** The messages of several answers, all but the first that has any marked as alternatives. */
export function markAlternatives(answers: readonly (readonly Placed[])[]): Placed[] {
  const first = answers.findIndex((messages) => messages.length > 0)
  return answers.flatMap((messages, index) =>
    index === first ? messages : messages.map((message) => ({ ...message, isAlternative: true })),
  )
}

const instructions = ['system', 'instructions', 'system_instructions', 'systemInstruction', 'system_instruction']

/** The system prompt beside the messages, or in the settings of a Gemini request. */
function systemIn(object: JsonObject, at: At): Part[] {
  for (const field of instructions) {
    const value = systemMessage(object[field])
    if (value) return [{ field, messages: [{ value, place: inside(at, field).place }] }]
  }
  if (!isObject(object.config)) return []
  const { config } = object
  const inner = systemIn(config, inside(at, 'config'))
  if (inner.length === 0) return []
  return inner.map(({ messages }) => ({ field: 'config', messages }))
}

function systemMessage(content: unknown): JsonObject | undefined {
  const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : content
  if (isGeminiPart(content)) return { role: 'system', parts: [content] }
  if (textOf(parts) !== undefined) return { role: 'system', content: parts }
  if (!Array.isArray(parts) || parts.length === 0) return undefined
  if (parts.every(isGeminiPart)) return { role: 'system', parts }
  return parts.every(isPart) ? { role: 'system', content: parts } : undefined
}

const partTypes = wordSet(
  'text input_text output_text image image_url input_image file input_file document thinking reasoning tool_use',
)

function isPart(value: unknown): boolean {
  return isObject(value) && partTypes.has(value.type)
}

/** A call outside a message, as in the AI SDK, OpenAI and loggers. */
function isCall(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  if (isObject(value.function)) return typeof value.function.name === 'string'
  const isNamed = typeof (value.toolName ?? value.tool) === 'string'
  if (isNamed) return flatCallOf(value) !== undefined
  return typeof value.name === 'string' && ('args' in value || 'arguments' in value)
}

/** In a field for calls, anything with a name and arguments is a call. */
function isFlatOrCall(value: unknown): value is JsonObject {
  return isCall(value) || flatCallOf(value) !== undefined
}

function messageOfCalls(calls: readonly JsonObject[]): JsonObject {
  return { role: 'assistant', content: null, tool_calls: calls }
}
