import { failedRequest, messagesIn, messagesOfInput, openaiMessage, responsesItem } from '../../contract/index.js'
import {
  asList,
  asObject,
  hasAny,
  isObject,
  type JsonObject,
  objectAt,
  textOf,
  valueAt,
  wordSet,
} from '../../json/index.js'
import { elementsOf, type Place, type Placed, startOfFile, within } from '../../model/index.js'

/** One chat-completions call: logged, in a batch, or in a fine-tuning file. */
export interface Exchange {
  record: JsonObject
  place: Place
  /** The objects with the messages and with the answer. Either may be the record itself. */
  request: JsonObject
  response: JsonObject
  /** Undefined if the record has only the answer. */
  prompt: Placed[] | undefined
  /** The choices, the main one first. */
  answers: Placed[][]
  /** The messages of an answer that repeat the prompt. */
  repeated: readonly Placed[]
  /** The reason for an early stop of the first answer. */
  finish: string | undefined
  /** The fields of the record with the prompt and the answers. */
  sides: ReadonlySet<string>
}

/** The fields that lead to a value. */
export type Steps = readonly string[]

const requests: readonly Steps[] = [[], ['body'], ['request'], ['request', 'body'], ['input']]
const responses: readonly Steps[] = [[], ['response'], ['response', 'body'], ['output'], ['completion']]
/** Fields for an answer beside the question: a text, content or a list of messages. */
const answers: readonly Steps[] = [
  ['response', 'body'],
  ...['response', 'output', 'completion', 'answer', 'reply'].map((field) => [field]),
]
/** Fields for a prompt: a list of messages or a text. */
const prompts = ['input', 'prompt']

interface Sides {
  /** The path of the object with the messages, or of the prompt field. */
  requestSteps: Steps | undefined
  responseSteps: Steps | undefined
  /** The prompt is the value of a field such as `input`, not a list in an object. */
  isPrompt: boolean
  /** The answer has any shape, not that of the interface. */
  isLoose: boolean
}

/** An object without any of these fields is not an exchange. */
const sideFields = wordSet(
  'messages body request input prompt choices response output completion answer reply custom_id',
)

function sidesOf(value: JsonObject): Sides | undefined {
  if (!hasAny(value, sideFields)) return undefined
  const strict = responses.find((steps) => isAnswer(objectAt(value, steps), steps))
  const listing = requests.find((steps) => Array.isArray(objectAt(value, steps).messages))
  const isAnswered = strict !== undefined
  const prompting = listing === undefined ? prompts.find((field) => isPrompt(value[field], isAnswered)) : undefined
  const requestSteps = prompting === undefined ? listing : [prompting]
  const loose =
    strict === undefined && requestSteps !== undefined && !isResponse(value, prompting === undefined ? 0.9 : 0)
      ? anyAnswerSteps(value)
      : undefined
  const responseSteps = strict ?? loose
  // A list of messages in a field such as `input` is ambiguous without an answer beside it.
  if (responseSteps === undefined && listing === undefined && failureIn(value) === undefined) return undefined
  return { requestSteps, responseSteps, isPrompt: prompting !== undefined, isLoose: loose !== undefined }
}

/** The parts of an exchange that detection needs. */
export function summaryOf(value: JsonObject) {
  const sides = sidesOf(value)
  if (sides === undefined) return undefined
  const { requestSteps, responseSteps, isPrompt: isField } = sides
  const request = objectAt(value, requestSteps ?? [])
  const response = objectAt(value, responseSteps ?? [])
  const list = isField ? valueAt(value, requestSteps ?? []) : requestSteps && request.messages
  const prompt: readonly unknown[] = asList(list)
  const isAnswered = responseSteps !== undefined || preferred.some((field) => isFilled(value[field]))
  return { request, response, prompt, isAnswered, isLog: !isField }
}

/** The exchange in a record; undefined if it is something else, such as a message. */
export function exchangeIn(value: JsonObject, place: Place): Exchange | undefined {
  const sides = sidesOf(value)
  if (sides === undefined) return undefined
  const { requestSteps, responseSteps, isPrompt: isField, isLoose } = sides
  const request = isField ? {} : objectAt(value, requestSteps ?? [])
  const response = responseSteps ? objectAt(value, responseSteps) : {}
  const at = within(place, ...(requestSteps ?? []))
  const list = isField ? messagesOfInput(valueAt(value, requestSteps ?? []), at) : requestIn(request, at)
  const prompt = requestSteps && list
  let found: Placed[][] = []
  const loose = isLoose ? anyAnswers(value, responseSteps ?? [], place) : []
  if (isLoose) found = withoutCopy(loose, list)
  else if (responseSteps) found = answersIn(response, within(place, ...responseSteps))
  const read = new Set(found.flat())
  const filled = preferred.filter((field) => isFilled(value[field]))
  const paths = [requestSteps ?? [], responseSteps ?? []]
  return {
    record: value,
    place,
    request,
    response,
    prompt,
    // A preference training line has two answers.
    answers: [...filled.map((field) => elementsOf(value[field], within(place, field))), ...found],
    repeated: loose.flat().filter((each) => !read.has(each)),
    finish: finishOf(response),
    sides: new Set(paths.flatMap(([first]) => first ?? [])),
  }
}

/** A text is a prompt only with an answer beside it. */
function isPrompt(value: unknown, isAnswered: boolean): boolean {
  if (typeof value === 'string') return isAnswered && value !== ''
  return Array.isArray(value) && value.length > 0 && value.every((message) => openaiMessage.score(message) > 0)
}

/** The field with the system prompt. Chatbot UI has it in `prompt`, beside a model that is an object. */
export function systemFieldOf({ model, system }: JsonObject): 'prompt' | 'system' {
  return isObject(model) && system === undefined ? 'prompt' : 'system'
}

/** The messages of a request after the system prompt beside them. */
function requestIn(request: JsonObject, place: Place): Placed[] {
  const list = elementsOf(request.messages, within(place, 'messages'))
  const field = systemFieldOf(request)
  const system = request[field]
  if (system === undefined || system === null || system === '') return list
  const content = typeof system === 'string' ? system : [system].flat()
  return [{ value: { role: 'system', content }, place: within(place, field) }, ...list]
}

function isResponse({ output }: JsonObject, above: number): boolean {
  return Array.isArray(output) && output.some((item) => responsesItem.score(item) > above)
}

function anyAnswerSteps(value: JsonObject): Steps | undefined {
  return answers.find((steps) => anyAnswers(value, steps, startOfFile).length > 0)
}

export function anyAnswerIn(value: JsonObject, place: Place): { field: string; messages: Placed[] } | undefined {
  const steps = anyAnswerSteps(value)
  const [messages] = steps ? anyAnswers(value, steps, place) : []
  return steps && messages && { field: steps[0] ?? '', messages }
}

/** Answers in any shape: a text, content, a message, a list of messages. */
function anyAnswers(value: JsonObject, steps: Steps, place: Place): Placed[][] {
  const messages = messagesIn(valueAt(value, steps), 'assistant', within(place, ...steps))
  if (!messages.every((message) => openaiMessage.score(message.value) > 0)) return []
  const others = messages.filter(({ isAlternative }) => isAlternative)
  const main = messages.filter(({ isAlternative }) => !isAlternative)
  return main.length === 0 ? [] : [main, ...others.map((other) => [other])]
}

/** Some programs return all messages, with the answer at the end. */
function withoutCopy(found: Placed[][], prompt: readonly Placed[]): Placed[][] {
  const [main = [], ...others] = found
  const isSame = ({ value }: Placed, index: number) => JSON.stringify(value) === JSON.stringify(main[index]?.value)
  const isCopied = prompt.length > 0 && main.length > prompt.length && prompt.every(isSame)
  return isCopied ? [main.slice(prompt.length), ...others] : found
}

/** The reason why a line of batch output has no answer; undefined for any other record. */
export function failureIn(value: JsonObject): string | undefined {
  const id = textOf(value.custom_id)
  if (id === undefined || !('response' in value || 'error' in value) || 'body' in value) return undefined
  const { status_code: status, body } = asObject(value.response)
  const response = asObject(body)
  if (Array.isArray(response.choices) || (Array.isArray(response.output) && response.output.length > 0))
    return undefined
  const error = [value.error, response.error].find((each) => isObject(each) || textOf(each) !== undefined)
  const isRefused = typeof status === 'number' && status >= 400
  if (error === undefined && !isRefused && value.response !== null) return undefined
  const { code, type, message } = asObject(error)
  return failedRequest(id, isRefused ? `status ${status}` : undefined, textOf(error), code ?? type, message)
}

/** Choices, or the single message of compatible servers. The record itself is not an answer. */
function isAnswer({ choices, message, role }: JsonObject, steps: Steps): boolean {
  if (Array.isArray(choices)) return choices.some((choice) => isObject(asObject(choice).message))
  return steps.length > 0 && (typeof asObject(message).role === 'string' || role === 'assistant')
}

function answersIn(response: JsonObject, place: Place): Placed[][] {
  const { choices, message } = response
  if (!Array.isArray(choices)) {
    return [[isObject(message) ? { value: message, place: within(place, 'message') } : { value: response, place }]]
  }
  return choices.flatMap((choice, index) => {
    const { message } = asObject(choice)
    return isObject(message) ? [[{ value: message, place: within(place, 'choices', index, 'message') }]] : []
  })
}

const preferred = ['preferred_output', 'non_preferred_output']

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0
}

const finishOf = ({ choices }: JsonObject) => textOf(asObject(asList(choices)[0]).finish_reason)
