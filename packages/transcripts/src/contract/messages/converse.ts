import type { ConversationBuilder } from '../../conversation/index.js'
import { asList, asObject, describe, isObject, objectsOf, sampleOf, wordMap, wordSet } from '../../json/index.js'
import { type Place, within } from '../../model/index.js'
import { type MessageShape, roleIn } from '../format.js'
import { addBlocks } from './anthropic.js'

/** A message of the Converse API of Amazon Bedrock: `{ role, content: [{ text }, { toolUse }, { toolResult }, …] }`. */
export const converseMessage: MessageShape = {
  score(value) {
    if (!isObject(value) || !converseRole.has(value.role) || 'tool_calls' in value) return 0
    const parts = sampleOf(value.content)
    if (parts.some(isConversePart)) return 0.95
    return parts.length > 0 && parts.every(isTextPart) ? 0.5 : 0
  },
  add: addMessage,
}

const converseRole = wordMap({ system: 'system', user: 'user', assistant: 'assistant' })

const marks = wordSet(
  'toolUse toolResult reasoningContent cachePoint guardContent citationsContent image document video audio searchResult',
)

/** True for a part that is named by its only field, and is no text, which other providers write in the same way. */
export const isConversePart = (part: unknown): boolean =>
  isObject(part) && !('type' in part) && Object.keys(part).some((key) => marks.has(key) && isObject(part[key]))

const isTextPart = (part: unknown) =>
  isObject(part) && ['string', 'number'].includes(typeof part.text) && Object.keys(part).length === 1

const converseFields = wordSet('role content')

function addMessage(message: unknown, place: Place, conversation: ConversationBuilder): void {
  if (!isObject(message))
    return conversation.report(`expected a message with role and content; found ${describe(message)}`, place)
  const role = roleIn(message, converseRole, place, conversation)
  if (role === undefined) return
  const { content } = message
  if (typeof content !== 'string' && !Array.isArray(content))
    return conversation.report(`expected an array of parts; found ${describe(content)}`, within(place, 'content'))
  conversation.losses.addFields(message, converseFields, 'message ')
  for (const part of objectsOf(content)) {
    for (const { json } of objectsOf(asObject(part.toolResult).content)) conversation.losses.noteAll(json)
  }
  addBlocks(role, Array.isArray(content) ? content.flatMap(blocksOf) : content, { place }, conversation)
}

/** A part in the form of Anthropic, which says its type. */
function blocksOf(part: unknown): unknown[] {
  if (!isObject(part)) return [part]
  const { toolUse, toolResult, reasoningContent, citationsContent, guardContent } = part
  if (isObject(toolUse)) return [{ type: 'tool_use', id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input }]
  if (isObject(toolResult)) {
    const { toolUseId: tool_use_id, status } = toolResult
    return [{ type: 'tool_result', tool_use_id, content: outputOf(toolResult.content), is_error: status === 'error' }]
  }
  if (isObject(reasoningContent)) {
    const { reasoningText } = reasoningContent
    return [{ type: 'thinking', thinking: asObject(reasoningText).text ?? '' }]
  }
  if (isObject(citationsContent)) {
    const texts = objectsOf(citationsContent.content).map(({ text }) => (typeof text === 'string' ? text : ''))
    return [{ type: 'text', text: texts.join(''), citations: citationsContent.citations }]
  }
  if (isObject(guardContent)) return [isObject(guardContent.text) ? guardContent.text : guardContent]
  if (isObject(part.cachePoint)) return []
  const kind = media.find((name) => isObject(part[name]))
  return [kind ? { ...asObject(part[kind]), type: kind } : { type: 'text', ...part }]
}

const media = ['image', 'document', 'video', 'audio']

/** The data of a result, or its parts. */
function outputOf(content: unknown): unknown {
  const parts = asList(content)
  const [first] = parts
  if (parts.length === 1 && isObject(first) && isObject(first.json)) return first.json
  return parts.flatMap((part) =>
    isObject(part) && 'json' in part ? [{ type: 'text', text: JSON.stringify(part.json) }] : blocksOf(part),
  )
}
