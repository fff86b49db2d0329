import {
  type CallSide,
  converseMessage,
  defineFormat,
  type FoundConversation,
  joinedDetails,
  messagesOfCall,
  scoreOfList,
} from '../../contract/index.js'
import { parseJsonText } from '../../conversation/index.js'
import {
  asList,
  asObject,
  isObject,
  type JsonObject,
  objectAt,
  sampleOf,
  textOf,
  wordMap,
  wordsOf,
} from '../../json/index.js'
import { Losses, type Place, startOfFile, within } from '../../model/index.js'
import { messageOfEvents } from './stream.js'

/** Requests and responses of Amazon Bedrock: of the Converse API, in logs of invocations and in batches. */
export const bedrock = defineFormat({
  id: 'bedrock',
  title: 'Amazon Bedrock',
  accepts:
    '{ "request": { "modelId", "messages" }, "response": { "output": { "message" } } }, { "input": { "inputBodyJson" }, "output": { "outputBodyJson" } }, or { "recordId", "modelInput", "modelOutput" }',
  signature(value) {
    if (!isObject(value)) return scoreOfList(value, converseMessage.score)
    if (isObject(value.modelInput) || value.schemaType === 'ModelInvocationLog') return 0.97
    const { request, response } = sidesIn(value, startOfFile)
    if (response && isConverseResponse(response.value)) return 0.95
    return request && isConverseRequest(request.value) ? 0.95 : converseMessage.score(value)
  },
  fields: 'modelInput schemaType inputBodyJson modelId messages request response output stopReason role content',
  rows: {},
  conversations: (row, place) => {
    if ('role' in row) return undefined
    return [failureIn(row) === undefined ? readCall(sidesIn(row, place), row) : { value: { row }, messages: [] }]
  },
  conversation: {
    externalId: ['row.recordId', 'row.requestId'],
    modelName: ['row.modelId', 'row.request.modelId', 'answer.model'],
    sourceTimestamp: 'row.timestamp',
    metadata: ({ row }) => ({ ...asObject(asObject(row).metadata), ...asObject(asObject(row).requestMetadata) }),
  },
  shape: 'any',
  end: { stop_reason: ['answer.stop_reason', 'answer.stopReason'] },
  failure: ({ row }) => failureIn(asObject(row)),
  structure: 'toolUseId schemaType operation region inferenceRegion stopReason anthropic_version model stop_reason',
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

/** A call, or its record if it has no message of the user. */
function readCall({ request, response }: Sides, row: JsonObject): FoundConversation {
  const asked = request && { ...request, value: requestIn(asObject(request.value)) }
  const answer = response && { ...response, value: answerIn(response.value, new Losses()) }
  const found = asked || answer ? messagesOfCall({ request: asked, response: answer }) : undefined
  if (found === undefined) return { value: { row } }
  const messages = (losses: Losses) => {
    if (response) answerIn(response.value, losses)
    losses.dropFields(asObject(asked?.value), settings)
    losses.dropFields(row, ['identity'])
    return found.messages(losses)
  }
  return { value: { row, answer: answer?.value }, ...found, messages }
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
  return isObject(result) && textOf(result.outputText) !== undefined ? { output: textOf(result.outputText) } : response
}

/** The reason why a record has no messages or no answer; undefined for any other. */
function failureIn(value: JsonObject): string | undefined {
  const { error, errorCode, recordId, requestId: id = recordId } = value
  const body = asObject(value.input)
  const { embedding, embeddings = embedding } = asObject(sidesIn(value, startOfFile).response?.value)
  if (Array.isArray(embeddings)) return 'it is an embedding'
  if (typeof body.inputBodyS3Path === 'string' && body.inputBodyJson === undefined)
    return `its request is in ${body.inputBodyS3Path}`
  if (id === undefined || (errorCode === undefined && !isObject(error))) return undefined
  const { errorCode: code, errorMessage } = asObject(error)
  return joinedDetails(errorCode, code, errorMessage)
}
