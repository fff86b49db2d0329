import type { Loss } from '../model/index.js'
import { type Decimals, decimalText } from './decimals.js'

/** A value of a column that a row of JSON does not hold as it was. */
export type ValueLoss = Pick<Loss, 'code' | 'what' | 'why'>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of bytes; the bytes themselves if they are not UTF-8. */
export function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return utf8.decode(bytes)
  } catch {
    return bytes
  }
}

/**
 * A time since 1970 in ISO 8601, or the number for one that has no such form. `digits`: 3 for milliseconds, 6 for microseconds, 9
 * for nanoseconds. Zeros behind the milliseconds are omitted.
 */
export function isoTime(time: bigint, digits: number): string {
  const second = 10n ** BigInt(digits)
  const rest = ((time % second) + second) % second
  const date = new Date(Number((time - rest) / second) * 1000)
  if (Number.isNaN(date.getTime())) return `${time}`
  const fraction = `${rest}`.padStart(digits, '0').replace(/^(\d{3}|\d{6})(?:000)+$/, '$1')
  return `${date.toISOString().slice(0, -4)}${fraction}Z`
}

/** The rules by which a row becomes JSON. */
export interface RowRules {
  /** The places of decimals. */
  decimals: Decimals
  /** Gets the length of each text. */
  count: (length: number) => void
  addLoss: (loss: ValueLoss) => void
}

/** A row as JSON. Numbers have all their digits; bytes that are no text are null, and a loss. */
export function rowText(row: object, { decimals, count, addLoss }: RowRules): string {
  const textOf = (text: string) => {
    // A text that a dictionary holds once may be in a row many times.
    count(text.length)
    return JSON.stringify(text)
  }
  const jsonOf = (value: unknown, column: string, places: Decimals = {}): string => {
    const { scale, fields, each = places } = places
    if (typeof value === 'string') return textOf(value)
    const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array
    if (isNumber && scale !== undefined) return decimalText(value, scale, column)
    if (typeof value === 'bigint') return `${value}`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
    if (value instanceof Date) return JSON.stringify(isoTime(BigInt(value.getTime()), 3))
    if (value instanceof Uint8Array) {
      const text = textOrBytes(value)
      if (typeof text === 'string') return textOf(text)
      addLoss({ code: 'dropped', what: `bytes of column "${column}"`, why: 'they are not text' })
      return 'null'
    }
    const list = Array.isArray(value) ? value : ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : undefined
    if (list) return `[${list.map((element) => jsonOf(element, column, each)).join(',')}]`
    const texts = Object.entries(value).map(([name, inner]) => {
      const path = column === '' ? name : `${column}.${name}`
      return `${JSON.stringify(name)}:${jsonOf(inner, path, fields ? fields.get(name) : each)}`
    })
    return `{${texts.join(',')}}`
  }
  return jsonOf(row, '', decimals)
}
