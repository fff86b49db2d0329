import { CliError, exit } from '../exit.js'

const maxDepth = 512
export const bounds = `at most ${maxDepth} levels of nesting and numbers up to 1.8e308`

/** False for a value that `JSON.stringify` cannot write, or writes with null in place of a number. */
export function isWritable(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return depth < maxDepth && Object.values(value).every((each) => isWritable(each, depth + 1))
}

/** Parse JSON that can be written again; returns `otherwise` for any other text. */
export function jsonOr(text: string, otherwise: unknown): unknown {
  const parsed = parseJson(text)
  return parsed && isWritable(parsed.value) ? parsed.value : otherwise
}

/** The value of a flag: JSON, or the text itself. Throws a usage error for JSON that cannot be written again. */
export function jsonOrText(flag: string, text: string): unknown {
  const { value } = parseJson(text) ?? { value: text }
  if (isWritable(value)) return value
  throw new CliError(exit.usage, `${flag}: expected ${bounds}.`)
}

export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
