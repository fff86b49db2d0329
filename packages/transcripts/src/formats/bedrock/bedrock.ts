import {
  type CallSide,
  conversationOf,
  converseMessage,
  defineFormat,
  draftsOfCall,
  type Format,
  failedRequest,
  type ReaderContext,
  readerOfLists,
  scoreOfList,
} from '../../contract/index.js'
import { metadataIn, parseJsonText } from '../../conversation/index.js'
import {
  asList,
  asObject,
  describe,
  isObject,
  type JsonObject,
  objectAt,
  sampleOf,
  textOf,
  wordMap,
  wordsOf,
} from '../../json/index.js'
import { type ConversationDraft, Losses, type Place, startOfFile, within } from '../../model/index.js'
import { messageOfEvents } from './stream.js'

/** Requests and responses of Amazon Bedrock: of the Converse API, in logs of invocations and in batches. */
export const bedrock: Format<'bedrock'> = defineFormat({
  id: 'bedrock',
  title: 'Amazon Bedrock',
  accepts:
    '{ "request": { "modelId", "messages" }, "response": { "output": { "message" } } }, { "input": { "inputBodyJson" }, "output": { "outputBodyJson" } }, or { "recordId", "modelInput", "modelOutput" }',
  fields: wordsOf(
    'modelInput schemaType inputBodyJson modelId messages request response output stopReason role content',
  ),
  structure: 'toolUseId schemaType operation region inferenceRegion stopReason anthropic_version model stop_reason',
  signature(value) {
    if (!isObject(value)) return scoreOfList(value, converseMessage.score)
    if (isObject(value.modelInput) || value.schemaType === 'ModelInvocationLog') return 0.97
    const { request, response } = sidesIn(value, startOfFile)
    if (response && isConverseResponse(response.value)) return 0.95
    return request && isConverseRequest(request.value) ? 0.95 : converseMessage.score(value)
  },
  reader(context) {
    const wholeIn = (value: JsonObject, place: Place) =>
      'role' in value ? undefined : () => readCall(value, place, context)
    return readerOfLists(bedrock, context, { wholeIn, failureIn }, ({ messages, place }) =>
      conversationOf(messages, converseMessage, context).build({ place }),
    )
  },
})

/** The places of requests and responses, the more certain ones first; the record itself may be one. */
const requests = [['input', 'inputBodyJson'], ['modelInput'], ['request']]
const responses = [['output', 'outputBodyJson'], ['modelOutput'], ['response']]

interface Sides {
  request: CallSide | undefined
  response: CallSide | undefined
}

function sidesIn(value: JsonObject, place: Place): Sides {
  const found = (paths: string[][]): CallSide | undefined => {
    const path = paths.find(
      ([first = '', second]) => (second ? objectAt(value, [first])[second] : value[first]) !== undefined,
    )
    const [first = '', second] = path ?? []
    const body = second === undefined ? value[first] : objectAt(value, [first])[second]
    return path && { value: parseJsonText(body), place: within(place, ...path), isText: typeof body === 'string' }
  }
  const own = { value, place }
  return {
    request: found(requests) ?? (isConverseRequest(value) ? own : undefined),
    // The record may be both.
    response:
      found(responses) ??
      (isConverseResponse(value) ? { value: { ...value, messages: [], system: [] }, place } : undefined),
  }
}

/** A request names its model by `modelId`, has system prompts without types, or calls tools as Converse does. */
function isConverseRequest(value: unknown): boolean {
  const { messages, modelId, system } = asObject(value)
  const scores = sampleOf(messages).map(converseMessage.score)
  if (scores.some((score) => score > 0.9)) return true
  if (scores.length === 0 || scores.includes(0)) return false
  const isSystem = Array.isArray(system) && system.every((part) => isObject(part) && !('type' in part))
  return typeof modelId === 'string' || isSystem
}

/** An answer that ended before it began has no part. */
function isConverseResponse(value: unknown): boolean {
  const message = objectAt(value, ['output', 'message'])
  const isEmpty = Array.isArray(message.content) && message.content.length === 0 && message.role === 'assistant'
  return converseMessage.score(message) > 0 || (isEmpty && 'stopReason' in asObject(value))
}

const settings =
  wordsOf(`inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables performanceConfig
  textGenerationConfig stop_sequences stop`)

function readCall(value: JsonObject, place: Place, context: ReaderContext): ConversationDraft[] {
  const { request, response } = sidesIn(value, place)
  if (request === undefined && response === undefined) {
    context.report(`expected ${bedrock.accepts}; found ${describe(value)}`, place)
    return []
  }
  const parts = new Losses(context.account)
  const answer = response && { ...response, value: answerIn(response.value, parts) }
  const asked = request && { ...request, value: requestIn(asObject(request.value)) }
  return draftsOfCall({ request: asked, response: answer, place }, context, (conversation) => {
    const { losses } = conversation
    losses.dropFields(asObject(asked?.value), settings)
    losses.dropFields(value, ['identity'])
    const { stopReason, stop_reason: end = stopReason } = asObject(answer?.value)
    conversation.addEnd({ stop_reason: end }, answer?.place ?? place)
    const { modelId = objectAt(value, ['request']).modelId, recordId, requestId, timestamp } = value
    return {
      modelName: textOf(modelId) ?? textOf(asObject(answer?.value).model),
      externalId: textOf(recordId) ?? textOf(requestId),
      sourceTimestamp: conversation.time(timestamp),
      metadata: { ...metadataIn(value, losses), ...asObject(value.requestMetadata) },
    }
  })
}

/** The request with the usual names of its fields: Titan has `inputText`, older models of Cohere a message and a history. */
function requestIn({ inputText, chat_history: history, ...body }: JsonObject): JsonObject {
  if (typeof inputText === 'string') return { ...body, prompt: inputText }
  if (!Array.isArray(history) || typeof body.message !== 'string')
    return history === undefined ? body : { ...body, history }
  const { message, ...others } = body
  const messages = history.map((each) => {
    const { role, message: content, ...more } = asObject(each)
    return { ...more, role: cohereRoles.get(role) ?? role, content }
  })
  return { ...others, messages: [...messages, { role: 'user', content: message }] }
}

const cohereRoles = wordMap({ user: 'USER', assistant: 'CHATBOT', system: 'SYSTEM' })

/** The response with the usual names of its fields; the parts of a stream are one response. */
function answerIn(response: unknown, losses: Losses): unknown {
  if (Array.isArray(response)) return messageOfEvents(response, losses)
  const { results, generation } = asObject(response)
  const [result] = asList(results)
  if (textOf(generation) !== undefined) return { ...asObject(response), output: generation }
  return isObject(result) && textOf(result.outputText) !== undefined ? { output: result.outputText } : response
}

/** The reason why a record has no messages or no answer; undefined for any other. */
function failureIn(value: JsonObject): string | undefined {
  const { error, errorCode, recordId, requestId: id = recordId } = value
  const body = asObject(value.input)
  const { embedding, embeddings = embedding } = asObject(sidesIn(value, startOfFile).response?.value)
  if (Array.isArray(embeddings)) return `the record ${JSON.stringify(id)} has no messages: it is an embedding`
  if (typeof body.inputBodyS3Path === 'string' && body.inputBodyJson === undefined)
    return `the record ${JSON.stringify(id)} has no messages: its request is in ${body.inputBodyS3Path}`
  if (id === undefined || (errorCode === undefined && !isObject(error))) return undefined
  const { errorCode: code, errorMessage } = asObject(error)
  return failedRequest(id, errorCode, code, errorMessage)
}
