import { idFieldsOf } from '../contract/index.js'
import { isObject, maxDepth, parseBounded, quoteLargeNumbers } from '../json/index.js'

/** Matches JSON with a whole number that JavaScript may round. Few texts have as many digits, which is quick to see. */
const longNumber = /[[:,\s]-?\d{16,}\s*[,\]}]/
const manyDigits = /\d{16}/

/**
 * Replace the ids in a parsed JSON text that JavaScript rounds by texts with all their digits.
 *
 * @param idField a further field that holds an id
 * @returns the number of other whole numbers that JavaScript rounds and that `sanitize` cannot find
 */
export function restoreIds(text: string, value: unknown, idField: string | undefined): number {
  if (typeof value !== 'object' || !manyDigits.test(text) || !longNumber.test(text)) return 0
  const quoted = quoteLargeNumbers(text)
  if (quoted === text) return 0
  const isId = (name: string) => /id$/i.test(name) || name === idField || idFieldsOf([name]).length > 0
  return restoreIn(value, parseBounded(quoted), isId, 0)
}

function restoreIn(value: unknown, exact: unknown, isId: (name: string) => boolean, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return 0
  const fields = value as Record<string, unknown>
  const exactFields = exact as Record<string, unknown>
  let rounded = 0
  for (const key in fields) {
    const number = fields[key]
    const digits = exactFields[key]
    if (typeof number !== 'number' || typeof digits !== 'string') rounded += restoreIn(number, digits, isId, depth + 1)
    else if (isObject(value) && isId(key)) fields[key] = digits
    else if (Number.isFinite(number) && Math.abs(number) >= 1e21) rounded++
  }
  return rounded
}
