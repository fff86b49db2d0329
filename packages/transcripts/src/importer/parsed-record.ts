import type { FileRecord } from '../contract/index.js'
import {
  type DroppedValue,
  describe,
  droppedValues,
  endOfValue,
  JsonSyntaxError,
  type Position,
  PositionsIn,
  parseBounded,
  positionInWhole,
  syntaxError,
} from '../json/index.js'
import { type Layout, type RawRecord, TableRow, TextLine } from '../records/index.js'
import { restoreIds } from './exact-ids.js'

/** A record with its value, or with the reason why it has none. */
export interface ParsedRecord {
  raw: RawRecord
  record: FileRecord
  error?: { message: string; at: Position; isCutOff: boolean }
  /** The number of whole numbers that JavaScript rounded and that are no ids. */
  rounded: number
  /** The values whose names follow again in their objects. */
  dropped: readonly DroppedValue[]
}

/** A line of a text to be read as JSON, which fails with the reason. */
export const asJson = ({ value: _, ...raw }: RawRecord): RawRecord => raw

/** Parse records one by one. A line that holds several documents gives several. */
export function* parsedRecords(
  records: readonly RawRecord[],
  layout: Layout | undefined,
  member: string | undefined,
  idField?: string,
): Generator<ParsedRecord> {
  for (const raw of records) {
    const parse = (each: RawRecord) => parseRecord(each, layout, member, idField)
    const parsed = parse(raw)
    const documents = parsed.error && layout === 'lines' ? documentsIn(raw) : []
    if (documents.length === 0) yield parsed
    yield* documents.map(parse)
  }
}

/** The documents of a line that holds several and nothing else; empty for any other line. */
export function documentsIn(raw: RawRecord): RawRecord[] {
  const { text, line } = raw
  const documents: RawRecord[] = []
  let { offset, column } = raw
  try {
    for (let at = 0; at < text.length; ) {
      blanks.lastIndex = endOfValue(text, at)
      blanks.test(text)
      const own = text.slice(at, blanks.lastIndex)
      documents.push({ ...raw, text: own.trimEnd(), offset, line, column })
      at += own.length
      column += own.length
      offset += new TextEncoder().encode(own).length
    }
    return documents.length > 1 ? documents : []
  } catch (error) {
    if (error instanceof JsonSyntaxError) return []
    throw error
  }
}

const blanks = /\s*/y

/** Parse a record. A line of JSONL must be an object or an array. */
function parseRecord(
  raw: RawRecord,
  layout: Layout | undefined,
  member: string | undefined,
  idField: string | undefined,
): ParsedRecord {
  const { record, offset, text } = raw
  const recordOf = (value: unknown): FileRecord =>
    member === undefined ? { value, record, offset } : { value, record, offset, member }
  const failed = (message: string, index = 0, isCutOff = false): ParsedRecord => ({
    raw,
    record: recordOf(undefined),
    error: { message, at: positionInWhole(new PositionsIn(text).at(index), raw), isCutOff },
    rounded: 0,
    dropped: [],
  })
  if (raw.error !== undefined) return failed(raw.error, 0, raw.isCutOff)
  try {
    const value: unknown = raw.value ?? parseBounded(text)
    const dropped = raw.value !== undefined ? [] : droppedValues(text, value)
    const rounded = restoreIds(text, value, idField)
    if (layout !== 'lines' || (typeof value === 'object' && value !== null))
      return { raw, record: recordOf(value), rounded, dropped }
    return failed(`expected an object or an array on each line, found ${describe(value)}`)
  } catch (cause) {
    const error = cause instanceof JsonSyntaxError ? cause : syntaxError(text)
    if (error) return failed(error.message, error.offset, error.isCutOff)
    throw cause
  }
}

/** The content of a record: a line of a text, the cells of a row, or the value itself. */
export function audited(value: unknown): unknown {
  if (value instanceof TextLine) return value.text
  return value instanceof TableRow ? value.toJSON() : value
}
