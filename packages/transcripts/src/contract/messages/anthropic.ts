import {
  type ConversationBuilder,
  isEarlyEnd,
  type MessageContext,
  type ToolCallInput,
  type ToolResultInput,
} from '../../conversation/index.js'
import { asList, asObject, describe, isObject, type JsonObject, textOf, wordSet } from '../../json/index.js'
import { type Place, type Role, within } from '../../model/index.js'
import type { MessageShape } from '../format.js'

export const anthropicMessage: MessageShape = {
  score(value) {
    if (!isObject(value) || !speakers.has(value.role)) return 0
    const { content, tool_calls: calls, toolInvocations } = value
    // OpenAI and the AI SDK have calls in such fields.
    if (calls !== undefined || toolInvocations !== undefined) return 0
    if (typeof content === 'string') return 0.3
    if (!Array.isArray(content)) return 0
    const sample = content.slice(0, 50)
    if (!sample.every((block) => isObject(block) && typeof block.type === 'string')) return 0
    const isResponse = value.type === 'message' && 'stop_reason' in value
    if (isResponse || sample.some(isMarked)) return 0.95
    return sample.every((block) => block.type === 'text') ? 0.4 : 0
  },
  add: addMessage,
}

const speakers: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system'])
const calls: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use'])
const marks: ReadonlySet<unknown> = new Set([...calls, 'thinking', 'redacted_thinking', 'container_upload'])

function isMarked(block: JsonObject): boolean {
  if (marks.has(block.type) || isResult(block)) return true
  return (block.type === 'image' || block.type === 'document') && isObject(block.source)
}

const anthropicFields =
  wordSet(`role content model stop_reason timestamp created_at id type usage stop_sequence stop_details container
  context_management cache_control`)

function addMessage(message: unknown, place: Place, conversation: ConversationBuilder): void {
  if (!isObject(message))
    return conversation.report(`expected a message with role and content; found ${describe(message)}`, place)
  const { role, content, model } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    return conversation.report(
      `expected a role of user, assistant or system; found ${describe(role)}`,
      within(place, 'role'),
    )
  if (typeof content !== 'string' && !Array.isArray(content))
    return conversation.report(
      `expected content that is text or an array of blocks; found ${describe(content)}`,
      within(place, 'content'),
    )
  conversation.losses.addFields(message, anthropicFields, 'message ')
  const at = message.timestamp ?? message.created_at
  addBlocks(role, content, { place, at, model, metadata: endOf(message) }, conversation)
}

/** Why the answer ended, unless that is usual. A refusal may have an explanation. */
export function endOf({ stop_reason, stop_details }: JsonObject): JsonObject | undefined {
  if (!isEarlyEnd(stop_reason)) return undefined
  return isObject(stop_details) ? { stop_reason, stop_details } : { stop_reason }
}

/**
 * Add a text or an array of blocks. Each result becomes a tool turn: in user messages before the text, in assistant
 * messages (hosted tools) in place. Consecutive content with the same `context.message` makes one turn; by default the
 * content is one message.
 */
export function addBlocks(
  role: Role,
  content: unknown,
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  const { place, at } = context
  const own = { ...context, message: context.message ?? {} }
  if (!Array.isArray(content)) return conversation.addMessage(role, content, own)
  const blocks = role === 'assistant' ? content : resultsFirst(content)
  let parts: unknown[] = []
  let called: ToolCallInput[] = []
  const flush = (): void => {
    if (parts.length > 0) conversation.addMessage(role, parts, own)
    conversation.addToolCalls(called, own, role)
    parts = []
    called = []
  }
  for (const block of blocks) {
    if (!isObject(block)) parts.push(block)
    else if (calls.has(block.type)) {
      called.push({ id: block.id, name: block.name, args: block.input })
    } else if (isResult(block)) {
      flush()
      conversation.addToolResult(resultOf(block), { place, at })
    } else if (block.type === 'compaction') {
      flush()
      conversation.addMessage('system', block.content, { place, at, metadata: { kind: 'compaction' } })
    } else if (!silent.has(block.type)) {
      for (const citation of asList(block.citations)) conversation.losses.dropValue(citation, 'citation')
      parts.push(...plainBlock(block))
    }
  }
  flush()
  if (content.length === 0) conversation.addMessage(role, '', own)
}

/** Blocks without text: token counts and signatures. */
const silent: ReadonlySet<unknown> = new Set(['token_budget', 'thinking_signature'])

function resultsFirst(blocks: readonly unknown[]): unknown[] {
  const isOfTool = (block: unknown) => isObject(block) && isResult(block)
  return [...blocks.filter(isOfTool), ...blocks.filter((block) => !isOfTool(block))]
}

/** True for `tool_result` and the results of hosted tools. */
function isResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('tool_result')
}

export function resultOf(block: JsonObject): ToolResultInput {
  const { content, name } = block
  return {
    // Without id and name, null marks the id as missing.
    id: textOf(block.tool_use_id) ?? (textOf(name) === undefined ? null : undefined),
    name,
    output: outputOf(content),
    // `{ type: 'web_search_tool_result_error', error_code }`
    error: block.is_error === true || textOf(asObject(content).type)?.endsWith('_error') === true,
  }
}

function outputOf(content: unknown): unknown {
  if (Array.isArray(content)) {
    if (content.length === 0) return ''
    return content.some(isSealed) ? content.map(unsealed) : content.flatMap(plainBlock)
  }
  if (!isObject(content)) return content
  if (content.type === 'web_fetch_result' && isObject(content.content)) {
    return [{ type: 'text', text: textOf(content.url) ?? '' }, ...plainBlock(content.content)]
  }
  return unsealed(content)
}

/** Search results have text that only the provider can read. */
function isSealed(item: unknown): boolean {
  return isObject(item) && ('encrypted_content' in item || 'encrypted_index' in item)
}

function unsealed(item: unknown): unknown {
  if (!isObject(item) || !isSealed(item)) return item
  return Object.fromEntries(Object.entries(item).filter(([key]) => !key.startsWith('encrypted_')))
}

/** The block as content parts, with the text of documents and search results. */
function plainBlock(block: unknown): unknown[] {
  if (!isObject(block)) return [block]
  if (block.type === 'search_result') return [...textPart(block.title), ...textPart(block.source), ...partsOf(block)]
  if (block.type === 'container_upload') return [{ type: 'file', file_id: block.file_id }]
  if (block.type !== 'document' || !isObject(block.source)) return [block]
  const { source } = block
  if (source.type === 'text') return [...textPart(block.title), ...textPart(source.data)]
  if (source.type === 'content') return [...textPart(block.title), ...partsOf(source)]
  return [textOf(block.title) === undefined ? block : { ...block, name: block.title }]
}

function partsOf({ content }: JsonObject): unknown[] {
  return Array.isArray(content) ? content : textPart(content)
}

export function textPart(text: unknown): unknown[] {
  return textOf(text) === undefined ? [] : [{ type: 'text', text }]
}
