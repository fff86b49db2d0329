import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { describe, isObject, type JsonObject, objectsOf, textOf, wordMap, wordSet } from '../../json/index.js'
import { type Losses, type Place, reasons } from '../../model/index.js'
import { type MessageShape, roleIn } from '../format.js'

/** A message of an Inspect log: calls have their tool in `function`, and objects as arguments. */
export const inspectMessage: MessageShape = {
  score(value) {
    if (!isObject(value) || !inspectRole.has(value.role) || value.content === undefined) return 0
    const isOwn = [value, ...objectsOf(value.tool_calls)].some((holder) => typeof holder.function === 'string')
    return isOwn ? 0.95 : 0.4
  },
  add: addMessage,
}

const inspectRole = wordMap({ system: 'system', user: 'user', assistant: 'assistant', tool: 'tool' })

const inspectFields = wordSet('id role content source model tool_call_id function')

function addMessage(message: unknown, place: Place, conversation: ConversationBuilder): void {
  if (!isObject(message))
    return conversation.report(`expected a message with role and content; found ${describe(message)}`, place)
  const role = roleIn(message, inspectRole, place, conversation)
  if (role === undefined) return
  conversation.losses.addFields(message, inspectFields, 'message ')
  // A prefilled answer is not from the model.
  const isPrefilled = message.role === 'assistant' && message.source === 'input'
  const context: MessageContext = {
    place,
    model: message.model,
    message,
    metadata: isPrefilled ? { source: 'input' } : {},
  }
  if (role === 'tool') return addResult(message, context, conversation)
  if (message.error !== undefined) conversation.losses.addField('error', message.error, 'message ')
  const parts = Array.isArray(message.content) ? message.content : [message.content]
  for (const part of parts) {
    if (isObject(part) && part.type === 'tool_use') addToolUse(part, context, conversation)
    else if (part !== '') conversation.addMessage(role, [part], context)
  }
  const flaws = flawsOf(message, conversation.losses)
  const metadata = flaws === undefined ? context.metadata : { ...context.metadata, parse_error: flaws }
  const calls = objectsOf(message.tool_calls).map((call) => ({
    id: call.id,
    name: call.function,
    args: call.arguments,
  }))
  conversation.addToolCalls(calls, { ...context, metadata }, role)
}

const longest = 500

/** The parse errors of calls, usually with the output of the model. */
function flawsOf({ tool_calls: calls }: JsonObject, losses: Losses): string | undefined {
  const flaws = objectsOf(calls)
    .flatMap((call) => textOf(call.parse_error) ?? [])
    .join('\n')
  losses.noteEach(objectsOf(calls).map((call) => call.parse_error))
  if (flaws.length > longest) losses.add('cut', `parse_error over ${longest} characters`, reasons.shortMetadata)
  return flaws === '' ? undefined : flaws.slice(0, longest)
}

/** A failed tool has its error in `error`, usually without content. */
function addResult(message: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const error = isObject(message.error) ? message.error : undefined
  const isEmpty = message.content === '' || message.content === null || message.content === undefined
  const output = isEmpty && error ? error.message : message.content
  const unread = error && !isEmpty && { error: error.message }
  const metadata = { ...context.metadata, ...(error && { error_type: error.type }), ...unread }
  const result = { id: message.tool_call_id, name: message.function, output, error: error !== undefined }
  conversation.addToolResult(result, { ...context, message: undefined, metadata })
}

/** A tool run by the provider: call and result in one part. */
function addToolUse(part: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  conversation.addToolCalls([{ id: part.id, name: part.name, args: part.arguments }], context)
  const failed = textOf(part.error)
  if (part.result === undefined && failed === undefined) return
  const output = textOf(part.result) ?? failed ?? part.result
  const result = { id: part.id, output, error: failed !== undefined }
  conversation.addToolResult(result, { ...context, message: undefined, metadata: {} })
}
