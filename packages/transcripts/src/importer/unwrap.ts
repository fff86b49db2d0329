import type { FileRecord } from '../contract/index.js'
import { parseJsonText } from '../conversation/index.js'
import { isObject, type JsonObject, valueAt, wordsOf } from '../json/index.js'
import { TableRow } from '../records/index.js'

/** The names of the fields around a wrapped list or conversation, the outer one first. */
export type Wrapping = readonly string[]

/** Fields in which programs wrap the records of an answer or export. */
const names = wordsOf(
  'data result results response items records messages chat_history history conversation conversations chats transcripts sessions threads',
)

/** The cells of a row, or the fields of an object, which may be texts of JSON. */
export const cells: Wrapping = ['cells']

const maxWrappings = 2

/** The possible wrappings in a value of no known format: under the usual names, at most two deep, the outer ones first. */
export function wrappingsOf(value: unknown, within: Wrapping = []): Wrapping[] {
  if (value instanceof TableRow) return [cells]
  if (!isObject(value) || within.length === maxWrappings) return []
  const inTexts = within.length === 0 && Object.values(value).some(isJsonText) ? [cells] : []
  const here = names.filter((name) => holdsRecords(value[name])).map((name) => [...within, name])
  return [...here, ...here.flatMap((wrapping) => wrappingsOf(value[wrapping.at(-1) ?? ''], wrapping)), ...inTexts]
}

/** The wrapping in the first record of a file whose format is given; undefined if the record is of the format itself. */
export function wrappingIn(
  record: FileRecord,
  isRecognized: (records: readonly FileRecord[]) => boolean,
): Wrapping | undefined {
  if (isRecognized([record])) return undefined
  return wrappingsOf(record.value).find((wrapping) => isRecognized(unwrap(record, wrapping, false)))
}

/**
 * The records in a wrapping, each at its own pointer: an object, a list if the format reads a list as one record, or
 * else its elements. A record without the wrapping stays as it is, and the reader reports it.
 */
export function unwrap(record: FileRecord, wrapping: Wrapping, keepLists: boolean): FileRecord[] {
  if (record.value instanceof TableRow) return [{ ...record, value: objectOf(record.value) }]
  if (wrapping === cells) return [{ ...record, value: withParsedTexts(record.value) }]
  const value = valueAt(record.value, wrapping)
  const pointer = `/${wrapping.join('/')}`
  if (isObject(value) || (keepLists && Array.isArray(value))) return [{ ...record, value, pointer }]
  if (!Array.isArray(value)) return [record]
  return value.map((element: unknown, index) => ({ ...record, value: element, pointer: `${pointer}/${index}` }))
}

/** A row as an object: cells may hold JSON, and names of columns are paths, such as `inputs.question`. */
function objectOf(row: TableRow): JsonObject {
  const object: JsonObject = {}
  for (const column of row.columns.keys()) {
    const cell = row.cell(column)
    const steps = column.split('.')
    let inner = object
    for (const step of steps.slice(0, -1)) {
      if (!isObject(inner[step])) setField(inner, step, {})
      inner = inner[step] as JsonObject
    }
    if (cell !== '') setField(inner, steps.at(-1) ?? '', isJsonText(cell) ? parseJsonText(cell) : cell)
  }
  return object
}

const isJsonText = (value: unknown): boolean => typeof value === 'string' && /^\s*[[{]/.test(value)

function withParsedTexts(value: unknown): unknown {
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, each]) => [name, isJsonText(each) ? parseJsonText(each) : each])
  return Object.fromEntries(fields)
}

/** A column may be called `__proto__`. */
function setField(object: JsonObject, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}

function holdsRecords(value: unknown): boolean {
  return isObject(value) || (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null))
}
