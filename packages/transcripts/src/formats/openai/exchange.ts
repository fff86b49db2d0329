import { type FileRecord, placeIn, usualHeadFields } from '../../format/index.js'
import { asList, hasAny, isObject, type JsonObject, objectAt, textOf } from '../../json/index.js'
import { messagesIn, openaiMessage, responsesItem } from '../../messages/index.js'
import { elementsOf, type Place, type Placed, startOfFile, within } from '../../model/index.js'

/** One call of chat completions as it is logged, sent in a batch, or made for training. */
export interface Exchange {
  /** The object that holds the messages, and the one that holds the answer; the record itself, where it is both. */
  request: JsonObject
  response: JsonObject
  /** The question; undefined if the record holds only the answer. */
  prompt: Placed[] | undefined
  /** The answers to choose from, the first being the one that counts. */
  answers: Placed[][]
  /** Why the first answer ended, where it ended early. */
  finish: string | undefined
  /** The fields of the record in which what was asked and answered stands. */
  sides: ReadonlySet<string>
  /** Those of them that hold the request or the response in an object inside, such as `body`. */
  envelopes: ReadonlySet<string>
}

type Steps = readonly string[]

const requests: readonly Steps[] = [[], ['body'], ['request'], ['request', 'body'], ['input']]
const responses: readonly Steps[] = [[], ['response'], ['response', 'body'], ['output'], ['completion']]
/** Fields for an answer that is a text, content or a list of messages, beside the question. */
const answers: readonly Steps[] = [
  ['response', 'body'],
  ...['response', 'output', 'completion', 'answer', 'reply'].map((field) => [field]),
]
/** Fields for a question that is a list of messages or a text. */
const prompts = ['input', 'prompt']

/** The places of the question and the answer in an object. */
interface Sides {
  /** The object that holds the messages, or the field that is what was asked. */
  requestSteps: Steps | undefined
  responseSteps: Steps | undefined
  /** The question is the value of a field such as `input`, and no list in an object. */
  isPrompt: boolean
  /** The answer is whatever it may be, and no object of the interface. */
  isLoose: boolean
}

/** Without any of these an object holds neither. */
const sideFields = new Set(
  'messages body request input prompt choices response output completion answer reply custom_id'.split(' '),
)

function sidesOf(value: JsonObject): Sides | undefined {
  if (!hasAny(value, sideFields)) return undefined
  const strict = responses.find((steps) => isAnswer(objectAt(value, steps), steps))
  const listing = requests.find((steps) => Array.isArray(objectAt(value, steps).messages))
  const isAnswered = strict !== undefined || isTextPair(value)
  const prompting = listing === undefined ? prompts.find((field) => isPrompt(value[field], isAnswered)) : undefined
  const requestSteps = prompting === undefined ? listing : [prompting]
  const loose =
    strict === undefined && requestSteps !== undefined && !isResponse(value, prompting === undefined ? 0.9 : 0)
      ? anyAnswerSteps(value)
      : undefined
  const responseSteps = strict ?? loose
  // A list of messages in a field such as `input` may be anyone's, unless an answer is beside it.
  if (responseSteps === undefined && listing === undefined && !isFailure(value)) return undefined
  return { requestSteps, responseSteps, isPrompt: prompting !== undefined, isLoose: loose !== undefined }
}

/** Enough of an exchange to know it by. */
export function summaryOf(value: JsonObject) {
  const sides = sidesOf(value)
  if (sides === undefined) return undefined
  const { requestSteps, responseSteps, isPrompt: isField } = sides
  const request = objectAt(value, requestSteps ?? [])
  const response = objectAt(value, responseSteps ?? [])
  const list = isField ? value[requestSteps?.[0] ?? ''] : requestSteps && request.messages
  const prompt: readonly unknown[] = asList(list)
  const isAnswered = responseSteps !== undefined || preferred.some((field) => isFilled(value[field]))
  return { request, response, prompt, isAnswered, isLog: !isField }
}

/** The exchange that an object is; undefined where it is none, such as a message. */
export function exchangeIn(record: FileRecord): Exchange | undefined {
  const { value } = record
  if (!isObject(value)) return undefined
  const sides = sidesOf(value)
  if (sides === undefined) return undefined
  const { requestSteps, responseSteps, isPrompt: isField, isLoose } = sides
  const request = isField ? {} : objectAt(value, requestSteps ?? [])
  const response = responseSteps ? objectAt(value, responseSteps) : {}
  const place = placeIn(record)
  const prompt =
    requestSteps &&
    (isField ? promptIn(value, requestSteps, place) : requestIn(request, within(place, ...requestSteps)))
  const found = isLoose
    ? withoutCopy(anyAnswers(value, responseSteps ?? [], place), prompt ?? [])
    : responseSteps
      ? answersIn(response, within(place, ...responseSteps))
      : []
  const sideOf = (steps: Steps | undefined) => steps?.slice(0, 1) ?? []
  return {
    request,
    response,
    prompt,
    answers: [...preferences(value, place), ...found],
    finish: finishOf(response),
    sides: new Set([...sideOf(requestSteps), ...sideOf(responseSteps)]),
    envelopes: new Set(
      [requestSteps, responseSteps].flatMap((steps) => (steps && steps.length > 1 ? sideOf(steps) : [])),
    ),
  }
}

/** A text is what was asked only where an answer is beside it. */
function isPrompt(value: unknown, isAnswered: boolean): boolean {
  if (typeof value === 'string') return isAnswered && value !== ''
  return Array.isArray(value) && value.length > 0 && value.every((message) => openaiMessage.score(message) > 0)
}

const textPairs = [
  ['prompt', 'completion'],
  ['input', 'output'],
] as const
const pairFields: ReadonlySet<string> = new Set(['id', ...usualHeadFields])

/** True if an object is a question and its answer as texts. With other fields beside them it may be a log of anything. */
function isTextPair(value: JsonObject): boolean {
  return textPairs.some(
    ([prompt, found]) =>
      textOf(value[prompt]) !== undefined &&
      textOf(value[found]) !== undefined &&
      Object.keys(value).every((key) => key === prompt || key === found || pairFields.has(key)),
  )
}

function promptIn(value: JsonObject, requestSteps: Steps, place: Place): Placed[] {
  const prompt = value[requestSteps[0] ?? '']
  const at = within(place, ...requestSteps)
  return typeof prompt === 'string' ? [{ value: { role: 'user', content: prompt }, place: at }] : elementsOf(prompt, at)
}

/** The messages of a request, behind the system prompt that some programs put beside them. */
function requestIn({ system, messages }: JsonObject, place: Place): Placed[] {
  const list = elementsOf(messages, within(place, 'messages'))
  if (system === undefined || system === null) return list
  const content = typeof system === 'string' ? system : [system].flat()
  return [{ value: { role: 'system', content }, place: within(place, 'system') }, ...list]
}

/** An answer of the Responses interface, which is none of chat completions. */
function isResponse({ output }: JsonObject, above: number): boolean {
  return Array.isArray(output) && output.some((item) => responsesItem.score(item) > above)
}

const nowhere: Place = startOfFile

function anyAnswerSteps(value: JsonObject): Steps | undefined {
  return answers.find((steps) => anyAnswers(value, steps, nowhere).length > 0)
}

/** The first answer of an object in whatever shape, and the field that holds it; undefined where there is none. */
export function anyAnswerIn(value: JsonObject, place: Place): { field: string; messages: Placed[] } | undefined {
  const steps = anyAnswerSteps(value)
  const [messages] = steps ? anyAnswers(value, steps, place) : []
  return steps && messages && { field: steps[0] ?? '', messages }
}

/** Answers in whatever shape: a text, content, a message, a list of messages. */
function anyAnswers(value: JsonObject, steps: Steps, place: Place): Placed[][] {
  const held = objectAt(value, steps.slice(0, -1))[steps.at(-1) ?? '']
  const messages = messagesIn(held, 'assistant', within(place, ...steps))
  if (!messages.every((message) => openaiMessage.score(message.value) > 0)) return []
  const others = messages.filter(({ isAlternative }) => isAlternative)
  const main = messages.filter(({ isAlternative }) => !isAlternative)
  return main.length === 0 ? [] : [main, ...others.map((other) => [other])]
}

/** Some programs give all messages back, the answer behind what was asked. */
function withoutCopy(found: Placed[][], prompt: readonly Placed[]): Placed[][] {
  const [main = [], ...others] = found
  const isCopied =
    prompt.length > 0 &&
    main.length > prompt.length &&
    prompt.every(({ value }, index) => isEqual(value, main[index]?.value))
  return isCopied ? [main.slice(prompt.length), ...others] : found
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** A line of a batch's output that holds no answer. */
function isFailure(value: JsonObject): boolean {
  if (!('custom_id' in value) || !('response' in value || 'error' in value)) return false
  return !('output' in objectAt(value, ['response', 'body']))
}

/** Choices, or one message as other servers of the same interface give it; a record itself is no message here. */
function isAnswer({ choices, message, role }: JsonObject, steps: Steps): boolean {
  if (Array.isArray(choices)) return choices.some((choice) => isObject(choice) && isObject(choice.message))
  return steps.length > 0 && ((isObject(message) && typeof message.role === 'string') || role === 'assistant')
}

function answersIn(response: JsonObject, place: Place): Placed[][] {
  const { choices, message } = response
  if (!Array.isArray(choices)) {
    return [[isObject(message) ? { value: message, place: within(place, 'message') } : { value: response, place }]]
  }
  return choices.flatMap((choice, index) =>
    isObject(choice) && isObject(choice.message)
      ? [[{ value: choice.message, place: within(place, 'choices', index, 'message') }]]
      : [],
  )
}

/** The two answers of a line for training by preference. */
function preferences(value: JsonObject, place: Place): Placed[][] {
  const filled = preferred.filter((field) => isFilled(value[field]))
  return filled.map((field) => elementsOf(value[field], within(place, field)))
}

const preferred = ['preferred_output', 'non_preferred_output']

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0
}

function finishOf({ choices }: JsonObject): string | undefined {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  const reason = isObject(first) ? textOf(first.finish_reason) : undefined
  return reason === 'length' || reason === 'content_filter' ? reason : undefined
}
