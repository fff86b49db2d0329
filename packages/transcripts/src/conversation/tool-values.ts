import { type Losses, reasons } from '../model/index.js'
import { isRounded, longNumber } from './sanitize.js'

/** The name given to a call or result whose own cannot be found. */
export const unknownTool = 'unknown'

/** A tool's name as a call or result has it; `unknown`, and counted, where it has none. */
export function toolName(name: unknown, losses: Losses): string {
  if (typeof name === 'string' && name !== '') return name
  losses.add('invented', `tool name "${unknownTool}" of a call without one`, reasons.required)
  return unknownTool
}

/**
 * Arguments as the JSON they spell, where they are a text. Models write arguments that are no JSON, or stop in the
 * middle; such a text is kept as it is.
 */
export function toolArguments(args: unknown, losses: Losses): unknown {
  if (typeof args !== 'string') return args ?? {}
  if (args.trim() === '') return args
  if (mayBeJson.test(args)) {
    try {
      const value: unknown = JSON.parse(args)
      if (!hasRounded(args, value)) return value
      losses.add('changed', 'tool arguments with a whole number beyond 2^53, kept as text', 'JavaScript would round it')
      return args
    } catch {
      // It only begins like JSON.
    }
  }
  losses.add('changed', 'tool arguments that are not JSON, kept as text', 'the upload schema expects JSON')
  return args
}

/** An error of the parser costs more than all else that is done with a call. */
const mayBeJson = /^[ \n\r\t]*(?:\{[ \n\r\t]*["}]|\[|"|-?\d|true|false|null)/

/** What prints its values in the manner of Python or of a log also begins with a bracket, and an error costs time. */
const beginsAsJson = /^\s*(?:\{\s*["}]|\[\s*["{[\]\dtfn-])/
const endsAsJson = /[}\]]\s*$/

/** A tool's answer as it is, or as the JSON object or array that its text spells. */
export function toolOutput(output: unknown): unknown {
  if (typeof output !== 'string') return output ?? null
  if (!beginsAsJson.test(output) || !endsAsJson.test(output.slice(-16))) return output
  try {
    const value: unknown = JSON.parse(output)
    return hasRounded(output, value) ? output : value
  } catch {
    return output
  }
}

/** True if a number of the text has lost its last digits as a value. */
function hasRounded(text: string, value: unknown): boolean {
  return longNumber.test(text) && someNumber(value, isRounded)
}

function someNumber(value: unknown, is: (value: number) => boolean): boolean {
  if (typeof value === 'number') return is(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((each) => someNumber(each, is))
}
