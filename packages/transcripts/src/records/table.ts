import { isObject } from '../json/index.js'
import type { ByteQueue } from './bytes.js'
import { CsvError, CsvParser, type CsvRow } from './csv.js'
import type { RawRecord, Splitter, SplitterOptions } from './raw-record.js'

export class TableRow {
  /** The cells by column name, in the order of the header. A missing cell is empty; one beyond the header is `column 7`. */
  readonly cells = new Map<string, string>()

  constructor(columns: readonly string[], cells: readonly string[]) {
    for (let at = 0; at < Math.max(columns.length, cells.length); at++) {
      this.cells.set(columns[at] ?? `column ${at + 1}`, cells[at] ?? '')
    }
  }
}

/** The column names of a header: trimmed; an empty one becomes `column 2`, a repeated one `name (2)`. */
function columnNames(header: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return header.map((cell, at) => {
    const name = cell.trim() || `column ${at + 1}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  })
}

/** The rows of a CSV or TSV file after its header, each numbered by the line on which it begins. */
export function splitTable(queue: ByteQueue, { line }: SplitterOptions, separator: string): Splitter {
  const parser = new CsvParser(separator, { line, offset: queue.offset })
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const checker = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
  let isUtf8 = true
  let columns: string[] | undefined
  let isStopped = false

  function* rowsIn(bytes: Uint8Array, ended: boolean): Generator<CsvRow> {
    yield* parser.push(decoder.decode(bytes, { stream: !ended }))
    if (ended) yield* parser.end()
  }

  return {
    split(ended) {
      const { bytes } = queue
      queue.consume(bytes.length)
      if (isStopped) return []
      try {
        checker.decode(bytes, { stream: !ended })
      } catch {
        isUtf8 = false
      }
      const records: RawRecord[] = []
      try {
        for (const { cells, line, offset } of rowsIn(bytes, ended)) {
          if (columns !== undefined) {
            const isRepaired = !isUtf8 && cells.some((cell) => cell.includes('\uFFFD'))
            const value = new TableRow(columns, cells)
            records.push({ record: line, offset, line, column: 1, text: '', value, repaired: isRepaired })
          } else if (!cells[0]?.startsWith('sep=')) columns = columnNames(cells)
        }
      } catch (error) {
        if (!(error instanceof CsvError)) throw error
        isStopped = true
        const { line, offset, message } = error
        records.push({ record: line, offset, line, column: 1, text: '', error: message })
      }
      return records
    },
  }
}

const separators = [',', '\t', ';', '|']
const sampledRows = 20

/**
 * The separator of a table with a header row, from the head of the file; undefined if the text does not look like a
 * table. Without two columns of a usual name (see `mapColumns`) every row must have the same number of cells. A first
 * line such as `sep=;`, which spreadsheets write, names the separator.
 */
export function separatorOf(head: string): string | undefined {
  const text = head.trimStart()
  const named = /^sep=([,;\t|])\r?\n/.exec(text)
  const [best] = (named?.[1] === undefined ? separators : [named[1]])
    .flatMap((separator) => tableIn(text.slice(named?.[0].length ?? 0), separator) ?? [])
    .sort((a, b) => b.known - a.known || b.columns - a.columns)
  return best?.separator
}

function tableIn(text: string, separator: string) {
  const [header, ...rows] = firstRows(text, separator)
  if (!header || header.cells.length < 2 || !header.cells.every(isColumnName)) return undefined
  const columns = header.cells.length
  const known = mapColumns(columnNames(header.cells)).size
  const isRegular = rows.length > 1 && rows.every((row) => row.cells.length === columns)
  const isTable = known >= 2 || (isRegular && header.cells.every((cell) => cell === cell.trim()))
  return isTable ? { separator, columns, known } : undefined
}

function firstRows(text: string, separator: string): CsvRow[] {
  const parser = new CsvParser(separator)
  try {
    const rows = [...parser.push(text)]
    return rows.length > 0 ? rows.slice(0, sampledRows) : [...parser.end()]
  } catch (error) {
    if (error instanceof CsvError) return []
    throw error
  }
}

function isColumnName(cell: string): boolean {
  return cell.length <= 64 && /^\s*[\p{L}_][\p{L}\p{N}_ .()/#?-]*$/u.test(cell)
}

/** The names that usually denote each field of a message, as columns of a table or keys of an object. */
const usualNames = {
  id: 'conversation_id thread_id chat_id session_id dialogue_id dialog_id convo_id conversationid threadid chatid sessionid conversation ticket_id call_id id',
  role: 'role speaker author sender sender_type author_type from speaker_role participant side',
  content: 'content text message body utterance msg value transcript',
  time: 'time created_at timestamp date datetime sent_at createdat create_time start_time',
  order: 'turn_index order turn index position seq sequence message_index turn_number turn_id utterance_id',
  model: 'model model_name modelname model_id',
  name: 'name title conversation_name subject',
  user: 'user_id external_user_id customer_id visitor_id',
  tool: 'tool_name tool function_name',
  args: 'tool_args tool_arguments tool_input tool_parameters',
  visible: 'is_user_visible visible public',
}

/** The meaning of a column of a table, or of a field of a simple message. */
export type ColumnField = keyof typeof usualNames

/** The fields that a user may map. */
export const columnFields = Object.keys(usualNames) as readonly ColumnField[]

export const usualNamesOf = (field: ColumnField): string[] => usualNames[field].split(' ')

export type ColumnMap = ReadonlyMap<ColumnField, string>

/**
 * The column of each field: as given in `chosen` (`{ role: 'speaker' }`), else by the usual names, in any case and with
 * blanks or hyphens for underscores. A column holds one field.
 */
export function mapColumns(columns: readonly string[], chosen: Record<string, string> = {}): ColumnMap {
  const map = new Map<ColumnField, string>()
  const used = new Set<string>()
  const add = (field: ColumnField, column: string | undefined) => {
    if (column === undefined) return
    map.set(field, column)
    used.add(column)
  }
  const normalized = columns.map(normalizedName)
  for (const [field, column] of Object.entries(chosen)) {
    const found = columns.includes(column) ? column : columns[normalized.indexOf(normalizedName(column))]
    if (Object.hasOwn(usualNames, field)) add(field as ColumnField, found ?? column)
  }
  for (const field of columnFields) {
    if (map.has(field)) continue
    const found = usualNamesOf(field).map((name) => columns[normalized.indexOf(name)])
    add(
      field,
      found.find((column) => column !== undefined && !used.has(column)),
    )
  }
  return map
}

const cache = new Map<string, ColumnMap>()

/** `mapColumns` for the keys of an object, cached because the objects of a file share few sets of keys. */
export function columnsOfObject(value: unknown, chosen?: Record<string, string>): ColumnMap {
  const keys = isObject(value) ? Object.keys(value).slice(0, 50) : []
  const key = keys.join('\0')
  if (chosen !== undefined || key.length > 1000) return mapColumns(keys, chosen)
  const cached = cache.get(key)
  if (cached) return cached
  if (cache.size === 200) cache.clear()
  const columns = mapColumns(keys)
  cache.set(key, columns)
  return columns
}

export function normalizedName(column: string): string {
  return column
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}
