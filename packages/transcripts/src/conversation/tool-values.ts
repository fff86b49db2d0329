import { droppedValues, maxDepth, parseBounded, quoteLargeNumbers, textOf } from '../json/index.js'
import { type Losses, reasons } from '../model/index.js'
import { isRounded, largeNumber, longNumber } from './sanitize.js'

/** The name of a call or result without one. */
export const unknownTool = 'unknown'

/** The name of a tool; a missing name becomes `unknown` and is counted. */
export function toolName(name: unknown, losses: Losses): string {
  const text = textOf(name)
  if (text !== undefined) return text
  losses.add('invented', `tool name "${unknownTool}" of a call without one`, reasons.required)
  return unknownTool
}

/** Parse arguments that are JSON text. Models also write invalid or truncated JSON, which stays text and is counted. */
export function toolArguments(args: unknown, losses: Losses): unknown {
  if (typeof args !== 'string') return args ?? {}
  if (args.trim() === '') return args
  try {
    const value: unknown = parseBounded(args)
    if (hasRounded(args, value))
      losses.add('changed', 'tool arguments with a whole number beyond 2^53, kept as text', 'JavaScript would round it')
    else if (droppedValues(args, value).length > 0)
      losses.add(
        'changed',
        'tool arguments with a repeated name, kept as text',
        'JavaScript would drop all but the last',
      )
    else if (hasInfinite(args, value))
      losses.add('changed', 'tool arguments with a number above 1.8e308, kept as text', 'JavaScript cannot hold it')
    else return value
  } catch {
    losses.add('changed', 'tool arguments that are not JSON, kept as text', 'the upload schema expects JSON')
  }
  return args
}

/** Parse the output of a tool if it is the text of a JSON object or array. */
export function toolOutput(output: unknown): unknown {
  if (typeof output !== 'string') return output ?? null
  if (!/^\s*[{[]/.test(output)) return output
  try {
    const value: unknown = parseBounded(output)
    const isExact =
      !hasRounded(output, value) && !hasInfinite(output, value) && droppedValues(output, value).length === 0
    return isExact ? value : output
  } catch {
    return output
  }
}

function hasRounded(text: string, value: unknown): boolean {
  return longNumber.test(text) && someNumber(value, isRounded)
}

function hasInfinite(text: string, value: unknown): boolean {
  return largeNumber.test(text) && someNumber(value, (each) => !Number.isFinite(each))
}

/** Deeper values are cut later. */
function someNumber(value: unknown, is: (value: number) => boolean, depth = 0): boolean {
  if (typeof value === 'number') return is(value)
  if (typeof value !== 'object' || value === null || depth === maxDepth) return false
  return Object.values(value).some((each) => someNumber(each, is, depth + 1))
}

/**
 * Parse a value that a logger encoded as JSON text, up to `times` times; any other value is returned as it is. A text
 * such as `7`, `true` or `null` stays text, because it may be a message. An integer beyond 2^53 becomes a text of its
 * digits.
 */
export function parseJsonText(value: unknown, times = 2): unknown {
  let current = value
  for (let time = 0; time < times && typeof current === 'string' && /^\s*["[{]/.test(current); time++) {
    try {
      current = parseBounded(longNumber.test(current) ? quoteLargeNumbers(current) : current)
    } catch {
      return current
    }
  }
  return current
}
