import { messagesOfInput, scoreOfList } from '../../contract/index.js'
import { asList, asObject, hasAny, isObject, type JsonObject, objectAt, textOf, wordSet } from '../../json/index.js'
import { isItemType, responsesItem } from '../../messages/index.js'
import { elementsOf, type Place, type Placed, within } from '../../model/index.js'
import { anyAnswerIn, summaryOf } from './exchange.js'

/** A stored conversation of the Responses interface, or of an agent that uses it. */
export interface ResponsesLog {
  /** The objects of the request and the response; may be the same object. */
  request: JsonObject
  response: JsonObject
  instructions: Placed[]
  /** Undefined if the record has only the answer. */
  input: Placed[] | undefined
  output: Placed[]
  /** The number of skipped items that repeat earlier ones. Default: 0. */
  repeated?: number
  /** The fields of the record with input and output. */
  sides: ReadonlySet<string>
  /** Those with the request or response in an inner object such as `body`. */
  envelopes?: readonly string[] | undefined
}

type Steps = readonly string[]

const requests: readonly Steps[] = [[], ['body'], ['request'], ['request', 'body']]
const responses: readonly Steps[] = [[], ['response'], ['response', 'body'], ['output'], ['body']]

/** The log in an object; undefined if it is something else, such as an item. */
export function responsesLogIn(value: JsonObject, place: Place): ResponsesLog | undefined {
  if (isItem(value)) return undefined
  return runStateIn(value, place) ?? pageIn(value, place) ?? exchangeIn(value, place)
}

/** Calls have an `input` and results an `output` of their own. */
function isItem({ type, role }: JsonObject): boolean {
  return isItemType(type) || typeof role === 'string' || type === 'message' || type === 'custom_tool_call'
}

/** An object without any of these fields is not a log. */
const sideFields = wordSet('input output body request response')

function exchangeIn(value: JsonObject, place: Place): ResponsesLog | undefined {
  if (!hasAny(value, sideFields)) return undefined
  const responseSteps = responses.find((steps) => isAnswer(objectAt(value, steps)))
  const requestSteps = requests.find((steps) => isQuestion(objectAt(value, steps), value, responseSteps !== undefined))
  if (requestSteps === undefined && responseSteps === undefined) return undefined
  // Messages with an answer beside them are chat completions.
  const chat = requestSteps === undefined || responseSteps === undefined ? summaryOf(value) : undefined
  if (chat && (requestSteps === undefined ? chat.prompt.length > 0 : chat.isAnswered)) return undefined
  const loose = responseSteps === undefined ? anyAnswerIn(value, place) : undefined
  const request = objectAt(value, requestSteps ?? responseSteps ?? [])
  const response = objectAt(value, responseSteps ?? [])
  const holder = request.instructions === undefined ? (responseSteps ?? []) : (requestSteps ?? responseSteps ?? [])
  const instructions = objectAt(value, holder).instructions ?? undefined
  return {
    request,
    response: responseSteps === undefined ? {} : response,
    instructions: instructionsIn(instructions, within(place, ...holder, 'instructions')),
    input: requestSteps && messagesOfInput(request.input, within(place, ...requestSteps, 'input')),
    output: responseSteps
      ? messagesOfInput(response.output, within(place, ...responseSteps, 'output'))
      : (loose?.messages ?? []),
    sides: new Set([
      ...(requestSteps ? [requestSteps[0] ?? 'input'] : []),
      ...(responseSteps ? [responseSteps[0] ?? 'output'] : loose ? [loose.field] : []),
    ]),
    envelopes: [requestSteps, responseSteps].flatMap((steps) => (steps && steps.length > 1 ? steps.slice(0, 1) : [])),
  }
}

function instructionsIn(value: unknown, place: Place): Placed[] {
  if (value === undefined || Array.isArray(value)) return elementsOf(value, place)
  return [{ value: { role: 'system', content: value }, place }]
}

function isAnswer({ object, output }: JsonObject): boolean {
  if (!Array.isArray(output)) return false
  return object === 'response' || isItems(output)
}

/** A text input is ambiguous without the path of the interface or an answer. */
function isQuestion({ input }: JsonObject, record: JsonObject, isAnswered: boolean): boolean {
  if (Array.isArray(input)) return isItems(input) || (isAnswered && input.length > 0 && isObject(input[0]))
  return typeof input === 'string' && (isAnswered || textOf(record.url)?.endsWith('/responses') === true)
}

function isItems(list: readonly unknown[]): boolean {
  return scoreOfList(list, responsesItem.score) > 0
}

/** A page of items, the newest first unless the items show otherwise. */
function pageIn(value: JsonObject, place: Place): ResponsesLog | undefined {
  const { object, data } = value
  if (object !== 'list' || !Array.isArray(data) || !isItems(data)) return undefined
  const items = elementsOf(data, within(place, 'data'))
  const input = isNewestFirst(data) ? items.reverse() : items
  return { request: value, response: {}, instructions: [], input, output: [], sides: new Set(['data']) }
}

function isNewestFirst(items: readonly unknown[]): boolean {
  const seen = new Map<unknown, boolean>()
  for (const item of items) {
    if (!isObject(item) || typeof item.call_id !== 'string') continue
    const isResult = textOf(item.type)?.endsWith('_output') === true
    const earlier = seen.get(item.call_id)
    if (earlier !== undefined && earlier !== isResult) return earlier
    seen.set(item.call_id, isResult)
  }
  return !(asObject(items[0]).role === 'user' && asObject(items.at(-1)).role === 'assistant')
}

/** True for the run state of the Agents SDK. */
export function isRunState(value: JsonObject): boolean {
  return '$schemaVersion' in value
}

/** A run state has its items in several lists; one is read. */
function runStateIn(value: JsonObject, place: Place): ResponsesLog | undefined {
  if (!isRunState(value)) return undefined
  const lists = ['generated_items', 'generatedItems', 'session_items', 'sessionItems']
  const kept = lists.filter((field) => Array.isArray(value[field]))
  const field = kept.find((each) => asList(value[each]).length > 0) ?? kept[0]
  if (field === undefined) return undefined
  const inputField = ['original_input', 'originalInput'].find((each) => value[each] !== undefined)
  return {
    request: value,
    response: {},
    instructions: [],
    ...withoutRepeats(
      inputField === undefined ? undefined : messagesOfInput(value[inputField], within(place, inputField)),
      elementsOf(value[field], within(place, field)).flatMap(rawItemOf),
    ),
    sides: new Set(inputField === undefined ? [field] : [inputField, field]),
  }
}

/** A resumed run repeats items in its input and output. */
function withoutRepeats(input: Placed[] | undefined, output: Placed[]) {
  const seen = new Set<string>()
  const isNew = ({ value }: Placed) => {
    const key = keyOf(value)
    if (key === undefined) return true
    const isFirst = !seen.has(key)
    seen.add(key)
    return isFirst
  }
  const all = output.length + (input?.length ?? 0)
  const first = { input: input?.filter(isNew), output: output.filter(isNew) }
  return { ...first, repeated: all - first.output.length - (first.input?.length ?? 0) }
}

/** Items with equal ids are the same in any state; items without an id are not compared. */
function keyOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined
  const { status, ...rest } = item
  const ids = [item.id, item.call_id, item.callId]
  return ids.some((id) => typeof id === 'string' && id !== madeUpId) ? JSON.stringify(rest) : undefined
}

/** The Agents SDK gives this id to items of models without ids. */
const madeUpId = '__fake_id__'

/** An item that waits for approval repeats its call. */
function rawItemOf({ value, place }: Placed): Placed[] {
  if (!isObject(value) || value.type === 'tool_approval_item') return []
  const field = ['raw_item', 'rawItem'].find((each) => isObject(value[each]))
  return field === undefined ? [] : [{ value: value[field], place: within(place, field) }]
}
