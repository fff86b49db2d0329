import {
  anthropicMessage,
  countOtherFacts,
  defineFormat,
  type FoundConversation,
  marksOf,
  openaiMessage,
  scoreOfList,
  uploadFacts,
  uploadHeadFields,
  usualFacts,
  usualHeadFields,
} from '../../contract/index.js'
import { asObject, isObject, type JsonObject, sampleOf, wordSet, wordsOf } from '../../json/index.js'
import { type Losses, reasons } from '../../model/index.js'
import { type Exchange, exchangeIn, failureIn, summaryOf, systemFieldOf } from './exchange.js'

export const openaiChat = defineFormat({
  id: 'openai-chat',
  isGeneric: true,
  title: 'OpenAI chat completions',
  accepts:
    '{ "messages": [{ "role", "content", "tool_calls"? }] }, that array alone, { "request": { "messages" }, "response": { "choices" } }, or the texts { "prompt", "completion" } or { "input", "output" }',
  fields: wordsOf(
    'messages choices role content tool_calls tool_call_id function_call custom_id request response body input output prompt completion answer reply',
  ),
  structure: 'url',
  signature(value) {
    if (!isObject(value)) return scoreOfList(value, openaiMessage.score)
    return scoreOfExchange(value) ?? openaiMessage.score(value)
  },
  rows: { failure: failureIn },
  conversations: (row, place) => {
    const exchange = exchangeIn(row, place)
    return exchange && [foundIn(exchange)]
  },
  conversation: {
    ...uploadFacts,
    name: usualFacts.name,
    modelName: ['response.model', 'request.model.id', 'request.model', ...usualFacts.modelName],
    externalId: ['externalId', 'external_id', 'custom_id', 'id', 'request.id', 'response.id'],
    externalUserId: [...uploadFacts.externalUserId, 'request.user'],
    sourceTimestamp: ['response.created', 'response.created_at', ...usualFacts.sourceTimestamp],
    metadata: 'request.metadata',
  },
  shape: 'openai',
  end: { finish_reason: 'finish' },
})

/** A system prompt beside the messages, or an answer in blocks, belongs to another provider. */
function scoreOfExchange(value: JsonObject): number | undefined {
  const glimpse = summaryOf(value)
  if (glimpse === undefined) return undefined
  const { request, response, prompt, isAnswered, isLog } = glimpse
  if (prompt.length > 0 && scoreOfList(prompt, openaiMessage.score) === 0) return 0
  // Dialogues have such roles.
  if (sampleOf(prompt).some((message) => marksOf(message)?.isUnknownRole)) return 0.5
  if (typeof request.system === 'string') return 0.6
  if ('system' in request || anthropicMessage.score(response) > 0.9) return 0.3
  if (prompt.length === 0 && !isAnswered) return 0.5
  return isLog ? 0.9 : 0.8
}

const requestFields = wordSet('messages system model user metadata')
const factNames = 'id object created created_at model usage system_fingerprint service_tier done'
const choiceFields = wordSet(factNames)
const responseFields = wordSet(`${factNames} message messages role content text`)
/** The fields of a record that are read or describe the request. Those with the question or the answer are read too. */
const recordFields = wordSet(
  `${[...usualHeadFields, ...uploadHeadFields].join(' ')} id custom_id method url preferred_output non_preferred_output`,
)

const externalUserId = [...uploadFacts.externalUserId, 'user']

function foundIn(exchange: Exchange): FoundConversation {
  const { record, request, response, finish, answers, place } = exchange
  const [answer = [], ...others] = answers
  const prompt = exchange.prompt ?? []
  const isCopy = answer.length === 1 && isSame(prompt.at(-1)?.value, answer[0]?.value)
  const copy = asObject(answer[0]?.value)
  return {
    value: { ...record, request, response, finish },
    messages(losses) {
      if (isCopy) losses.noteAll([copy.content, copy.tool_calls])
      if (exchange.prompt === undefined) losses.drop('prompt', reasons.notInFile)
      losses.noteAll(exchange.repeated.map(({ value }) => value))
      const { model } = request
      if (isObject(model)) losses.addField('name', model.name, 'model ', reasons.noField)
      countOtherFacts({ ...record, user: request.user }, losses, { externalUserId })
      countFields(exchange, losses)
      return isCopy ? prompt : [...prompt, ...answer]
    },
    answer: answer[0]?.place ?? place,
    alternatives: others.map((other) => ({ messages: [...prompt, ...other] })),
  }
}

/** Some logs repeat the answer among the messages. */
function isSame(last: unknown, answer: unknown): boolean {
  if (!isObject(last) || !isObject(answer) || last.role !== 'assistant' || last.content !== answer.content) return false
  return JSON.stringify(last.tool_calls ?? []) === JSON.stringify(answer.tool_calls ?? [])
}

function countFields(exchange: Exchange, losses: Losses): void {
  const { record: fields, request, response, answers, sides } = exchange
  for (const key in fields) {
    const isOfRequest = request === fields && (requestFields.has(key) || key === systemFieldOf(fields))
    const isOfResponse = response === fields && choiceFields.has(key)
    if (!recordFields.has(key) && !sides.has(key) && !isOfRequest && !isOfResponse) losses.addField(key, fields[key])
  }
  if (request !== fields) losses.addFields(request, requestFields)
  // The fields of an answer that is a message are counted with the message.
  const known = Array.isArray(response.choices) ? choiceFields : responseFields
  if (response !== fields && response !== answers[0]?.[0]?.value) losses.addFields(response, known)
}
