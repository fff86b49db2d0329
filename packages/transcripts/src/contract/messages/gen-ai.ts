import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import {
  asObject,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  sampleOf,
  textOf,
  wordMap,
} from '../../json/index.js'
import type { Place, Role } from '../../model/index.js'
import { type MessageShape, roleIn } from '../format.js'

/** A message of the OpenTelemetry GenAI conventions: `{ role, parts: [{ type, … }] }`. */
export const genAiMessage: MessageShape = {
  score(value) {
    if (!isObject(value) || !genAiRole.has(value.role) || !Array.isArray(value.parts)) return 0
    if (value.parts.length === 0) return 0.3
    return objectsOf(sampleOf(value.parts)).some(isOwn) ? 0.95 : 0
  },
  add: addMessage,
}

const genAiRole = wordMap({ system: 'system developer', user: 'user', assistant: 'assistant model', tool: 'tool' })

/** Parts of other providers have their text in `text`. */
function isOwn({ type, content, name, id, response, result, modality, mime_type: mime }: JsonObject): boolean {
  if (type === 'text' || type === 'reasoning') return typeof content === 'string'
  if (isCall(type)) return typeof name === 'string'
  if (isAnswer(type)) return id !== undefined || response !== undefined || result !== undefined
  const isMedia = type === 'blob' || type === 'file' || type === 'uri'
  return isMedia && (modality !== undefined || mime !== undefined || content !== undefined)
}

function isCall(type: unknown): boolean {
  return type === 'tool_call' || type === 'server_tool_call'
}

function isAnswer(type: unknown): boolean {
  return type === 'tool_call_response' || type === 'server_tool_call_response'
}

const answers = ['response', 'result', 'server_tool_call_response']
const genAiFields = new Set(['role', 'parts', 'name', 'finish_reason'])

function addMessage(message: unknown, place: Place, conversation: ConversationBuilder): void {
  if (!isObject(message) || !Array.isArray(message.parts)) {
    return conversation.report(`expected a message with role and parts; found ${describe(message)}`, place)
  }
  const role = roleIn(message, genAiRole, place, conversation)
  if (role === undefined) return
  conversation.losses.addFields(message, genAiFields, 'message ')
  const name = textOf(message.name)
  const context = { place, message, metadata: name === undefined ? {} : { name } }
  for (const part of message.parts) addPart(part, role, context, conversation)
  if (message.parts.length === 0) conversation.addMessage(role, '', context)
  if (role === 'assistant') conversation.addEnd({ finish_reason: message.finish_reason }, place)
}

/** A text in a tool message is a result without an id. */
function addPart(part: unknown, role: Role, context: MessageContext, conversation: ConversationBuilder): void {
  const fields = asObject(part)
  if (isCall(fields.type)) {
    const call = isObject(fields.server_tool_call) ? fields.server_tool_call : fields
    return conversation.addToolCalls([{ id: fields.id, name: fields.name, args: call.arguments }], context, role)
  }
  if (isAnswer(fields.type)) {
    conversation.losses.addOthers(fields, answers, 'part ')
    const output = fields.response ?? fields.result ?? fields.server_tool_call_response
    return conversation.addToolResult({ id: fields.id, name: fields.name, output }, { ...context, message: undefined })
  }
  if (role === 'tool')
    return conversation.addToolResult({ output: textOf(fields.content) ?? part }, { ...context, message: undefined })
  conversation.addMessage(role, [part], context)
}
