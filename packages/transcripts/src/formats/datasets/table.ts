import {
  aliasedRole,
  type FileRecord,
  type Format,
  placeIn,
  type Reader,
  type ReaderContext,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { describe, getOrInsert, type JsonObject, textOf } from '../../json/index.js'
import { type ConversationDraft, type Place, type Role, startOfFile } from '../../model/index.js'
import { type ColumnField, type ColumnMap, columnFields, mapColumns, TableRow } from '../../records/index.js'

/** CSV or TSV rows, one message each. The rows of a conversation share its id, in any order. */
export const table: Format<'table'> = {
  id: 'table',
  isGeneric: true,
  title: 'CSV or TSV table',
  accepts: 'a header, and a row for each message, with columns such as conversation_id, role, content and time',
  fields: columnFields,
  skipsEmpty: true,
  detect(value) {
    if (!(value instanceof TableRow)) return 0
    const map = mapColumns([...value.cells.keys()])
    return map.has('content') && map.has('role') ? 0.95 : 0.5
  },
  reader: (notes) => new TableReader(notes),
}

interface Row {
  cells: ReadonlyMap<string, string>
  id: string
  role: Role
  place: Place
}

const none: ReadonlySet<string> = new Set()

/** Facts of a whole conversation: the first row, the columns that are equal in all rows, the models. */
interface Shared {
  cells: ReadonlyMap<string, string>
  shared: ReadonlySet<string>
  models: ReadonlySet<string>
}

class TableReader implements Reader {
  readonly #notes: ReaderContext
  readonly #unknownRoles = new Set<string>()
  #rows: Row[] = []
  /** Undefined before the first row; empty if the table cannot be read. */
  #map: ColumnMap | undefined

  constructor(notes: ReaderContext) {
    this.#notes = notes
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const { value } = record
    if (!(value instanceof TableRow)) {
      this.#notes.report(`expected ${table.accepts}; found ${describe(value)}`, placeIn(record))
      return []
    }
    this.#map ??= this.#mapOf([...value.cells.keys()], placeIn(record))
    if (this.#map.size > 0) this.#takeRow(value.cells, placeIn(record))
    return []
  }

  *end(): Generator<ConversationDraft> {
    const conversations = new Map<string, Row[]>()
    const isOne = this.#idsAreOfRows()
    for (const row of this.#rows) getOrInsert(conversations, isOne ? '' : row.id, () => []).push(row)
    this.#rows = []
    for (const [id, rows] of conversations) yield this.#draft(id, rows)
  }

  #mapOf(columns: readonly string[], place: Place): ColumnMap {
    const chosen = this.#notes.options.columns ?? {}
    const map = mapColumns(columns, chosen)
    const absent = [...map.values()].filter((column) => !columns.includes(column))
    const missing = (['role', 'content'] satisfies ColumnField[]).filter((field) => !map.has(field))
    if (absent.length + missing.length === 0) return map
    const wanted = absent.length > 0 ? `a column ${quoted(absent)}` : `columns for ${missing.join(' and ')}`
    const help = missing.map((field) => `--map ${field}=COLUMN`).join(' ')
    const hint = missing.length > 0 ? `. Name them: ${help}` : ''
    this.#notes.report(`expected ${wanted}; the columns are ${quoted(columns)}${hint}`, place)
    return new Map()
  }

  #takeRow(cells: ReadonlyMap<string, string>, place: Place): void {
    if ([...cells.values()].every((cell) => cell.trim() === '')) return
    const spelling = this.#cell(cells, 'role').trim()
    const role = aliasedRole(spelling, this.#notes.options.columns)
    if (role === undefined) return this.#reportRole(spelling, place)
    // A spreadsheet may write the id of a group of rows once.
    const id = this.#cell(cells, 'id').trim() || (this.#rows.at(-1)?.id ?? '')
    this.#rows.push({ cells, id, role, place })
  }

  #reportRole(spelling: string, place: Place): void {
    if (this.#unknownRoles.has(spelling) || this.#unknownRoles.size === 20) return
    this.#unknownRoles.add(spelling)
    const column = this.#map?.get('role')
    const hint = spelling === '' ? '' : `. Map it: --map "role:${spelling.slice(0, 40)}=user"`
    this.#notes.report(`expected a role in column "${column}"; found ${describe(spelling)}${hint}`, place)
  }

  /** A column named `id` without repeated values numbers messages, not conversations. */
  #idsAreOfRows(): boolean {
    const column = this.#map?.get('id')
    if (column?.trim().toLowerCase() !== 'id' || this.#notes.options.columns?.id !== undefined) return false
    return this.#rows.length > 1 && new Set(this.#rows.map(({ id }) => id)).size === this.#rows.length
  }

  #draft(id: string, inFile: readonly Row[]): ConversationDraft {
    const rows = this.#inOrder(inFile)
    const shared = this.#sharedBy(rows)
    const conversation = new ConversationBuilder(this.#notes)
    const first = inFile[0]
    const cells: ReadonlyMap<string, string> = first?.cells ?? new Map()
    const models = this.#modelsOf(rows)
    for (const row of rows) this.#addRow(row, { cells, shared, models }, conversation)
    return conversation.build({
      name: textOf(this.#cell(cells, 'name').trim()),
      modelName: models.size === 1 ? [...models][0] : undefined,
      externalId: textOf(id),
      externalUserId: textOf(this.#cell(cells, 'user').trim()),
      metadata: this.#others(cells, (column) => shared.has(column)),
      place: first?.place ?? startOfFile,
    })
  }

  /** The models of the assistant, else those of other rows. */
  #modelsOf(rows: readonly Row[]): Set<string> {
    const named = rows.filter(({ cells }) => this.#cell(cells, 'model') !== '')
    const ofAssistant = named.filter(({ role }) => role === 'assistant')
    return new Set((ofAssistant.length > 0 ? ofAssistant : named).map(({ cells }) => this.#cell(cells, 'model')))
  }

  #addRow(
    { cells, role, place }: Row,
    { cells: first, shared, models }: Shared,
    conversation: ConversationBuilder,
  ): void {
    const cell = (field: ColumnField) => this.#cell(cells, field)
    const content = cell('content')
    const tool = cell('tool').trim()
    const calls = role === 'assistant' && tool !== '' && (cell('args').trim() !== '' || content.trim() === '')
    const unread: ColumnField[] = [
      ...(['name', 'user'] as const).filter((field) => cell(field).trim() !== this.#cell(first, field).trim()),
      ...(models.has(cell('model')) ? [] : (['model'] as const)),
      ...(calls ? [] : (['args'] as const)),
      ...(calls || role === 'tool' ? [] : (['tool'] as const)),
    ]
    const unreadColumns = new Set(unread.map((field) => this.#map?.get(field)))
    const context = {
      place,
      metadata: this.#others(cells, (column) => !shared.has(column), unreadColumns),
      visible: /^(false|no|0)$/i.test(cell('visible').trim()) ? false : undefined,
      at: cell('time').trim(),
      model: cell('model'),
      // The text and the call of a row make one turn.
      message: cells,
    }
    if (role === 'tool') conversation.addToolResult({ name: tool, output: content }, context)
    else if (!calls || content.trim() !== '') conversation.addMessage(role, content, context)
    if (calls) conversation.addToolCalls([{ name: tool, args: cell('args').trim() || undefined }], context)
  }

  /** By the order column if all its cells are numbers, else as in the file. */
  #inOrder(rows: readonly Row[]): readonly Row[] {
    if (!this.#map?.has('order')) return rows
    const numbers = new Map(rows.map((row) => [row, Number(this.#cell(row.cells, 'order').trim() || Number.NaN)]))
    if ([...numbers.values()].some(Number.isNaN)) return rows
    return [...rows].sort((a, b) => (numbers.get(a) ?? 0) - (numbers.get(b) ?? 0))
  }

  #sharedBy(rows: readonly Row[]): Set<string> {
    const [first] = rows
    const columns = [...(first?.cells ?? [])].filter(([column, cell]) =>
      rows.every(({ cells }) => (cells.get(column) ?? '') === cell),
    )
    return new Set(columns.map(([column]) => column))
  }

  /** The cells of unmapped columns, and of those in `unreadColumns`. */
  #others(
    cells: ReadonlyMap<string, string>,
    wanted: (column: string) => boolean,
    unreadColumns: ReadonlySet<string | undefined> = none,
  ): JsonObject {
    const mapped = new Set(this.#map?.values())
    const isOther = (column: string) => unreadColumns.has(column) || (!mapped.has(column) && wanted(column))
    return Object.fromEntries([...cells].filter(([column, cell]) => cell !== '' && isOther(column)))
  }

  #cell(cells: ReadonlyMap<string, string>, field: ColumnField): string {
    const column = this.#map?.get(field)
    return (column === undefined ? undefined : cells.get(column)) ?? ''
  }
}

function quoted(columns: readonly string[]): string {
  const shown = columns.slice(0, 20).map((column) => JSON.stringify(column.slice(0, 40)))
  return columns.length > 20 ? `${shown.join(', ')} and ${columns.length - 20} more` : shown.join(', ')
}
