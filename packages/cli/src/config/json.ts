import { isWritable, jsonBounds, parseJson } from '@svc/text'
import { CliError, exit } from '../exit.js'

/** Parse JSON that can be written again; returns `otherwise` for any other text. */
export function jsonOr(text: string, otherwise: unknown): unknown {
  const parsed = parseJson(text)
  return parsed && isWritable(parsed.value) ? parsed.value : otherwise
}

/** The value of a flag: JSON, or the text itself. Throws a usage error for JSON that cannot be written again. */
export function jsonOrText(flag: string, text: string): unknown {
  const { value } = parseJson(text) ?? { value: text }
  if (isWritable(value)) return value
  throw new CliError(exit.usage, `${flag}: expected ${jsonBounds}.`)
}
