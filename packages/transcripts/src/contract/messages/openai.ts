import type { ConversationBuilder, MessageContext, ToolCallInput } from '../../conversation/index.js'
import {
  asList,
  asObject,
  defined,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  textOf,
  wordMap,
  wordSet,
  wordsOf,
} from '../../json/index.js'
import { type Place, type Role, roles, within } from '../../model/index.js'
import { type MessageShape, roleIn } from '../format.js'
import { usualMessage, usualMessageFields } from '../message-list.js'
import { isConversePart } from './converse.js'

export const openaiMessage: MessageShape = {
  score(value) {
    const marks = marksOf(value)
    if (marks === undefined) return 0
    if (isObject(value) && !openaiRole.has(value.role)) return 0.2
    const parts = isObject(value) ? objectsOf(value.content).slice(0, 10) : []
    if (parts.some((part) => foreignParts.has(part.type) || isConversePart(part))) return 0
    // Anthropic has the same text parts; the messages beside this one decide.
    if (parts.length > 0 && parts.every(({ type }) => type === 'text') && isObject(value) && !hasChat(value)) return 0.6
    if (marks.chat) return marks.native ? 0.4 : 0.9
    return marks.native ? 0 : 0.5
  },
  add: addMessage,
}

const openaiRole = wordMap({ system: 'system developer', user: 'user', assistant: 'assistant', tool: 'tool function' })

const openaiFields = wordSet(
  `role content refusal name weight tool_calls tool_call_id reasoning_content reasoning tool_plan ${usualMessageFields.join(' ')}`,
)

const foreignParts = wordSet('tool_use tool_result thinking tool-call tool-result input_text output_text')

function addMessage(message: unknown, place: Place, conversation: ConversationBuilder): void {
  if (!isReadable(message, place, conversation)) return
  const role = openaiRole.get(message.role) ?? 'user'
  conversation.losses.addFields(message, openaiFields, 'message ')
  const { at, model } = usualMessage(message, role, conversation.losses)
  const context = { place, at, model, metadata: metadataOf(message, role) }
  const content = contentOf(message)
  const thought = role === 'assistant' ? thoughtIn(message) : undefined
  if (thought !== undefined) conversation.addThinking(thought, context)
  for (const field of thoughtFields) {
    const own = thought === undefined ? undefined : thoughtIn({ [field]: message[field] })
    if (own !== undefined && thought?.includes(own)) conversation.losses.note(message[field])
  }
  if (isObject(message.audio))
    conversation.losses.dropValue(message.audio.data, 'audio part', 'uploads contain text only')
  if (role === 'tool')
    conversation.addToolResult({ id: message.tool_call_id, name: message.name, output: content }, context)
  else addAndCall(role, content, callsOf(message), context, conversation)
}

/** Calls with results come before the text beside them. */
function addAndCall(
  role: Role,
  content: unknown,
  calls: readonly FlatCall[],
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  const answered = calls.filter(({ output }) => output !== undefined)
  if (answered.length === 0) conversation.addMessage(role, content, context)
  conversation.addToolCalls(calls, context, role)
  if (answered.length === 0) return
  const { place, at } = context
  for (const { id, name, output, failure } of answered) {
    const metadata = failure === undefined || failure === output ? undefined : { error: failure }
    conversation.addToolResult({ id, name, output, error: failure !== undefined }, { place, at, metadata })
  }
  if (content !== null && content !== undefined && content !== '') conversation.addMessage(role, content, context)
}

function isReadable(message: unknown, place: Place, conversation: ConversationBuilder): message is JsonObject {
  const reject = (problem: string, ...steps: (string | number)[]) => {
    conversation.report(problem, within(place, ...steps))
    return false
  }
  if (!isObject(message)) return reject(`expected a message with role and content; found ${describe(message)}`)
  if (roleIn(message, openaiRole, place, conversation) === undefined) return false
  const { content, tool_calls: calls } = message
  if (Array.isArray(content)) {
    const index = content.findIndex(isToolPart)
    if (index === -1) return true
    const other = formatOfCalls(message)
    const hint = other === undefined ? '' : `. It looks like ${other}; name the format`
    const name = content[index].type ?? Object.keys(content[index])[0]
    const found = `found one of type "${name}", as other formats have it${hint}`
    return reject(`expected calls and results outside the content parts; ${found}`, 'content', index)
  }
  if (content !== undefined && content !== null && typeof content !== 'string') {
    return reject(`expected content that is text, null or an array of parts; found ${describe(content)}`, 'content')
  }
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) {
    return reject(`expected an array of tool calls; found ${describe(calls)}`, 'tool_calls')
  }
  return true
}

/** True for parts such as Anthropic `tool_use`: a call that would be lost as an unknown part. */
function isToolPart(part: unknown): boolean {
  return isConversePart(part) || (isObject(part) && typeof part.type === 'string' && part.type.startsWith('tool'))
}

/** The content with the refusal, else the transcript of an audio answer. */
function contentOf({ content, refusal, audio }: JsonObject): unknown {
  const refused = textOf(refusal)
  if (Array.isArray(content) ? content.length > 0 : content) {
    if (refused === undefined || content === refused) return content
    return [...(Array.isArray(content) ? content : [content]), { type: 'refusal', refusal: refused }]
  }
  if (refused !== undefined) return refused
  return isObject(audio) && typeof audio.transcript === 'string' ? audio.transcript : content
}

/** The thinking, in the fields of compatible providers; the plan of Cohere is what the model thinks before its calls. */
export function thoughtIn({
  reasoning_content,
  reasoning,
  tool_plan,
  reasoning_details: details,
}: JsonObject): string | undefined {
  const texts = [...new Set([textOf(reasoning_content), textOf(reasoning), textOf(tool_plan)])].filter(
    (each) => each !== undefined,
  )
  const text = texts.length === 0 ? undefined : texts.join('\n')
  if (text !== undefined || !Array.isArray(details) || details.length === 0) return text
  return objectsOf(details)
    .flatMap((detail) => textOf(detail.text) ?? textOf(detail.summary) ?? [])
    .join('\n')
}

const thoughtFields = ['reasoning_content', 'reasoning', 'tool_plan', 'reasoning_details']

export interface FlatCall extends ToolCallInput {
  output?: unknown
  /** The error, which is the result if there is no other. */
  failure?: string
}

const nameFields = ['name', 'tool', 'tool_name', 'toolName']
const argumentFields = ['arguments', 'args', 'input', 'tool_input']
const outputFields = ['output', 'result', 'response', 'tool_output']

/** A call with its name beside its arguments: `{ tool, input, output }`. */
export function flatCallOf(value: unknown): FlatCall | undefined {
  if (!isObject(value)) return undefined
  const name = nameFields.map((field) => textOf(value[field])).find((text) => text !== undefined)
  const args = firstOf(value, argumentFields)
  const output = firstOf(value, outputFields)
  if (name === undefined || (args === undefined && output === undefined)) return undefined
  const id = value.id ?? value.tool_call_id ?? value.toolCallId ?? value.call_id ?? undefined
  return { id, name, args: args ?? {}, ...answerOf(value) }
}

function answerOf(call: JsonObject): Pick<FlatCall, 'output' | 'failure'> {
  const output = firstOf(call, outputFields)
  const failure = textOf(call.error)
  if (failure !== undefined) return { output: output ?? failure, failure }
  return output === undefined ? {} : { output }
}

function firstOf(value: JsonObject, fields: readonly string[]): unknown {
  return fields.map((field) => value[field]).find((found) => found !== undefined && found !== null)
}

/** The calls of an assistant message: `tool_calls` (function and custom), or the older `function_call`. */
export function callsOf(message: JsonObject): readonly FlatCall[] {
  const calls = asList(message.tool_calls)
  const legacy = isObject(message.function_call) ? [{ function: message.function_call }] : []
  return [...calls, ...legacy].map((call) => {
    const outer = asObject(call)
    // The input of a custom tool is always a text.
    if (isObject(outer.custom)) return { id: outer.id, name: outer.custom.name, args: outer.custom.input, raw: true }
    const inner = isObject(outer.function) ? outer.function : undefined
    if (!inner) return flatCallOf(outer) ?? { id: outer.id, name: outer.name, args: outer.arguments }
    return { id: outer.id, name: inner.name, args: inner.arguments, ...answerOf(outer) }
  })
}

/** The name of a tool message belongs to its result. */
function metadataOf(message: JsonObject, role: Role): JsonObject | undefined {
  const { name, weight } = message
  if (name === undefined && weight === undefined && message.role !== 'developer') return undefined
  return defined<JsonObject>({
    name: role === 'tool' ? undefined : (name ?? undefined),
    weight: weight ?? undefined,
    kind: message.role === 'developer' ? 'developer' : undefined,
  })
}

/** The fields that distinguish `turns` from `openai-chat`. */
interface Marks {
  /** toolCalls, toolResults, is_user_visible, or the role human_agent. */
  native: boolean
  /**
   * tool_calls, tool_call_id, function_call, refusal, weight, content that is null or parts, role developer or
   * function.
   */
  chat: boolean
  /** The role belongs to neither format, but perhaps to a dialogue. */
  isUnknownRole: boolean
}

const knownRoles: ReadonlySet<unknown> = new Set([...roles, 'developer', 'function'])

/** The marks of a message. Undefined without a role, without content, or with fields of another provider. */
export function marksOf(value: unknown): Marks | undefined {
  if (!isObject(value) || typeof (textOf(value.role) ?? value.role) !== 'string') return undefined
  // Other programs have the content in such a field.
  if (isOfAiSdk(value) || (value.content === undefined && typeof value.text === 'string')) return undefined
  const native = nativeFields.some((field) => value[field] !== undefined)
  const chat = hasChat(value)
  if (!native && !chat && value.content === undefined) return undefined
  return {
    native: native || value.role === 'human_agent',
    chat: chat || isOfChat(value),
    isUnknownRole: !knownRoles.has(value.role),
  }
}

const nativeFields = wordsOf('toolCalls toolResults is_user_visible')
const chatFields = wordsOf('tool_calls tool_call_id function_call refusal weight')

function hasChat(message: JsonObject): boolean {
  return chatFields.some((field) => message[field] !== undefined)
}

function isOfChat({ role, content }: JsonObject): boolean {
  return role === 'developer' || role === 'function' || content === null || Array.isArray(content)
}

/** The AI SDK has other fields for calls. */
function isOfAiSdk(message: JsonObject): boolean {
  return Array.isArray(message.toolInvocations) || Array.isArray(message.experimental_attachments)
}

/** The format with such tool calls or results; undefined for a message without any. */
export function formatOfCalls(
  value: unknown,
): 'openai-chat' | 'anthropic-messages' | 'bedrock' | 'ui-messages' | undefined {
  if (!isObject(value)) return undefined
  if (isOfAiSdk(value)) return 'ui-messages'
  const { content } = value
  for (const part of asList(content)) {
    const type = isObject(part) && typeof part.type === 'string' ? part.type : ''
    if (isConversePart(part)) return 'bedrock'
    if (type === 'tool_use' || type === 'tool_result') return 'anthropic-messages'
    if (type === 'tool-call' || type === 'tool-result') return 'ui-messages'
  }
  return 'role' in value && (hasChat(value) || isOfChat(value)) ? 'openai-chat' : undefined
}
