import type { ConversationBuilder, MessageContext, ToolCallInput } from '../../conversation/index.js'
import { asObject, describe, isObject, type JsonObject, objectsOf, textOf, wordMap, wordSet } from '../../json/index.js'
import { type Place, within } from '../../model/index.js'
import type { MessageShape } from '../format.js'
import { usualMessage, usualMessageFields } from '../message-list.js'
import { callsOf } from './openai.js'

/** A LangChain message: flat, under `data`, a serialized constructor (`lc`), a chunk, or a pair of type and text. */
export const langchainMessage: MessageShape = {
  score(value) {
    const message = unwrap(value)
    if (message === undefined) return 0
    if (Array.isArray(value)) return 0.6
    const { additional_kwargs: kwargs, response_metadata: context, tool_call_id: id } = message.fields
    if (message.wrapped || kwargs !== undefined || context !== undefined) return 0.95
    return message.type === 'human' || message.type === 'ai' || id !== undefined ? 0.9 : 0.4
  },
  add: addMessage,
}

interface Unwrapped {
  type: string
  fields: JsonObject
  /** It has an envelope that only LangChain uses. */
  wrapped: boolean
}

const langchainRole = wordMap({
  user: 'human user',
  assistant: 'ai assistant',
  system: 'system developer',
  tool: 'tool function',
})

/** Types with the role in a separate field. */
const generic = new Set(['chat', 'generic'])
const types = new Set(['human', 'ai', 'system', 'tool', 'function', 'remove', ...generic])

function unwrap(value: unknown): Unwrapped | undefined {
  if (Array.isArray(value)) return ofPair(value)
  if (!isObject(value)) return undefined
  const { lc, kwargs, id, type, data } = value
  if (typeof lc === 'number' && isObject(kwargs) && Array.isArray(id)) {
    const name = typeOf(id.at(-1))
    return name === undefined ? undefined : { type: name, fields: kwargs, wrapped: true }
  }
  const name = typeOf(type)
  if (name !== undefined && isObject(data) && 'content' in data) return { type: name, fields: data, wrapped: true }
  const hasContent = value.content !== undefined || name === 'remove'
  if (name !== undefined && hasContent) return { type: name, fields: value, wrapped: false }
  const hasMark = isObject(value.additional_kwargs) || isObject(value.response_metadata)
  if (typeof value.role === 'string' && hasMark && hasContent) return { type: 'chat', fields: value, wrapped: false }
  return undefined
}

function ofPair(pair: readonly unknown[]): Unwrapped | undefined {
  const [type, content] = pair
  if (pair.length !== 2 || typeof type !== 'string' || !langchainRole.has(type)) return undefined
  if (typeof content !== 'string' && !Array.isArray(content)) return undefined
  return { type: 'chat', fields: { role: type, content }, wrapped: false }
}

/** `ai` for `ai`, `AIMessage` and `AIMessageChunk`. */
function typeOf(name: unknown): string | undefined {
  if (typeof name !== 'string' || name.length > 40) return undefined
  if (types.has(name)) return name
  const type = name.replace(/Message(Chunk)?$/, '').toLowerCase()
  return types.has(type) ? type : undefined
}

const read = wordSet(
  `type role content id name example tool_calls tool_call_id tool_call_chunks invalid_tool_calls status
  chunk_position additional_kwargs response_metadata usage_metadata`,
  usualMessageFields,
)

function addMessage(value: unknown, place: Place, conversation: ConversationBuilder): void {
  const message = unwrap(value)
  if (message === undefined) {
    return conversation.report(`expected a message of type human, ai, system or tool; found ${describe(value)}`, place)
  }
  const { type, fields } = message
  if (Array.isArray(value)) conversation.losses.note(value[0])
  if (type === 'remove') return conversation.losses.dropValue(value, 'removal of a message')
  const role = langchainRole.get(generic.has(type) ? fields.role : type)
  if (role === undefined) {
    return conversation.report(
      `expected a role of human, ai, system or tool; found ${describe(fields.role)}`,
      within(place, 'role'),
    )
  }
  conversation.losses.addFields(fields, read, 'message ')
  const name = role === 'tool' ? undefined : textOf(fields.name)
  const metadata = name === undefined ? undefined : { name }
  const { at, model } = usualMessage(fields, role, conversation.losses)
  const facts = asObject(fields.response_metadata)
  const context: MessageContext = { place, at, model: facts.model_name ?? facts.model ?? model, metadata }
  if (role === 'tool') {
    const { tool_call_id: id, name, content: output, status } = fields
    return conversation.addToolResult({ id, name, output, error: status === 'error' }, context)
  }
  if (role === 'assistant') {
    addAnswer(fields, context, conversation)
    conversation.addEnd({ finish_reason: facts.finish_reason ?? facts.stop_reason }, place)
  } else conversation.addMessage(role, fields.content, context)
}

function addAnswer(fields: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const parts = Array.isArray(fields.content) ? fields.content : [fields.content]
  const extra = asObject(fields.additional_kwargs)
  const own = { ...context, message: fields }
  const thought = textOf(extra.reasoning_content)
  const refusal = textOf(extra.refusal)
  conversation.addMessage(
    'assistant',
    parts.filter((part) => !isCall(part) && part !== ''),
    own,
  )
  if (refusal !== undefined && !parts.some((part) => isRefusal(part, refusal)))
    conversation.addMessage('assistant', refusal, own)
  if (thought !== undefined) conversation.addThinking(thought, own)
  // The same calls stand in up to three places; the first with any counts.
  const places = [callsIn(fields), callsOf(extra), parts.filter(isCall).map(callOfPart)]
  conversation.addToolCalls(places.find((calls) => calls.length > 0) ?? [], own)
}

/** The content may repeat the refusal. */
function isRefusal(part: unknown, refusal: string): boolean {
  return isObject(part) ? part.refusal === refusal || part.text === refusal : part === refusal
}

function callsIn({ tool_calls: calls, invalid_tool_calls: invalid }: JsonObject): ToolCallInput[] {
  return [...objectsOf(calls), ...objectsOf(invalid)].flatMap((call) =>
    'args' in call ? { id: call.id, name: call.name, args: call.args } : callsOf({ tool_calls: [call] }),
  )
}

/** Streamed pieces of arguments (`input_json_delta`) are no longer needed in a complete call. */
const callTypes = wordSet('tool_use tool_call function_call server_tool_use server_tool_call input_json_delta')

function isCall(part: unknown): part is JsonObject {
  return isObject(part) && callTypes.has(part.type)
}

function callOfPart(part: JsonObject): ToolCallInput {
  return { id: part.call_id ?? part.id, name: part.name, args: part.input ?? part.args ?? part.arguments }
}
