import {
  anthropicMessage,
  conversationOf,
  defineFormat,
  type Format,
  failedRequest,
  type MessageList,
  type ReaderContext,
  readerOfLists,
  scoreOfList,
  usualHead,
  usualHeadFields,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, sampleOf, textOf, wordSet, wordsOf } from '../../json/index.js'
import { type ConversationDraft, elementsOf, within } from '../../model/index.js'

export const anthropicMessages: Format<'anthropic-messages'> = defineFormat({
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
  reader: (context) =>
    // `readBody` reads a body; the list only has to know that it is not a single message.
    readerOfLists(anthropicMessages, context, { listIn, failureIn }, (list) => {
      const body = bodyOf(list.head)
      return body ? readBody(body, list, context) : readList(list, context)
    }),
})

const listIn = (value: JsonObject) => bodyOf(value) && 'messages'
const failureIn = (value: JsonObject) => bodyOf(value)?.failure

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
function readBody(body: Body, { head: outer, place }: MessageList, context: ReaderContext): ConversationDraft {
  const { request, requestPath, response, responsePath = [], customId } = body
  const conversation = new ConversationBuilder(context)
  const own = within(place, ...requestPath)
  const { system, messages, metadata } = request
  if (typeof system === 'string' || Array.isArray(system))
    conversation.addMessage('system', system, { place: within(own, 'system') })
  for (const message of elementsOf(messages, within(own, 'messages'))) {
    anthropicMessage.add(message.value, message.place, conversation)
  }
  if (response) anthropicMessage.add(response, within(place, ...responsePath), conversation)
  conversation.losses.addFields(request, outer === request ? allFields : bodyFields)
  const sides = [requestPath[0], responsePath[0]].filter((side) => side !== undefined)
  if (outer !== request) conversation.losses.addFields(outer, new Set([...recordFields, ...sides]))
  const head = usualHead(outer, conversation.losses)
  return conversation.build({
    name: textOf(request.name) ?? head.name,
    modelName: textOf(response?.model) ?? textOf(request.model) ?? head.modelName,
    externalId: customId ?? textOf(response?.id) ?? textOf(request.id) ?? textOf(outer.id),
    sourceTimestamp: conversation.time(head.at),
    externalUserId: textOf(asObject(metadata).user_id),
    place,
  })
}

/** `{ type: 'errored', error: { error: { type, message } } }`, `{ type: 'expired' }` */
function failureOf(id: string, { type, error }: JsonObject): string {
  const outer = asObject(error)
  const { type: kind, message } = isObject(outer.error) ? outer.error : outer
  return failedRequest(id, type, kind, message)
}

function readList({ messages, place }: MessageList, context: ReaderContext): ConversationDraft {
  const only = messages.length === 1 ? asObject(messages[0]?.value) : {}
  return conversationOf(messages, anthropicMessage, context).build({ externalId: textOf(only.id), place })
}
