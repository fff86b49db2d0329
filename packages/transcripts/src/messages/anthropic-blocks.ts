import { isObject, type JsonObject, textOf } from '../json.js'
import type { Result } from '../talk.js'

/** True if a block is a tool's answer: `tool_result` and those of the tools that the provider runs. */
export function isResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('tool_result')
}

/** A result block as the answer of a tool. */
export function resultOf(block: JsonObject): Result {
  const { content, name } = block
  return {
    // Where there is neither id nor name, null says that an id is missing.
    id: textOf(block.tool_use_id) ?? (textOf(name) === undefined ? null : undefined),
    name,
    output: outputOf(content),
    error: block.is_error === true || isErrorOf(content),
  }
}

/** `{ type: 'web_search_tool_result_error', error_code }` */
function isErrorOf(content: unknown): boolean {
  return isObject(content) && typeof content.type === 'string' && content.type.endsWith('_error')
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

/** Search results hold text that only the provider can read. */
function isSealed(item: unknown): boolean {
  return isObject(item) && ('encrypted_content' in item || 'encrypted_index' in item)
}

function unsealed(item: unknown): unknown {
  if (!isObject(item) || !isSealed(item)) return item
  return Object.fromEntries(Object.entries(item).filter(([key]) => !key.startsWith('encrypted_')))
}

/** A block as parts that content knows: the words of documents and search results are text. */
export function plainBlock(block: unknown): unknown[] {
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

function textPart(text: unknown): unknown[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []
}
