import {
  anthropicMessage,
  defineFormat,
  type Format,
  marksOf,
  openaiMessage,
  type ReaderContext,
  readerOfLists,
  scoreOfList,
  uploadHead,
  uploadHeadFields,
  usualHead,
  usualHeadFields,
} from '../../contract/index.js'
import { ConversationBuilder, metadataIn } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, sampleOf, textOf, wordSet, wordsOf } from '../../json/index.js'
import { type ConversationDraft, type Losses, type Place, type Placed, reasons } from '../../model/index.js'
import { type Exchange, exchangeIn, failureIn, summaryOf, systemFieldOf } from './exchange.js'

export const openaiChat: Format<'openai-chat'> = defineFormat({
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
  reader(context) {
    const wholeIn = (value: JsonObject, place: Place) => {
      const exchange = exchangeIn(value, place)
      return exchange && (() => readExchange(exchange, context))
    }
    return readerOfLists(openaiChat, context, { wholeIn, failureIn }, ({ messages, place }) =>
      readList(messages, context).build({ place }),
    )
  },
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
/** The older completions have text answers. */
const textFields = wordSet(factNames)
const responseFields = wordSet(`${factNames} message messages role content text`)
/** The fields of a record that are read or describe the request. Those with the question or the answer are read too. */
const recordFields = wordSet(
  `${[...usualHeadFields, ...uploadHeadFields].join(' ')} id custom_id method url preferred_output non_preferred_output`,
)

function readList(messages: readonly Placed[], context: ReaderContext): ConversationBuilder {
  const conversation = new ConversationBuilder(context)
  for (const { value, place } of messages) openaiMessage.add(value, place, conversation)
  return conversation
}

function readExchange(exchange: Exchange, context: ReaderContext): ConversationDraft[] {
  const { answers } = exchange
  const others = answers.slice(1)
  const main = readAnswer(exchange, answers[0] ?? [], context)
  if (!context.options.branches && others.length > 0) {
    main.losses.drop('other answer', reasons.branches, others.length)
    main.losses.noteAll(others.flat().map(({ value }) => value))
  }
  main.losses.noteAll(exchange.repeated.map(({ value }) => value))
  countFields(exchange, main.losses)
  const drafts = [main.build(factsOf(exchange, main))]
  for (const [index, answer] of (context.options.branches ? others : []).entries()) {
    const conversation = readAnswer(exchange, answer, context)
    const facts = factsOf(exchange, conversation)
    const id = facts.externalId === undefined ? undefined : `${facts.externalId}/${index + 2}`
    drafts.push(conversation.build({ ...facts, externalId: id, metadata: { ...facts.metadata, branch: index + 2 } }))
  }
  return drafts
}

function readAnswer(
  { prompt, finish, place }: Exchange,
  answer: Placed[],
  context: ReaderContext,
): ConversationBuilder {
  const isCopy = answer.length === 1 && isSame(prompt?.at(-1)?.value, answer[0]?.value)
  const conversation = readList(
    isCopy || answer.length === 0 ? (prompt ?? []) : [...(prompt ?? []), ...answer],
    context,
  )
  const copy = asObject(answer[0]?.value)
  if (isCopy) conversation.losses.noteAll([copy.content, copy.tool_calls])
  if (prompt === undefined) conversation.losses.drop('prompt', reasons.notInFile)
  conversation.addEnd({ finish_reason: finish }, answer[0]?.place ?? place)
  return conversation
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
  const { choices } = response
  const hasMessage = Array.isArray(choices) && choices.some((choice) => isObject(choice) && choice.message)
  const known = hasMessage ? choiceFields : Array.isArray(choices) ? textFields : responseFields
  if (response !== fields && response !== answers[0]?.[0]?.value) losses.addFields(response, known)
}

function factsOf({ record: fields, place, request, response }: Exchange, conversation: ConversationBuilder) {
  const { model } = request
  const modelId = isObject(model) ? textOf(model.id) : textOf(model)
  if (isObject(model)) conversation.losses.addField('name', model.name, 'model ', reasons.noField)
  const head = usualHead(isObject(fields.model) ? { ...fields, model: modelId } : fields, conversation.losses)
  const own = uploadHead(fields, conversation.losses)
  const id = textOf(fields.custom_id) ?? textOf(fields.id)
  if (own.externalId !== undefined && id !== undefined) conversation.losses.addField('id', id, '', reasons.noField)
  const user = textOf(request.user)
  if (own.externalUserId !== undefined && user !== undefined)
    conversation.losses.addField('user', user, '', reasons.noField)
  return {
    name: head.name,
    modelName: textOf(response.model) ?? modelId ?? head.modelName,
    language: own.language,
    sourceSystem: own.sourceSystem,
    externalId: own.externalId ?? id ?? textOf(request.id) ?? textOf(response.id),
    externalUserId: own.externalUserId ?? user,
    metadata: metadataIn(request, conversation.losses),
    sourceTimestamp: conversation.time(response.created ?? response.created_at ?? head.at),
    place,
  }
}
