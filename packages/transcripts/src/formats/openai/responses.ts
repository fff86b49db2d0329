import {
  conversationOf,
  type Format,
  type ReaderContext,
  readerOfLists,
  scoreOfList,
  usualHead,
  usualHeadFields,
} from '../../contract/index.js'
import { metadataIn } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, sampleOf, textOf, wordSet } from '../../json/index.js'
import { responsesItem } from '../../messages/index.js'
import {
  type ConversationDraft,
  elementsOf,
  fieldsOf,
  type Losses,
  type Place,
  reasons,
  startOfFile,
  within,
} from '../../model/index.js'
import { isRunState, type ResponsesLog, responsesLogIn } from './responses-log.js'

/** Responses interface: stored responses with their input, pages of a list, run states of agents. */
export const openaiResponses: Format<'openai-responses'> = {
  id: 'openai-responses',
  title: 'OpenAI Responses',
  accepts:
    '[{ "type": "message" | "function_call" | "function_call_output" | … }], { "input", "output" }, a stored response, or the state of an agent\'s run',
  fields: ['input', 'output', 'call_id', 'instructions', 'previous_response_id', '$schemaVersion', 'generated_items'],
  found: 'application logs; stored responses and conversations; batch files; run states of the Agents SDK',
  keeps: 'instructions (a system turn), model, time, user, ids, metadata, hosted tool calls',
  loses:
    'encrypted reasoning, tool definitions, request settings, token counts; messages before the response that `previous_response_id` names',
  detect(value) {
    if (Array.isArray(value)) return scoreOfItems(value)
    if (!isObject(value)) return 0
    const log = responsesLogIn(value, startOfFile) ?? onlyPageOf(value)
    if (log === undefined) return responsesItem.score(value)
    const isMarked = value.object === 'response' || value.object === 'list' || isRunState(value)
    return isMarked || log.response.object === 'response' ? 0.95 : 0.9
  },
  reader(notes) {
    const wholeIn = (value: JsonObject, place: Place) => {
      const drafts = readLogs(value, place, notes)
      return drafts && (() => drafts)
    }
    return readerOfLists(openaiResponses, notes, { wholeIn }, ({ messages, place }) =>
      conversationOf(messages, responsesItem, notes).build({ place }),
    )
  },
}

/** One unambiguous item decides for the whole list. */
function scoreOfItems(list: readonly unknown[]): number {
  const score = scoreOfList(list, responsesItem.score)
  return score > 0 && sampleOf(list).some((item) => responsesItem.score(item) > 0.9) ? 0.95 : score
}

function onlyPageOf({ object, data }: JsonObject): ResponsesLog | undefined {
  const first: unknown = object === 'list' && Array.isArray(data) ? data[0] : undefined
  return isObject(first) ? responsesLogIn(first, startOfFile) : undefined
}

/** The conversations of a record; undefined if it is an item. */
function readLogs(value: JsonObject, place: Place, notes: ReaderContext): ConversationDraft[] | undefined {
  const log = responsesLogIn(value, place)
  if (log) return [readLog(log, value, place, notes)]
  if (!onlyPageOf(value)) return undefined
  return elementsOf(value.data, within(place, 'data')).flatMap(({ value: each, place: at }) => {
    const one = isObject(each) ? responsesLogIn(each, at) : undefined
    return one && isObject(each) ? readLog(one, each, at, notes) : []
  })
}

function readLog(log: ResponsesLog, fields: JsonObject, place: Place, notes: ReaderContext): ConversationDraft {
  const { request, response, instructions, input, output } = log
  const conversation = conversationOf([...instructions, ...(input ?? []), ...output], responsesItem, notes)
  if (input === undefined) conversation.losses.drop('prompt', reasons.notInFile)
  if (log.repeated) conversation.losses.add('merged', 'repeated item', reasons.repeated, log.repeated)
  const previous = textOf(response.previous_response_id) ?? textOf(request.previous_response_id)
  if (previous !== undefined) {
    conversation.losses.drop('earlier part of the conversation', reasons.notInFile)
  }
  if (fields.has_more === true) conversation.losses.drop('other page of the list', reasons.notInFile)
  const { error, incomplete_details: incomplete } = response
  if (isObject(error)) conversation.addMetadata({ error: textOf(error.message) ?? 'unknown' })
  if (isObject(incomplete)) conversation.addMetadata({ finish_reason: textOf(incomplete.reason) ?? 'incomplete' })
  if (!isRunState(fields)) countFields(fields, log, conversation.losses)
  const own = metadataIn(response, conversation.losses)
  const metadata = own ?? (request === response ? undefined : metadataIn(request, conversation.losses))
  const head = usualHead(fields, conversation.losses)
  return conversation.build({
    name: head.name,
    modelName: textOf(response.model) ?? textOf(request.model) ?? head.modelName,
    externalId: idOf(log, fields),
    externalUserId: textOf(request.user) ?? textOf(response.user),
    metadata: { ...metadata, ...(previous && { previous_response_id: previous }) },
    sourceTimestamp: conversation.time(response.created_at ?? request.created_at ?? head.at),
    place,
  })
}

function countFields(fields: JsonObject, log: ResponsesLog, losses: Losses): void {
  const { request, response, sides, envelopes = [] } = log
  const count = (object: JsonObject, read: ReadonlySet<string>) => {
    for (const key in object) if (!knownFields.has(key) && !read.has(key)) losses.addField(key, object[key])
    losses.addTexts(object, settingFields)
  }
  count(fields, sides)
  if (response !== fields) count(response, ofResponse)
  if (request !== fields && request !== response) count(request, ofRequest)
  for (const side of envelopes) losses.addTexts(fields[side], envelopeFields, `${side} `)
}

/** Settings that are objects; a text in their place is not read. */
const settingFields = fieldsOf('*', {
  text: fieldsOf('format verbosity'),
  reasoning: fieldsOf('effort summary generate_summary context'),
  error: fieldsOf('code message type param'),
})
const ofRequest = new Set(['input'])
const ofResponse = new Set(['output'])
const envelopeFields = fieldsOf('body status_code request_id status headers method url')

function idOf({ request, response }: ResponsesLog, fields: JsonObject): string | undefined {
  const conversation = 'conversation' in response ? response.conversation : request.conversation
  const trace = 'trace' in response ? response.trace : request.trace
  return (
    textOf(fields.custom_id) ??
    (isObject(conversation) ? textOf(conversation.id) : textOf(conversation)) ??
    textOf(fields.conversation_id) ??
    textOf(response.id) ??
    textOf(fields.id) ??
    textOf(asObject(trace).id)
  )
}

/** The fields that are read, and settings and counts without content. */
const knownFields = wordSet(`${usualHeadFields.join(' ')} instructions user metadata id object completed_at conversation
  conversation_id custom_id method url error incomplete_details previous_response_id status usage first_id last_id
  has_more parallel_tool_calls temperature tool_choice top_p background max_output_tokens max_tool_calls prompt
  prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier text top_logprobs truncation billing
  store stream include frequency_penalty presence_penalty moderation output_text`)
