import {
  aliasedRole,
  type FileRecord,
  type Format,
  IdSearch,
  idFieldsOf,
  inOrder,
  isTwoParty,
  mayBeId,
  placeIn,
  type Reader,
  type ReaderContext,
  RowGroups,
  rowTooLate,
  visibleIn,
  withOrderLoss,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { describe, textOf } from '../../json/index.js'
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
    const map = mapColumns([...value.columns.keys()])
    return map.has('content') && map.has('role') ? 0.95 : 0.5
  },
  reader: (context) => new TableReader(context),
}

interface Row {
  row: TableRow
  id: string
  role: Role
  place: Place
  /** The column with the text. */
  content: string
  /** The text is the last one of the row, which has the facts of the row. */
  isLast: boolean
}

const none: ReadonlySet<string> = new Set()

/** Facts of a whole conversation: the first row, the columns that are equal in all rows, the models. */
interface Shared {
  first: TableRow | undefined
  shared: ReadonlySet<string>
  models: ReadonlySet<string>
}

const pairFields = ['system', 'user', 'assistant'] as const

class TableReader implements Reader {
  readonly maps = columnFields
  readonly #context: ReaderContext
  readonly #chosen: Record<string, string>
  readonly #unknownRoles = new Set<string>()
  readonly #lateIds = new Set<string>()
  readonly #groups: RowGroups<Row>
  readonly #search = new IdSearch()
  /** Undefined before the first row; empty if the table cannot be read. */
  #map: ColumnMap | undefined
  #mapped: ReadonlySet<string> = none
  #lastId = ''
  #rows = 0

  constructor(context: ReaderContext) {
    this.#context = context
    this.#chosen = context.options.columns ?? {}
    this.#groups = new RowGroups(context.maxWaiting)
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const { value } = record
    if (!(value instanceof TableRow)) {
      this.#context.report(`expected ${table.accepts}; found ${describe(value)}`, placeIn(record))
      return []
    }
    this.#map ??= this.#mapOf([...value.columns.keys()], placeIn(record))
    if (this.#map.size === 0 || value.cells.every((cell) => cell.trim() === '')) return []
    this.#rows++
    const rows = this.#mapsPairs() ? this.#textsOf(value, placeIn(record)) : this.#messageOf(value, placeIn(record))
    // Without a column of ids, a row of several texts is a conversation of its own.
    if (this.#mapsPairs() && !this.#map.has('id')) return rows.length > 0 ? [this.#draft('', rows)] : []
    for (const row of rows) this.#addRow(row)
    return this.#idsMayBeOfRows() ? [] : [...this.#groups.overdue()].map((of) => this.#draft(of[0]?.id ?? '', of))
  }

  *end(): Generator<ConversationDraft> {
    const suspect = this.#isNameless() ? this.#search.found : undefined
    if (this.#idsMayBeOfRows() && this.#rows > 1) {
      const rows = [...this.#groups.end()].flat()
      if (rows.length > 0) yield this.#draft('', rows)
      return
    }
    for (const rows of this.#groups.end()) {
      if (suspect !== undefined) this.#context.report(mayBeId('column', suspect), rows[0]?.place ?? startOfFile)
      yield this.#draft(rows[0]?.id ?? '', rows)
    }
  }

  #mapOf(columns: readonly string[], place: Place): ColumnMap {
    const map = new Map(mapColumns(columns, this.#chosen))
    const [id] = idFieldsOf(columns)
    if (this.#chosen.id === undefined && id !== undefined) map.set('id', id)
    const absent = [...map.values()].filter((column) => !columns.includes(column))
    const wantedFields = pairFields.some((field) => map.has(field)) ? [] : (['role', 'content'] as const)
    const missing = wantedFields.filter((field) => !map.has(field))
    this.#mapped = new Set(map.values())
    if (absent.length + missing.length === 0) return map
    const wanted = absent.length > 0 ? `a column ${quoted(absent)}` : `columns for ${missing.join(' and ')}`
    const help = missing.map((field) => `--map ${field}=COLUMN`).join(' ')
    const orPairs = missing.length > 1 ? ', or --map user=COLUMN --map assistant=COLUMN' : ''
    const hint = missing.length > 0 ? `. Name them: ${help}${orPairs}` : ''
    this.#context.report(`expected ${wanted}; the columns are ${quoted(columns)}${hint}`, place)
    return new Map()
  }

  #mapsPairs(): boolean {
    return pairFields.some((field) => this.#map?.has(field))
  }

  #isNameless(): boolean {
    return this.#map?.has('id') === false && this.#chosen.id === undefined
  }

  /** A column named `id` without repeated values numbers messages, not conversations. */
  #idsMayBeOfRows(): boolean {
    const isPlain = this.#map?.get('id')?.trim().toLowerCase() === 'id' && this.#chosen.id === undefined
    return isPlain && this.#groups.size === this.#rows
  }

  #idOf(row: TableRow): string {
    const cell = this.#cell(row, 'id')
    // A spreadsheet may write the id of a group of rows once.
    if (cell.trim() !== '') this.#lastId = cell
    return this.#lastId
  }

  #messageOf(row: TableRow, place: Place): Row[] {
    const id = this.#idOf(row)
    const spelling = this.#cell(row, 'role').trim()
    if (this.#isNameless())
      this.#search.add(
        this.#others(row, () => true, new Set([this.#map?.get('user_id')])),
        spelling,
      )
    const role = aliasedRole(spelling, this.#chosen)
    if (role === undefined) {
      this.#reportRole(spelling, place)
      return []
    }
    return [{ row, id, role, place, content: this.#map?.get('content') ?? '', isLast: true }]
  }

  /** The messages of a row with the texts of several speakers. */
  #textsOf(row: TableRow, place: Place): Row[] {
    const id = this.#idOf(row)
    const texts = pairFields.flatMap((role) => {
      const content = this.#map?.get(role)
      return content === undefined || row.cell(content).trim() === '' ? [] : [{ role, content }]
    })
    return texts.map((text, index) => ({ ...text, row, id, place, isLast: index === texts.length - 1 }))
  }

  #addRow(row: Row): void {
    if (!this.#groups.isComplete(row.id)) this.#groups.add(row.id, row, row.place.offset)
    else if (!this.#lateIds.has(row.id)) {
      this.#lateIds.add(row.id)
      this.#context.report(rowTooLate(row.id, this.#map?.get('id') ?? ''), row.place)
    }
  }

  #reportRole(spelling: string, place: Place): void {
    if (this.#unknownRoles.has(spelling) || this.#unknownRoles.size === 20) return
    this.#unknownRoles.add(spelling)
    const column = this.#map?.get('role')
    const hint = spelling === '' ? '' : `. Map it: --map "role:${spelling.slice(0, 40)}=user"`
    this.#context.report(`expected a role in column "${column}"; found ${describe(spelling)}${hint}`, place)
  }

  #draft(id: string, inFile: readonly Row[]): ConversationDraft {
    const conversation = new ConversationBuilder(this.#context)
    const sorted = this.#inOrder(inFile, conversation)
    const rows = sorted ?? inFile
    const first = inFile[0]?.row
    const shared = { first, shared: this.#sharedBy(rows), models: this.#modelsOf(rows) }
    const isAnsweredBySystem = isTwoParty(rows.map(({ role }) => role))
    for (const row of rows) {
      const isSystem = row.role === 'system' && isAnsweredBySystem && !this.#isChosenRole(row)
      this.#addMessage(isSystem ? { ...row, role: 'assistant' } : row, shared, conversation)
    }
    const draft = conversation.build({
      name: textOf(this.#cell(first, 'name').trim()),
      modelName: shared.models.size === 1 ? [...shared.models][0] : undefined,
      externalId: textOf(id),
      externalUserId: textOf(this.#cell(first, 'user_id').trim()),
      metadata: Object.fromEntries(this.#others(first, (column) => shared.shared.has(column))),
      place: inFile[0]?.place ?? startOfFile,
    })
    return sorted ? draft : withOrderLoss(draft)
  }

  #isChosenRole({ row }: Row): boolean {
    return Object.hasOwn(this.#chosen, `role:${this.#cell(row, 'role').trim()}`)
  }

  /** The models of the assistant, else those of other rows. */
  #modelsOf(rows: readonly Row[]): Set<string> {
    const named = rows.filter(({ row }) => this.#cell(row, 'model') !== '')
    const ofAssistant = named.filter(({ role }) => role === 'assistant')
    return new Set((ofAssistant.length > 0 ? ofAssistant : named).map(({ row }) => this.#cell(row, 'model')))
  }

  #addMessage({ row, role, place, content: column, isLast }: Row, of: Shared, conversation: ConversationBuilder): void {
    const cell = (field: ColumnField) => this.#cell(row, field)
    const content = row.cell(column)
    const tool = cell('tool').trim()
    const calls = role === 'assistant' && tool !== '' && (cell('args').trim() !== '' || content.trim() === '')
    const unread: ColumnField[] = [
      ...(['name', 'user_id'] as const).filter((field) => cell(field).trim() !== this.#cell(of.first, field).trim()),
      ...(of.models.has(cell('model')) ? [] : (['model'] as const)),
      ...(calls ? [] : (['args'] as const)),
      ...(calls || role === 'tool' ? [] : (['tool'] as const)),
    ]
    const unreadColumns = new Set(unread.map((field) => this.#map?.get(field)))
    const context = {
      place,
      metadata: isLast
        ? Object.fromEntries(this.#others(row, (name) => !of.shared.has(name), unreadColumns))
        : undefined,
      visible: visibleIn(row.columns.keys(), (name) => row.cell(name), cell('visible')),
      at: cell('time').trim(),
      model: cell('model'),
      // The text and the call of a row make one turn.
      message: row,
    }
    for (const field of ['id', 'role', 'order', 'visible'] as const) conversation.losses.note(cell(field))
    if (role === 'tool') conversation.addToolResult({ name: tool, output: content }, context)
    else if (!calls || content.trim() !== '') conversation.addMessage(role, content, context)
    if (calls) conversation.addToolCalls([{ name: tool, args: cell('args').trim() || undefined }], context)
  }

  /** By the order column if all its cells are numbers or times; undefined for the order of the file. */
  #inOrder(rows: readonly Row[], { losses, report }: ConversationBuilder): readonly Row[] | undefined {
    const column = this.#map?.get('order')
    if (column === undefined) return undefined
    const sorted = inOrder(rows, ({ row }) => row.cell(column).trim())
    if (sorted) return sorted
    const expected = `numbers or times in each cell of column "${column}", which gives the order`
    if (this.#chosen.order !== undefined) report(`expected ${expected}`, rows[0]?.place ?? startOfFile)
    else losses.drop(`order of column "${column.slice(0, 40)}"`, 'its cells are not all numbers, or all times')
    return undefined
  }

  #sharedBy(rows: readonly Row[]): Set<string> {
    const first = rows[0]?.row
    const columns = [...(first?.columns.keys() ?? [])]
    return new Set(columns.filter((column) => rows.every(({ row }) => row.cell(column) === first?.cell(column))))
  }

  /** The cells of unmapped columns, and of those in `unreadColumns`. */
  #others(
    row: TableRow | undefined,
    wanted: (column: string) => boolean,
    unreadColumns: ReadonlySet<string | undefined> = none,
  ): [string, string][] {
    const others: [string, string][] = []
    for (const column of row?.columns.keys() ?? []) {
      const cell = row?.cell(column) ?? ''
      const isOther = unreadColumns.has(column) || (!this.#mapped.has(column) && wanted(column))
      if (cell !== '' && isOther) others.push([column, cell])
    }
    return others
  }

  #cell(row: TableRow | undefined, field: ColumnField): string {
    return row?.cell(this.#map?.get(field)) ?? ''
  }
}

function quoted(columns: readonly string[]): string {
  const shown = columns.slice(0, 20).map((column) => JSON.stringify(column.slice(0, 40)))
  return columns.length > 20 ? `${shown.join(', ')} and ${columns.length - 20} more` : shown.join(', ')
}
