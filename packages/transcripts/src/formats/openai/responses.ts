import {
  conversationOf,
  defineFormat,
  type Format,
  failedRequest,
  isItemType,
  mappedIn,
  messagesOfInput,
  type ReaderContext,
  readerOfLists,
  responsesItem,
  scoreOfList,
  usualHead,
  usualHeadFields,
} from '../../contract/index.js'
import { metadataIn } from '../../conversation/index.js'
import {
  asList,
  asObject,
  hasAny,
  isObject,
  type JsonObject,
  objectAt,
  objectsOf,
  sampleOf,
  textOf,
  wordSet,
  wordsOf,
} from '../../json/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Losses,
  type Place,
  type Placed,
  reasons,
  startOfFile,
  within,
} from '../../model/index.js'
import { anyAnswerIn, failureIn, type Steps, summaryOf } from './exchange.js'

export const openaiResponses: Format<'openai-responses'> = defineFormat({
  id: 'openai-responses',
  isGeneric: true,
  title: 'OpenAI Responses',
  accepts:
    '[{ "type": "message" | "function_call" | "function_call_output" | … }], { "input", "output" }, a stored response, or the state of an agent\'s run',
  fields: wordsOf(
    'input output call_id instructions previous_response_id $schemaVersion generated_items request response body data type role',
  ),
  // The state of a run has its items in several lists.
  recordsRepeat: true,
  structure: 'url server_label',
  signature(value) {
    if (Array.isArray(value)) return scoreOfItems(value)
    if (!isObject(value)) return 0
    const log = responsesLogIn(value, startOfFile) ?? onlyPageOf(value)
    // A failed request of a batch may be of this interface or of chat completions.
    if (log === undefined) return failureIn(value) === undefined ? responsesItem.score(value) : 0.4
    const isMarked = value.object === 'response' || value.object === 'list' || isRunState(value)
    return isMarked || log.response.object === 'response' ? 0.95 : 0.9
  },
  reader(context) {
    const wholeIn = (value: JsonObject, place: Place) => {
      const drafts = readLogs(value, place, context)
      return drafts && (() => drafts)
    }
    return readerOfLists(openaiResponses, context, { wholeIn, failureIn }, ({ messages, place }) =>
      conversationOf(messages, responsesItem, context).build({ place }),
    )
  },
})

/** One unambiguous item decides for the whole list. */
function scoreOfItems(list: readonly unknown[]): number {
  const score = scoreOfList(list, responsesItem.score)
  return score > 0 && sampleOf(list).some((item) => responsesItem.score(item) > 0.9) ? 0.95 : score
}

function onlyPageOf({ object, data }: JsonObject): ResponsesLog | undefined {
  const first: unknown = object === 'list' && Array.isArray(data) ? data[0] : undefined
  return isObject(first) ? responsesLogIn(first, startOfFile) : undefined
}

function readLogs(value: JsonObject, place: Place, context: ReaderContext): ConversationDraft[] | undefined {
  const log = responsesLogIn(value, place)
  if (log) return readOrSkip(log, value, place, context)
  if (!onlyPageOf(value)) return undefined
  return elementsOf(value.data, within(place, 'data')).flatMap(({ value: each, place: at }) => {
    const one = isObject(each) ? responsesLogIn(each, at) : undefined
    return one && isObject(each) ? readOrSkip(one, each, at, context) : []
  })
}

/** A response that failed has no output, and stands without its input in a list or a batch. */
function readOrSkip(log: ResponsesLog, fields: JsonObject, place: Place, context: ReaderContext): ConversationDraft[] {
  const { status, error, incomplete_details: details } = log.response
  const reason = isObject(error) ? error : asObject(details)
  const isFailed = (isObject(error) || isObject(details) || status === 'cancelled') && log.input === undefined
  if (!isFailed || log.output.length > 0) return [readLog(log, fields, place, context)]
  context.skip(failedRequest(idOf(log, fields), status, reason.code ?? reason.reason, reason.message), place)
  return []
}

function readLog(log: ResponsesLog, fields: JsonObject, place: Place, context: ReaderContext): ConversationDraft {
  const { request, response, instructions, input, output } = log
  const conversation = conversationOf([...instructions, ...(input ?? []), ...output], responsesItem, context)
  if (input === undefined) conversation.losses.drop('prompt', reasons.notInFile)
  if (log.repeated) conversation.losses.add('merged', 'repeated item', reasons.repeated, log.repeated)
  const previous = textOf(response.previous_response_id) ?? textOf(request.previous_response_id)
  if (previous !== undefined) {
    conversation.losses.drop('earlier part of the conversation', reasons.notInFile)
  }
  if (fields.has_more === true) conversation.losses.drop('other page of the list', reasons.notInFile)
  const { error, incomplete_details: incomplete } = response
  if (isObject(error)) conversation.addMetadata({ error: textOf(error.message) ?? 'unknown' })
  if (isObject(incomplete)) conversation.addEnd({ finish_reason: textOf(incomplete.reason) ?? 'incomplete' }, place)
  for (const { agent } of stateLists.flatMap((name) => objectsOf(fields[name])))
    conversation.losses.note(agent, asObject(agent).name)
  if (!isRunState(fields)) countFields(fields, log, conversation.losses)
  const own = metadataIn(response, conversation.losses)
  const metadata = own ?? (request === response ? undefined : metadataIn(request, conversation.losses))
  const head = usualHead(fields, conversation.losses)
  const mapped = (field: 'name' | 'model' | 'user_id' | 'time') => textOf(mappedIn([fields], field, context))
  return conversation.build({
    name: mapped('name') ?? head.name,
    modelName: mapped('model') ?? textOf(response.model) ?? textOf(request.model) ?? head.modelName,
    externalId: idOf(log, fields),
    externalUserId: mapped('user_id') ?? textOf(request.user) ?? textOf(response.user),
    metadata: { ...metadata, ...(previous && { previous_response_id: previous }) },
    sourceTimestamp: conversation.time(mapped('time') ?? response.created_at ?? request.created_at ?? head.at),
    place,
  })
}

function countFields(fields: JsonObject, log: ResponsesLog, losses: Losses): void {
  const { request, response, sides } = log
  const count = (object: JsonObject, read: ReadonlySet<string>) => {
    for (const key in object) if (!knownFields.has(key) && !read.has(key)) losses.addField(key, object[key])
  }
  count(fields, sides)
  if (response !== fields) count(response, ofResponse)
  if (request !== fields && request !== response) count(request, ofRequest)
}

const ofRequest = new Set(['input'])
const ofResponse = new Set(['output'])

function idOf({ request, response }: ResponsesLog, fields: JsonObject): string | undefined {
  const conversation = 'conversation' in response ? response.conversation : request.conversation
  const trace = 'trace' in response ? response.trace : request.trace
  return (
    textOf(fields.custom_id) ??
    (isObject(conversation) ? textOf(conversation.id) : textOf(conversation)) ??
    textOf(fields.conversation_id) ??
    textOf(response.id) ??
    textOf(fields.id) ??
    textOf(asObject(trace).id)
  )
}

/** The fields that are read, and settings and counts without content. */
const knownFields = wordSet(`${usualHeadFields.join(' ')} instructions user metadata id object completed_at conversation
  conversation_id custom_id method url error incomplete_details previous_response_id status usage first_id last_id
  has_more parallel_tool_calls temperature tool_choice top_p background max_output_tokens max_tool_calls prompt
  prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier text top_logprobs truncation billing
  store stream include frequency_penalty presence_penalty moderation output_text`)

/** A stored conversation of the Responses interface, or of an agent that uses it. */
interface ResponsesLog {
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
}

const requests: readonly Steps[] = [[], ['body'], ['request'], ['request', 'body']]
const responses: readonly Steps[] = [[], ['response'], ['response', 'body'], ['output'], ['body']]

/** The log in an object; undefined if it is something else, such as an item. */
function responsesLogIn(value: JsonObject, place: Place): ResponsesLog | undefined {
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

function isRunState(value: JsonObject): boolean {
  return '$schemaVersion' in value
}

const stateLists = ['generated_items', 'generatedItems', 'session_items', 'sessionItems']

/** A run state has its items in several lists; one is read. */
function runStateIn(value: JsonObject, place: Place): ResponsesLog | undefined {
  if (!isRunState(value)) return undefined
  const presentLists = stateLists.filter((field) => Array.isArray(value[field]))
  const field = presentLists.find((each) => asList(value[each]).length > 0) ?? presentLists[0]
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
