import type { Loss } from '../model/index.js'

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

/** ISO 8601, or the number for a time that has no such form. */
export function isoTime(milliseconds: number): string {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? `${milliseconds}` : date.toISOString()
}

/** A row as JSON. Whole numbers have all their digits; bytes that are no text are null, and a loss. `count` gets the length of each text. */
export function rowText(row: object, count: (length: number) => void, addLoss: (loss: ValueLoss) => void): string {
  const textOf = (text: string) => {
    // A text that a dictionary holds once may be in a row many times.
    count(text.length)
    return JSON.stringify(text)
  }
  const jsonOf = (value: unknown, column: string): string => {
    if (typeof value === 'string') return textOf(value)
    if (typeof value === 'bigint') return `${value}`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
    if (value instanceof Date) return JSON.stringify(isoTime(value.getTime()))
    if (value instanceof Uint8Array) {
      const text = textOrBytes(value)
      if (typeof text === 'string') return textOf(text)
      addLoss({ code: 'dropped', what: `bytes of column "${column}"`, why: 'they are not text' })
      return 'null'
    }
    const list = Array.isArray(value) ? value : ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : undefined
    if (list) return `[${list.map((each) => jsonOf(each, column)).join(',')}]`
    const fields = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}:${jsonOf(each, column === '' ? name : `${column}.${name}`)}`,
    )
    return `{${fields.join(',')}}`
  }
  return jsonOf(row, '')
}
