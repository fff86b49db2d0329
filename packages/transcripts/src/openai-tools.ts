import { isObject, type JsonObject } from './json.js'
import type { Losses } from './losses.js'
import type { ToolCall } from './turn.js'

/** The name given to a call or result whose own cannot be found. */
export const unknownTool = 'unknown'

/** A call and the id that its result will name. */
export interface IdentifiedCall extends ToolCall {
  id: string | undefined
}

/** The calls of an assistant message: `tool_calls` (function and custom), or the older `function_call`. */
export function callsOf(message: JsonObject, losses: Losses): IdentifiedCall[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
  const legacy = isObject(message.function_call) ? [{ function: message.function_call }] : []
  return [...calls, ...legacy].map((call) => callOf(call, losses))
}

function callOf(call: unknown, losses: Losses): IdentifiedCall {
  const outer = isObject(call) ? call : {}
  const id = typeof outer.id === 'string' ? outer.id : undefined
  if (isObject(outer.custom)) return { id, name: nameOf(outer.custom.name, losses), args: outer.custom.input ?? '' }
  const inner = isObject(outer.function) ? outer.function : outer
  return { id, name: nameOf(inner.name, losses), args: parseArguments(inner.arguments, losses) }
}

function nameOf(name: unknown, losses: Losses): string {
  if (typeof name === 'string' && name !== '') return name
  losses.add('invented', `tool name "${unknownTool}" of a call without one`)
  return unknownTool
}

/** Models write arguments that are no JSON, or stop in the middle; such a text is kept as it is. */
function parseArguments(text: unknown, losses: Losses): unknown {
  if (typeof text !== 'string') return text ?? {}
  if (text.trim() === '') return text
  try {
    return JSON.parse(text)
  } catch {
    losses.add('changed', 'tool arguments that are not JSON, kept as text')
    return text
  }
}

/** A tool's answer as it is, or as the JSON object or array that it spells. */
export function resultOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
