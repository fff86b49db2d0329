import {
  anthropicMessage,
  defineFormat,
  failedRequest,
  scoreOfList,
  usualFacts,
  usualHeadFields,
} from '../../contract/index.js'
import { asObject, isObject, type JsonObject, sampleOf, wordSet, wordsOf } from '../../json/index.js'
import { elementsOf, type Losses, type Placed, within } from '../../model/index.js'

export const anthropicMessages = defineFormat({
  id: 'anthropic-messages',
  isGeneric: true,
  title: 'Anthropic Messages',
  accepts:
    '{ "model", "system"?, "messages": [{ "role", "content" }] }, { "request", "response" }, { "custom_id", "params" | "result" }, or the array of messages',
  fields: wordsOf('messages system role content custom_id params result request response stop_reason'),
  structure: 'url',
  signature(value) {
    if (Array.isArray(value)) return scoreOfMessages(value, false)
    if (!isObject(value)) return 0
    const body = bodyOf(value)
    if (body === undefined) return anthropicMessage.score(value)
    if (body.isMarked) return 0.96
    return scoreOfMessages(body.request.messages, 'system' in body.request)
  },
  rows: {
    failure: (value) => bodyOf(value)?.failure,
    // An answer alone names its conversation.
    join: (messages) => (messages.length === 1 ? { value: { row: messages[0]?.value }, messages } : undefined),
  },
  conversations: (row, place) => {
    const body = bodyOf(row)
    return body && [{ value: { row, ...body }, messages: (losses) => messagesOf(body, { value: row, place }, losses) }]
  },
  conversation: {
    name: ['request.name', ...usualFacts.name.map((field) => `row.${field}`)],
    modelName: ['response.model', 'request.model', ...usualFacts.modelName.map((field) => `row.${field}`)],
    externalId: ['customId', 'response.id', 'request.id', 'row.id'],
    externalUserId: 'request.metadata.user_id',
    sourceTimestamp: usualFacts.sourceTimestamp.map((field) => `row.${field}`),
  },
  shape: 'anthropic',
})

/** One block that only Anthropic has is enough; a system prompt beside the messages nearly so. */
function scoreOfMessages(messages: unknown, hasSystem: boolean): number {
  const sure = scoreOfList(messages, anthropicMessage.score)
  if (sure === 0) return 0
  if (sampleOf(messages).some((message) => anthropicMessage.score(message) > 0.9)) return 0.96
  return hasSystem ? 0.92 : Math.min(sure, 0.3)
}

interface Body {
  request: JsonObject
  requestPath: string[]
  response?: JsonObject
  responsePath?: string[]
  customId?: string | undefined
  /** The reason why a batch result has no message. */
  failure?: string
  /** Only Anthropic files look like this. */
  isMarked: boolean
}

function bodyOf(value: JsonObject): Body | undefined {
  const { custom_id: id, params, result } = value
  if (typeof id === 'string' && isObject(params) && Array.isArray(params.messages)) {
    return { request: params, requestPath: ['params'], customId: id, isMarked: true }
  }
  if (typeof id === 'string' && isObject(result) && typeof result.type === 'string') {
    const base = { request: {}, requestPath: [], customId: id, isMarked: true }
    if (!isObject(result.message)) return { ...base, failure: failureOf(id, result) }
    return { ...base, response: result.message, responsePath: ['result', 'message'] }
  }
  if (isObject(value.request)) return pairOf(value, value.request)
  return Array.isArray(value.messages) ? { request: value, requestPath: [], isMarked: false } : undefined
}

/** A logged pair. Proxies put the request and the response into `body`. */
function pairOf(value: JsonObject, outer: JsonObject): Body | undefined {
  const request = isObject(outer.body) ? outer.body : outer
  if (!Array.isArray(request.messages)) return undefined
  const requestPath = request === outer ? ['request'] : ['request', 'body']
  const answer = asObject(value.response)
  const response = isObject(answer.body) ? answer.body : answer
  const isMarked = response.type === 'message'
  if (!isMarked && response.role !== 'assistant') return { request, requestPath, isMarked }
  const responsePath = response === answer ? ['response'] : ['response', 'body']
  return { request, requestPath, response, responsePath, isMarked }
}

const bodyFields = wordSet(
  'messages model system id name custom_id max_tokens temperature top_p top_k stream stop_sequences thinking service_tier betas anthropic_version',
)
/** Fields beside request and response, and around them in a log or a batch. */
const recordFields = new Set(['custom_id', 'id', ...usualHeadFields])
const allFields = new Set([...bodyFields, ...recordFields])

/** The system prompt beside the messages, the messages, and the answer. */
function messagesOf(body: Body, { value: row, place }: Placed & { value: JsonObject }, losses: Losses): Placed[] {
  const { request, requestPath, response, responsePath = [] } = body
  const own = within(place, ...requestPath)
  const { system: content, messages } = request
  losses.addFields(request, row === request ? allFields : bodyFields)
  const sides = [requestPath[0], responsePath[0]].filter((side) => side !== undefined)
  if (row !== request) losses.addFields(row, new Set([...recordFields, ...sides]))
  return [
    ...((content ?? '') !== '' ? [{ value: { role: 'system', content }, place: within(own, 'system') }] : []),
    ...elementsOf(messages, within(own, 'messages')),
    ...(response ? [{ value: response, place: within(place, ...responsePath) }] : []),
  ]
}

/** `{ type: 'errored', error: { error: { type, message } } }`, `{ type: 'expired' }` */
function failureOf(id: string, { type, error }: JsonObject): string {
  const outer = asObject(error)
  const { type: kind, message } = isObject(outer.error) ? outer.error : outer
  return failedRequest(id, type, kind, message)
}
