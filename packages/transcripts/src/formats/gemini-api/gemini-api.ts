import {
  type CallSide,
  conversationOf,
  defineFormat,
  draftsOfCall,
  type Format,
  failedRequest,
  geminiMessage,
  isGeminiPart,
  type ReaderContext,
  readerOfLists,
  scoreOfList,
  usualHead,
} from '../../contract/index.js'
import { metadataIn, parseJsonText } from '../../conversation/index.js'
import {
  asObject,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  sampleOf,
  textOf,
  wordsOf,
} from '../../json/index.js'
import { type ConversationDraft, type Place, startOfFile, within } from '../../model/index.js'

/** Requests and responses of the Gemini API and of Vertex AI: logs, batches, tuning sets, streams, histories of a chat. */
export const geminiApi: Format<'gemini-api'> = defineFormat({
  id: 'gemini-api',
  title: 'Gemini API and Vertex AI',
  accepts:
    '{ "request": { "contents": [{ "role", "parts" }] }, "response": { "candidates": [{ "content" }] } }, one of these alone, or a list of contents',
  fields: wordsOf('contents candidates request response full_request full_response parts key error'),
  // The model that was asked for, if another answered.
  structure: 'model key mode outcome language finishReason finish_reason responseMimeType',
  signature(value) {
    if (!isObject(value)) return scoreOfList(value, geminiMessage.score)
    const { request, response } = sidesIn(value, startOfFile)
    if (request ?? response) return 0.95
    return failureIn(value) === undefined ? geminiMessage.score(value) : 0.1
  },
  reader(context) {
    const wholeIn = (value: JsonObject, place: Place) =>
      isContent(value) || idOfChunk(value) !== undefined ? undefined : () => readRecord(value, place, context)
    return readerOfLists(geminiApi, context, { wholeIn, failureIn, idIn: idOfChunk }, ({ messages, place }) => {
      const chunks = messages.flatMap(({ value }) => (idOfChunk(value) === undefined ? [] : [value]))
      if (chunks.length > 0) {
        const response = { value: chunks, place: messages[0]?.place ?? place }
        return readCall({ request: undefined, response }, {}, place, context)[0] as ConversationDraft
      }
      return conversationOf(messages, geminiMessage, context).build({ place })
    })
  },
})

const isContent = (value: unknown) => isObject(value) && Array.isArray(value.parts) && !('candidates' in value)

interface Sides {
  request: CallSide | undefined
  response: CallSide | undefined
}

/** The request and the response of a record, each of which may be the record, and JSON text in a table of BigQuery. */
function sidesIn(value: JsonObject, place: Place): Sides {
  const at = (field: string): CallSide => ({
    value: parseJsonText(value[field]),
    place: within(place, field),
    isText: typeof value[field] === 'string',
  })
  const all: CallSide[] = [at('request'), at('full_request'), at('response'), at('full_response'), { value, place }]
  const response = all.find((side) => partsOfAnswer(side.value).some(isAnswer))
  return {
    request: all.find((side) => isObject(side.value) && isContents(side.value.contents, response !== undefined)),
    response,
  }
}

/** A content, or several. Beside a response, it may be the text or the parts of the user. */
function isContents(contents: unknown, isAnswered: boolean): boolean {
  const sample = Array.isArray(contents) ? sampleOf(contents) : [contents]
  if (sample.some((each) => isObject(each) && Array.isArray(each.parts))) return true
  return isAnswered && sample.some((each) => typeof each === 'string' || isGeminiPart(each))
}

/** True for a response. One to a prompt that was blocked has no candidates. */
const isAnswer = ({ candidates, promptFeedback }: JsonObject) =>
  Array.isArray(candidates) || textOf(asObject(promptFeedback).blockReason) !== undefined

/** The response, or the parts in which it was streamed. */
const partsOfAnswer = (response: unknown): JsonObject[] => (isObject(response) ? [response] : objectsOf(response))

/** The id that the parts of a streamed answer share. */
function idOfChunk(value: unknown): string | undefined {
  const { candidates, responseId, response_id: snake } = asObject(value)
  if (!Array.isArray(candidates) || sidesIn(asObject(value), startOfFile).request) return undefined
  return textOf(responseId ?? snake)
}

const requestFields = wordsOf(`generationConfig generation_config safetySettings safety_settings toolConfig tool_config
  cachedContent cached_content labels`)
const answerFields = wordsOf(`groundingMetadata grounding_metadata citationMetadata citation_metadata urlContextMetadata
  url_context_metadata safetyRatings safety_ratings`)

function readRecord(value: JsonObject, place: Place, context: ReaderContext): ConversationDraft[] {
  const sides = sidesIn(value, place)
  if (sides.request ?? sides.response) return readCall(sides, value, place, context)
  context.report(`expected ${geminiApi.accepts}; found ${describe(value)}`, place)
  return []
}

function readCall(
  { request, response }: Sides,
  row: JsonObject,
  place: Place,
  context: ReaderContext,
): ConversationDraft[] {
  const parts = partsOfAnswer(response?.value)
  const answer = response && { ...response, value: parts.length > 1 ? joined(parts) : parts[0] }
  const asked = asObject(request?.value)
  const answered = asObject(answer?.value)
  const candidates = objectsOf(answered.candidates)
  const answering = candidates.find(({ content }) => isObject(content)) ?? candidates[0]
  return draftsOfCall({ request, response: answer, place }, context, (conversation, other) => {
    const { losses } = conversation
    if (parts.length > 1) losses.note(parts.flatMap(partsIn).map(({ text }) => text))
    losses.dropFields(asked, requestFields)
    const candidate = other ? candidates.find(({ content }) => content === other.value) : answering
    const counted = context.options.branches ? [candidate ?? {}] : candidates
    for (const each of counted) losses.dropFields(each, answerFields)
    const reason = candidate?.finishReason ?? candidate?.finish_reason ?? asObject(answered.promptFeedback).blockReason
    conversation.addEnd({ finish_reason: reason }, answer?.place ?? place)
    const head = usualHead(row, losses)
    const model = textOf(answered.modelVersion ?? answered.model_version) ?? textOf(asked.model) ?? head.modelName
    const [id, responseId] = [idOfRow(row), textOf(answered.responseId ?? answered.response_id)]
    return {
      name: head.name,
      modelName: model,
      externalId: id ?? responseId,
      sourceTimestamp: conversation.time(
        answered.createTime ?? answered.create_time ?? row.processed_time ?? row.logging_time ?? head.at,
      ),
      metadata: { ...(id && responseId && { response_id: responseId }), ...metadataIn(row, losses) },
    }
  })
}

const idOfRow = (value: JsonObject) =>
  [value.key, asObject(value.metadata).key, value.request_id, value.id].map(textOf).find((id) => id !== undefined)

/** One response of the parts in which it was streamed: texts that follow each other are one text. */
function joined(chunks: readonly JsonObject[]): JsonObject {
  const parts: JsonObject[] = []
  for (const chunk of chunks) {
    for (const part of partsIn(chunk)) {
      const last = parts.at(-1)
      const isMore = typeof last?.text === 'string' && typeof part.text === 'string' && last.thought === part.thought
      if (isMore) parts[parts.length - 1] = { ...last, ...part, text: `${last.text}${part.text}` }
      else parts.push(part)
    }
  }
  const last = chunks.at(-1) ?? {}
  return { ...last, candidates: [{ ...objectsOf(last.candidates)[0], content: { role: 'model', parts } }] }
}

const partsIn = (chunk: JsonObject) => objectsOf(asObject(objectsOf(chunk.candidates)[0]?.content).parts)

/** The reason why a row of a batch has no answer; undefined for any other record. */
function failureIn(value: JsonObject): string | undefined {
  const { response, error = asObject(response).error, status } = value
  if (sidesIn(value, startOfFile).response) return undefined
  const isRow = 'key' in value || 'response' in value
  const { code, message } = asObject(error)
  if (!isRow || !(isObject(error) || textOf(error) || textOf(status))) return undefined
  return failedRequest(idOfRow(value), code, message, textOf(error), textOf(status))
}
