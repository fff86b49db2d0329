import { asList, isObject, type JsonObject, wordsOf } from '../json/index.js'
import { roles } from '../model/index.js'

/** The fields that distinguish `turns` from `openai-chat`. */
export interface Marks {
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

const knownRoles: ReadonlySet<string> = new Set([...roles, 'developer', 'function'])

/** The marks of a message. Undefined without a role, without content, or with fields of another provider. */
export function marksOf(value: unknown): Marks | undefined {
  if (!isObject(value) || typeof value.role !== 'string') return undefined
  if (isForeign(value)) return undefined
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
function isForeign(message: JsonObject): boolean {
  return Array.isArray(message.toolInvocations) || Array.isArray(message.experimental_attachments)
}

/** The format with such tool calls or results; undefined for a message without any. */
export function formatOfCalls(value: unknown): 'openai-chat' | 'anthropic-messages' | 'ui-messages' | undefined {
  if (!isObject(value)) return undefined
  if (isForeign(value)) return 'ui-messages'
  const { content } = value
  for (const part of asList(content)) {
    const type = isObject(part) && typeof part.type === 'string' ? part.type : ''
    if (type === 'tool_use' || type === 'tool_result') return 'anthropic-messages'
    if (type === 'tool-call' || type === 'tool-result') return 'ui-messages'
  }
  return 'role' in value && (hasChat(value) || isOfChat(value)) ? 'openai-chat' : undefined
}
