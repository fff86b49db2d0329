import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { asList, asObject, describe, isObject, type JsonObject, textOf, wordMap, wordSet } from '../../json/index.js'
import { ofType, reasons, within } from '../../model/index.js'
import { type MessageShape, roleIn } from '../format.js'
import { addApproval } from './approval.js'

/** An item of the Responses interface: a message, call, result or thinking. */
export const responsesItem: MessageShape = {
  score: scoreOf,
  add(value, place, conversation) {
    const at = isObject(value) ? (value.timestamp ?? value.created_at) : undefined
    addItem(value, { place, at, metadata: undefined }, conversation)
  },
}

const responsesRole = wordMap({ system: 'system developer', user: 'user', assistant: 'assistant' })

const partTypes = wordSet(
  'input_text output_text refusal input_image input_file input_audio output_audio summary_text reasoning_text encrypted_content',
)
const strong = 0.95

export function isItemType(type: unknown): boolean {
  return typeof type === 'string' && (otherTypes.has(type) || /._call(_output)?$/.test(type))
}

const otherTypes = wordSet(
  'reasoning function_call_result tool_search_output mcp_list_tools mcp_approval_request mcp_approval_response compaction item_reference',
)

function scoreOf(value: unknown): number {
  if (!isObject(value)) return 0
  const { type, role, content } = value
  if (type !== undefined && type !== 'message') return scoreOfOther(value)
  if (!responsesRole.has(role) || content === undefined || value.toolInvocations !== undefined) return 0
  if (Array.isArray(content) && content.length > 0) {
    return content.slice(0, 10).every((part) => isObject(part) && partTypes.has(part.type)) ? strong : 0
  }
  if (typeof content !== 'string' && !Array.isArray(content)) return 0
  return type === 'message' ? 0.6 : 0.3
}

function scoreOfOther(item: JsonObject): number {
  if (!isItemType(item.type) || 'message' in item) return 0
  const { type, call_id: call, callId, id, summary, encrypted_content: encrypted } = item
  if (textOf(call ?? callId) !== undefined || (textOf(id) !== undefined && type !== 'reasoning')) return strong
  return type === 'reasoning' && (Array.isArray(summary) || encrypted !== undefined) ? strong : 0.5
}

/** Add an item. Hosted tools are calls named after the item type. */
export function addItem(item: unknown, context: MessageContext, conversation: ConversationBuilder): void {
  if (!isObject(item))
    return conversation.report(`expected an item with a type or a role; found ${describe(item)}`, context.place)
  const { type } = item
  if (!isHosted(type)) conversation.losses.addFields(item, fieldsOfItem(type), 'item ')
  if (type === undefined || type === 'message') addMessage(item, context, conversation)
  else if (type === 'reasoning') {
    conversation.losses.noteEach(thoughtsIn(item).map((part) => asObject(part).text ?? part))
    conversation.addThinking(thoughtIn(item), context)
  } else if (type === 'function_call')
    conversation.addToolCalls([{ id: idOf(item), name: item.name, args: item.arguments }], context)
  else if (type === 'custom_tool_call') {
    conversation.addToolCalls([{ id: idOf(item), name: item.name, args: item.input, raw: true }], context)
  } else if (type === 'image_generation_call') addImage(item, context, conversation)
  else if (type === 'mcp_approval_request') addApprovalRequest(item, context, conversation)
  else if (type === 'mcp_approval_response') addApproval(item.approve === true, item.reason, context, conversation)
  else if (isOutput(type)) addOutput(item, context, conversation)
  else if (typeof type === 'string' && type.endsWith('_call')) addHosted(item, type, context, conversation)
  else if (typeof type === 'string') {
    const why = type === 'compaction' ? 'it is encrypted' : reasons.noField
    conversation.losses.dropValue(item, ofType('item', type), type === 'item_reference' ? reasons.notInFile : why)
  } else
    conversation.report(`expected an item whose type is a text; found ${describe(type)}`, within(context.place, 'type'))
}

const ofAll = `type id status phase call_id callId name namespace encrypted_content providerData provider_data
  created_by created_at timestamp agent caller execution acknowledged_safety_checks max_output_length end_turn`
const responsesFields = wordSet(`${ofAll} role content`)
const thoughtFields = wordSet(`${ofAll} content summary`)
const callFields = wordSet(`${ofAll} arguments`)
const customFields = wordSet(`${ofAll} input`)
const approvalFields = wordSet(`${ofAll} approval_request_id approve reason name arguments server_label`)
const outputFields = wordSet(`${ofAll} output result tools`)

function fieldsOfItem(type: unknown): ReadonlySet<string> {
  if (type === undefined || type === 'message') return responsesFields
  if (type === 'reasoning') return thoughtFields
  if (type === 'mcp_approval_request' || type === 'mcp_approval_response') return approvalFields
  return type === 'function_call' ? callFields : type === 'custom_tool_call' ? customFields : outputFields
}

/** All fields of a hosted call are arguments. */
function isHosted(type: unknown): boolean {
  if (typeof type !== 'string' || isOutput(type)) return false
  return !['message', 'reasoning', 'function_call', 'custom_tool_call'].includes(type)
}

function addMessage(item: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const role = roleIn(item, responsesRole, context.place, conversation)
  if (role === undefined) return
  const { content } = item
  const parts = Array.isArray(content) && !content.every(hasContent) ? content.filter(hasContent) : content
  for (const part of asList(content)) {
    for (const cited of asList(asObject(part).annotations)) conversation.losses.dropValue(cited, 'citation')
  }
  if (item.role !== 'developer') conversation.addMessage(role, parts, context)
  else conversation.addMessage(role, parts, { ...context, metadata: { kind: 'developer', ...context.metadata } })
}

/** Some writers add an empty image part to each text. */
function hasContent(part: unknown): boolean {
  if (!isObject(part) || part.type !== 'input_image') return true
  return Object.keys(part).some((key) => key !== 'type' && key !== 'detail' && part[key] !== null)
}

/** A generated image is part of the answer. */
function addImage(item: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const { result, size_bytes, revised_prompt: prompt } = item
  const image = { type: 'image', image: result, size_bytes }
  const metadata = { ...context.metadata, synthetic_content: true, ...(textOf(prompt) && { revised_prompt: prompt }) }
  conversation.addMessage('assistant', [image], { ...context, metadata })
}

/** The model asks if it may call a tool. The call itself follows once it is approved. */
function addApprovalRequest(item: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const { name, arguments: args, server_label } = item
  conversation.losses.note(textOf(name))
  const metadata = {
    ...context.metadata,
    kind: 'approval_request',
    server_label,
    arguments: args,
    synthetic_content: true,
  }
  conversation.addMessage('assistant', `[approval request: ${textOf(name) ?? 'unknown'}]`, { ...context, metadata })
}

/** The name is the type without `_call`, or the tool name for an MCP server. The item may have the result too. */
function addHosted(item: JsonObject, type: string, context: MessageContext, conversation: ConversationBuilder): void {
  const isNamed = type === 'mcp_call' || type === 'hosted_tool_call' || type === 'tool_call'
  const name = isNamed ? (textOf(item.name) ?? textOf(asObject(item.function).name)) : type.replace(/_call$/, '')
  const id = idOf(item)
  conversation.addToolCalls([{ id, name, args: argumentsOf(item) }], context)
  const output = answers.map((field) => item[field]).find((value) => value !== undefined && value !== null)
  const error = item.status === 'failed' || (item.error !== undefined && item.error !== null)
  if (output !== undefined) conversation.addToolResult({ id, output, error }, context)
}

const isOutput = (type: unknown) =>
  typeof type === 'string' &&
  (type.endsWith('_call_output') || type === 'function_call_result' || type === 'tool_search_output')

function addOutput(item: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  conversation.losses.addOthers(item, ['output', 'result', 'tools'], 'item ')
  const output = item.output ?? item.result ?? item.tools
  const isPart = isObject(output) && typeof output.type === 'string' && ('text' in output || 'image_url' in output)
  const error = item.status === 'failed' || item.status === 'incomplete'
  conversation.addToolResult({ id: idOf(item), name: item.name, output: isPart ? [output] : output, error }, context)
}

/** Calls and outputs match by `call_id`; items without one by `id`. */
function idOf({ call_id: snake, callId: camel, id }: JsonObject): unknown {
  return snake ?? camel ?? id
}

/** The full thinking, else its summary; empty if it is encrypted. */
function thoughtIn(item: JsonObject): string {
  const texts = thoughtsIn(item).map((part) => (isObject(part) ? textOf(part.text) : textOf(part)))
  return texts.filter((text) => text !== undefined).join('\n')
}

function thoughtsIn({ content, summary }: JsonObject): readonly unknown[] {
  return Array.isArray(content) && content.length > 0 ? content : asList(summary)
}

const housekeeping = wordSet('type id call_id callId status metadata internal_chat_message_metadata_passthrough')
const answers = ['output', 'outputs', 'results', 'result', 'error']

/** The argument field of the type, else all fields with content. */
function argumentsOf(item: JsonObject): unknown {
  for (const field of ['arguments', 'action', 'operation', 'input']) {
    if (item[field] !== undefined && item[field] !== null) return item[field]
  }
  if (isObject(item.function) && item.function.arguments !== undefined) return item.function.arguments
  const fields = Object.entries(item).filter(
    ([key, value]) => !housekeeping.has(key) && !answers.includes(key) && value !== null && value !== undefined,
  )
  return Object.fromEntries(fields)
}
