import { type FileRecord, placeIn } from './format.js'
import { gathered } from './gathered.js'
import { hasAny, isObject, type JsonObject, textOf } from './json.js'
import { mapped } from './mapped.js'
import { type Place, within } from './turn.js'

/** A message and where it stands. */
export interface Placed {
  value: unknown
  place: Place
}

/** One call of chat completions as it is logged, sent in a batch, or made for training. */
export interface Exchange {
  /** The object that holds the messages, and the one that holds the answer; the record itself, where it is both. */
  request: JsonObject
  response: JsonObject
  /** What was asked; undefined where the record holds only the answer. */
  asked: Placed[] | undefined
  /** The answers to choose from, the first being the one that counts. */
  answers: Placed[][]
  /** Why the first answer ended, where it ended early. */
  finish: string | undefined
}

type Steps = readonly string[]

const requests: readonly Steps[] = [[], ['body'], ['request'], ['request', 'body'], ['input']]
const responses: readonly Steps[] = [[], ['response'], ['response', 'body'], ['output'], ['completion']]

/** Where an object holds what was asked and answered. */
interface Sides {
  asking: Steps | undefined
  answering: Steps | undefined
}

/** Without any of these an object holds neither. */
export const exchangeFields: readonly string[] =
  'messages body request input choices response output completion custom_id'.split(' ')
const sideFields = new Set(exchangeFields)

function sidesOf(value: JsonObject): Sides | undefined {
  if (!hasAny(value, sideFields)) return undefined
  const asking = requests.find((steps) => Array.isArray(fieldsAt(value, steps).messages))
  const answering = responses.find((steps) => isAnswer(fieldsAt(value, steps), steps))
  return asking === undefined && answering === undefined && !isFailure(value) ? undefined : { asking, answering }
}

/** Enough of an exchange to know it by. */
export function glimpseOf(value: JsonObject) {
  const sides = sidesOf(value)
  if (sides === undefined) return undefined
  const request = fieldsAt(value, sides.asking ?? [])
  const response = fieldsAt(value, sides.answering ?? [])
  const asked: readonly unknown[] = sides.asking && Array.isArray(request.messages) ? request.messages : []
  const isAnswered = sides.answering !== undefined || preferred.some((field) => isFilled(value[field]))
  return { request, response, asked, isAnswered }
}

/** The exchange that an object is; undefined where it is none, such as a message. */
export function exchangeIn(record: FileRecord): Exchange | undefined {
  const { value } = record
  if (!isObject(value)) return undefined
  const sides = sidesOf(value)
  if (sides === undefined) return undefined
  const { asking, answering } = sides
  const request = fieldsAt(value, asking ?? [])
  const response = fieldsAt(value, answering ?? [])
  const place = placeIn(record)
  return {
    request,
    response,
    asked: asking && listed(request.messages, within(place, ...asking, 'messages')),
    answers: [...preferences(value, place), ...(answering ? answersIn(response, within(place, ...answering)) : [])],
    finish: finishOf(response),
  }
}

/** A line of a batch's output that holds no answer. */
function isFailure(value: JsonObject): boolean {
  if (!('custom_id' in value) || !('response' in value || 'error' in value)) return false
  return !('output' in fieldsAt(value, ['response', 'body']))
}

/** The messages of an array. */
function listed(list: unknown, place: Place): Placed[] {
  return Array.isArray(list) ? mapped(list, (value, index) => ({ value, place: within(place, index) })) : []
}

/** The object at some steps; one without fields where there is none. */
function fieldsAt(value: JsonObject, steps: Steps): JsonObject {
  let at: unknown = value
  for (const step of steps) at = isObject(at) ? at[step] : undefined
  return isObject(at) ? at : {}
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
  return gathered(choices, (choice, index) =>
    isObject(choice) && isObject(choice.message)
      ? [[{ value: choice.message, place: within(place, 'choices', index, 'message') }]]
      : [],
  )
}

/** The two answers of a line for training by preference. */
function preferences(value: JsonObject, place: Place): Placed[][] {
  const filled = preferred.filter((field) => isFilled(value[field]))
  return mapped(filled, (field) => listed(value[field], within(place, field)))
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
