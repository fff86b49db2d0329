import {
  type CallSide,
  defineFormat,
  type FoundConversation,
  geminiMessage,
  isGeminiPart,
  joinedDetails,
  messagesOfCall,
  scoreOfList,
  usualFacts,
} from '../../contract/index.js'
import { parseJsonText } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, objectsOf, sampleOf, textOf, wordsOf } from '../../json/index.js'
import { type Place, type Placed, startOfFile, within } from '../../model/index.js'

/** Requests and responses of the Gemini API and of Vertex AI: logs, batches, tuning sets, streams, histories of a chat. */
export const geminiApi = defineFormat({
  id: 'gemini-api',
  title: 'Gemini API and Vertex AI',
  accepts:
    '{ "request": { "contents": [{ "role", "parts" }] }, "response": { "candidates": [{ "content" }] } }, one of these alone, or a list of contents',
  fields: 'contents candidates request response full_request full_response parts key error',
  signature(value) {
    if (!isObject(value)) return scoreOfList(value, geminiMessage.score)
    const { request, response } = sidesIn(value, startOfFile)
    if (request ?? response) return 0.95
    return failureIn(value) === undefined ? geminiMessage.score(value) : 0.1
  },
  rows: { id: idOfChunk, join: joinChunks },
  conversations: (row, place) => {
    if (isContent(row) || idOfChunk(row) !== undefined) return undefined
    return [failureIn(row) === undefined ? readCall(sidesIn(row, place), row) : { value: { row }, messages: [] }]
  },
  conversation: {
    name: usualFacts.name.map((field) => `row.${field}`),
    modelName: [
      'answered.modelVersion',
      'answered.model_version',
      'asked.model',
      ...usualFacts.modelName.map((field) => `row.${field}`),
    ],
    externalId: ({ row, answered }) => idOfRow(asObject(row)) ?? idOfAnswer(asObject(answered)),
    sourceTimestamp: [
      'answered.createTime',
      'answered.create_time',
      ...['processed_time', 'logging_time', ...usualFacts.sourceTimestamp].map((field) => `row.${field}`),
    ],
    metadata: ({ row, answered }) => {
      const [id, answer] = [idOfRow(asObject(row)), idOfAnswer(asObject(answered))]
      return { ...(id && answer && { response_id: answer }), ...asObject(asObject(row).metadata) }
    },
  },
  shape: 'any',
  end: {
    finish_reason: ['candidate.finishReason', 'candidate.finish_reason', 'answered.promptFeedback.blockReason'],
  },
  failure: ({ row }) => failureIn(asObject(row)),
  // The model that was asked for, if another answered.
  structure: 'model key mode outcome language finishReason finish_reason responseMimeType',
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

/** A call, or its record if it has no message of the user. */
function readCall({ request, response }: Sides, row: JsonObject): FoundConversation {
  const parts = partsOfAnswer(response?.value)
  const answer = response && { ...response, value: parts.length > 1 ? joined(parts) : parts[0] }
  const found = request || answer ? messagesOfCall({ request, response: answer }) : undefined
  const asked = asObject(request?.value)
  const answered = asObject(answer?.value)
  const candidates = objectsOf(answered.candidates)
  const value = { row, asked, answered }
  if (found === undefined) return { value }
  return {
    ...found,
    value: { ...value, candidate: candidates.find(({ content }) => isObject(content)) ?? candidates[0] },
    messages: (losses) => {
      if (parts.length > 1) losses.noteEach(parts.flatMap(partsIn).map(({ text }) => text))
      losses.dropFields(asked, requestFields)
      for (const each of candidates) losses.dropFields(each, answerFields)
      return found.messages(losses)
    },
    alternatives: found.alternatives.map((other) => {
      const content = other.messages.at(-1)?.value
      return { ...other, value: { ...value, candidate: candidates.find((each) => each.content === content) } }
    }),
  }
}

/** The call of an answer that was streamed in records of its own. */
function joinChunks(messages: readonly Placed[]): FoundConversation | undefined {
  const chunks = messages.flatMap(({ value }) => (idOfChunk(value) === undefined ? [] : [value]))
  const [first] = messages
  if (chunks.length === 0 || first === undefined) return undefined
  return readCall({ request: undefined, response: { value: chunks, place: first.place } }, {})
}

const idOfAnswer = ({ responseId, response_id: id = responseId }: JsonObject) => textOf(id)

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
  const roles = chunks.flatMap((chunk) => contentIn(chunk).role ?? [])
  const content = { role: roles.find((role) => role !== 'model') ?? 'model', parts }
  return { ...last, candidates: [{ ...objectsOf(last.candidates)[0], content }] }
}

const contentIn = (chunk: JsonObject) => asObject(objectsOf(chunk.candidates)[0]?.content)
const partsIn = (chunk: JsonObject) => objectsOf(contentIn(chunk).parts)

/** The reason why a row of a batch has no answer; undefined for any other record. */
function failureIn(value: JsonObject): string | undefined {
  const { response, error = asObject(response).error, status } = value
  if (sidesIn(value, startOfFile).response) return undefined
  const isRow = 'key' in value || 'response' in value
  const { code, message } = asObject(error)
  if (!isRow || !(isObject(error) || textOf(error) || textOf(status))) return undefined
  return joinedDetails(code, message, textOf(error), textOf(status))
}
