import {
  aliasedRole,
  asBranch,
  branchesOfList,
  chosenSpeaker,
  defineFormat,
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
  type RowGroup,
  RowGroups,
  roleHint,
  rowTooLate,
  visibleIn,
  withBranchLosses,
  withOrderLoss,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { describe, getOrInsert, textOf } from '../../json/index.js'
import { type ConversationDraft, type Place, type Problem, type Role, startOfFile } from '../../model/index.js'
import {
  type ColumnField,
  type ColumnMap,
  columnFields,
  mapColumns,
  nearestMap,
  TableRow,
} from '../../records/index.js'

/** CSV or TSV rows, one message each. The rows of a conversation share its id, in any order. */
export const table: Format<'table'> = defineFormat({
  id: 'table',
  isGeneric: true,
  title: 'CSV or TSV table',
  accepts: 'a header, and a row for each message, with columns such as conversation_id, role, content and time',
  fields: columnFields,
  skipsEmpty: true,
  signature(value) {
    if (!(value instanceof TableRow)) return 0
    const map = mapColumns([...value.columns.keys()])
    return map.has('content') && map.has('role') ? 0.95 : 0.5
  },
  reader: (context) => new TableReader(context),
})

interface Row {
  row: TableRow
  id: string
  /** The role of a text in a column of its own. Default: that of the speaker. */
  role: Role | undefined
  place: Place
  /** The column with the text. */
  content: string
  /** The text is the last one of the row, which has the facts of the row. */
  isLast: boolean
  /** The row has no id, and is joined to the row above. */
  isJoined: boolean
  /** The row above, if it is joined. */
  joinedAbove: Row | undefined
}

/** A row of somebody whose role is known. */
interface Message {
  of: Row
  role: Role
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
  readonly namesSpeakers = true
  readonly #context: ReaderContext
  readonly #chosen: Record<string, string>
  readonly #groups: RowGroups<Row>
  readonly #search = new IdSearch()
  /** Undefined before the first row; empty if the table cannot be read. */
  #map: ColumnMap | undefined
  #mapped: ReadonlySet<string> = none
  #lastId = ''
  /** True once rows that follow each other had the same id. */
  #repeatsIds = false
  #joined: Row | undefined
  /** The first row that is joined, until conversations interleave: then nobody knows to which one it belongs. */
  #firstJoined: Row | undefined
  readonly #lostRows = new Map<Row, Problem>()
  #rows = 0
  /** The rows that have an id, and true if another one began a conversation. */
  #withId = 0
  #hasNameless = false

  constructor(context: ReaderContext) {
    this.#context = context
    this.#chosen = context.options.columns ?? {}
    this.#groups = new RowGroups(context)
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const { value } = record
    if (!(value instanceof TableRow)) {
      this.lose(this.#context.lose(`expected ${table.accepts}; found ${describe(value)}`, placeIn(record)))
      return []
    }
    this.#map ??= this.#mapOf([...value.columns.keys()], placeIn(record))
    if (this.#map.size === 0 || value.cells.every((cell) => cell.trim() === '')) return []
    this.#rows++
    const place = placeIn(record)
    // Without a column of ids, a row of several texts is a conversation of its own.
    if (this.#mapsPairs() && !this.#map.has('id')) {
      const rows = this.#textsOf(value, place, '')
      return rows.length > 0 ? this.#drafts('', rows) : []
    }
    const id = this.#isCutOff(value, place) ? undefined : this.#idOf(value, place)
    if (id === undefined) this.#context.account.note(value.toJSON())
    else
      for (const row of this.#mapsPairs() ? this.#textsOf(value, place, id) : [this.#messageOf(value, place, id)])
        this.#addRow(row)
    this.#loseJoined()
    return this.#idsMayBeOfRows() ? [] : [...this.#groups.overdue()].flatMap((group) => this.#draftOf(group))
  }

  #loseJoined(): void {
    if (!this.#firstJoined || !this.#groups.isInterleaved) return
    this.lose(this.#lostRow(this.#firstJoined))
    this.#firstJoined = undefined
  }

  lose(problem: Problem): void {
    this.#groups.lose(problem)
  }

  *end(): Generator<ConversationDraft> {
    const groups = [...this.#groups.end()]
    const [first] = groups
    const suspect = this.#isNameless() ? this.#search.found : undefined
    if (suspect !== undefined) this.#context.report(mayBeId('column', suspect), first?.rows[0]?.place ?? startOfFile)
    if (this.#idsMayBeOfRows() && this.#rows > 1) {
      const rows = groups.flatMap((group) => group.rows)
      const lostRecords = groups.flatMap((group) => group.lostRecords)
      if (rows.length > 0)
        for (const draft of this.#drafts('', rows))
          yield { ...draft, origins: [...(draft.origins ?? []), ...groups], lostRecords }
    } else for (const group of groups) yield* this.#draftOf(group)
  }

  #draftOf(group: RowGroup<Row>): ConversationDraft[] {
    const { key, rows, lostRecords } = group
    const joined = rows.flatMap((row) => [row.isJoined ? row : [], row.joinedAbove ?? []].flat())
    const lost = this.#hasOwnIds ? joined.map((row) => this.#lostRow(row)) : []
    // Rows without an id, and without one above them, are no conversation.
    if (key === '' && lost.length > 0) {
      this.#context.tally.end([group])
      return []
    }
    return this.#drafts(key, rows).map((draft) => ({
      ...draft,
      origins: [...(draft.origins ?? []), group],
      lostRecords: [...lostRecords, ...lost],
    }))
  }

  #lostRow(row: Row): Problem {
    this.#context.account.note(row.row.toJSON())
    return getOrInsert(this.#lostRows, row, () => this.#context.lose(this.#noId(), row.place))
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
    const near = nearestMap(
      [...map].filter(([, column]) => absent.includes(column)),
      columns,
    )
    const hint = missing.length > 0 ? `. Name them: ${help}${orPairs}` : near
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
    return isPlain && this.#groups.size - (this.#hasNameless ? 1 : 0) === this.#withId
  }

  /** True for a row that ends before its text, so that the id before that may be cut off; it is reported. */
  #isCutOff({ cells, columns }: TableRow, place: Place): boolean {
    if (cells.length >= columns.size || !this.#map?.has('id')) return false
    const isMissing = (field: ColumnField) => (columns.get(this.#map?.get(field) ?? '') ?? cells.length) >= cells.length
    if (![...pairFields, 'role' as const, 'content' as const].every(isMissing)) return false
    this.lose(
      this.#context.lose(
        `expected a text, found the end of the row after ${cells.length} of ${columns.size} cells`,
        place,
      ),
    )
    return true
  }

  /** The id of the conversation of a row; undefined, and reported, if nobody knows it. */
  #idOf(row: TableRow, place: Place): string | undefined {
    if (!this.#map?.has('id')) return ''
    const cell = this.#cell(row, 'id')
    const isBlank = cell.trim() === ''
    if (isBlank && this.#hasOwnIds) {
      this.lose(this.#context.lose(this.#noId(), place))
      return undefined
    }
    // A spreadsheet may write the id of a group of rows once.
    if (!isBlank && cell === this.#lastId && !this.#joined) this.#repeatsIds = true
    if (!isBlank) {
      this.#lastId = cell
      this.#withId++
    } else if (this.#lastId === '') this.#hasNameless = true
    return this.#lastId
  }

  /** True if each row says its id, so that one without it does not mean that of the row above. */
  get #hasOwnIds(): boolean {
    return this.#repeatsIds || this.#groups.isInterleaved
  }

  #noId = () => `expected an id in column ${JSON.stringify(this.#map?.get('id'))}, found an empty cell`

  #messageOf(row: TableRow, place: Place, id: string): Row {
    const speaker = this.#cell(row, 'role').trim()
    if (this.#isNameless())
      this.#search.add(
        this.#others(row, () => true, new Set([this.#map?.get('user_id')])),
        speaker,
      )
    return this.#rowOf(row, place, id, this.#map?.get('content') ?? '')
  }

  /** The messages of a row with the texts of several speakers. */
  #textsOf(row: TableRow, place: Place, id: string): Row[] {
    const texts = pairFields.flatMap((role) => {
      const content = this.#map?.get(role)
      return content === undefined || row.cell(content).trim() === '' ? [] : [{ role, content }]
    })
    return texts.map(({ role, content }, at) => this.#rowOf(row, place, id, content, role, at === texts.length - 1))
  }

  #rowOf(row: TableRow, place: Place, id: string, content: string, role?: Role, isLast = true): Row {
    const isJoined = this.#map?.has('id') === true && this.#cell(row, 'id').trim() === ''
    return { row, id, role, place, content, isLast, isJoined, joinedAbove: this.#joined }
  }

  #addRow(row: Row): void {
    this.#joined = row.isJoined ? row : undefined
    this.#firstJoined ??= this.#joined
    if (!this.#groups.isComplete(row.id)) return this.#groups.add(row.id, row, row.place.offset)
    this.#context.account.note(row.row.toJSON())
    this.#context.reportLate(rowTooLate(row.id, this.#map?.get('id') ?? ''), row.place, row.id)
  }

  /** The rows with their roles. Each name without a role is reported once, and its rows are left out. */
  #withRoles(rows: readonly Row[], { report }: ConversationBuilder): Message[] {
    const nameOf = ({ row }: Row) => this.#cell(row, 'role').trim()
    const roleOf = (row: Row) => row.role ?? aliasedRole(nameOf(row), this.#chosen)
    const messages: Message[] = []
    const unknown = new Map<string, Row>()
    for (const row of rows) {
      const role = roleOf(row)
      if (role !== undefined) messages.push({ of: row, role })
      else {
        this.#context.account.note(row.row.toJSON())
        getOrInsert(unknown, nameOf(row), () => row)
      }
    }
    if (unknown.size === 0) return messages
    const speakers = rows.map((row) => ({ name: nameOf(row), role: roleOf(row), text: row.row.cell(row.content) }))
    const column = this.#map?.get('role')
    for (const [name, { place }] of unknown)
      report(`expected a role in column "${column}"; found ${describe(name)}${roleHint(name, speakers)}`, place)
    return messages
  }

  /** The conversation of rows, and its branches. */
  #drafts(id: string, inFile: readonly Row[]): ConversationDraft[] {
    const conversation = new ConversationBuilder(this.#context)
    const sorted = this.#inOrder(inFile, conversation)
    const byRow = new Map<TableRow, Row[]>()
    for (const row of sorted ?? inFile) getOrInsert(byRow, row.row, () => []).push(row)
    const records = [...byRow.values()]
    const { main, moved, others } = branchesOfList(
      records,
      ([first]) => first?.row.toJSON() ?? {},
      this.#context.account,
    )
    const isOrdered = sorted !== undefined || moved > 0
    const first = this.#draft(id, main.flat(), isOrdered, conversation)
    const { branches } = this.#context.options
    const kept = new Set(main)
    const hidden = branches ? [] : records.filter((record) => !kept.has(record)).flat()
    this.#context.account.note(hidden.map(({ row }) => row.toJSON()))
    const losses = withBranchLosses(first.losses, hidden.length, moved)
    const drafts = (branches ? others() : []).map(({ leaf, messages }) =>
      asBranch(this.#draft(id, messages.flat(), true, new ConversationBuilder(this.#context)), first.externalId, leaf),
    )
    return [{ ...first, losses, rows: inFile.map(({ place }) => place) }, ...drafts]
  }

  #draft(id: string, inFile: readonly Row[], isOrdered: boolean, conversation: ConversationBuilder): ConversationDraft {
    const messages = this.#withRoles(inFile, conversation)
    const joined = inFile.filter(({ isJoined }) => isJoined).length
    if (joined > 0 && id !== '' && !this.#hasOwnIds) {
      const what = `row without ${JSON.stringify(this.#map?.get('id')?.slice(0, 40))}`
      conversation.losses.add('changed', what, 'it is joined to the row above', joined)
    }
    const [begin] = inFile.toSorted((a, b) => a.place.record - b.place.record)
    const first = begin?.row
    const shared = { first, shared: this.#sharedBy(inFile), models: this.#modelsOf(messages) }
    const isAnsweredBySystem = isTwoParty(messages.map(({ role }) => role))
    for (const { of, role } of messages) {
      const isSystem = role === 'system' && isAnsweredBySystem && !this.#isChosenRole(of)
      this.#addMessage(of, isSystem ? 'assistant' : role, shared, conversation)
    }
    const draft = conversation.build({
      name: textOf(this.#cell(first, 'name').trim()),
      modelName: shared.models.size === 1 ? [...shared.models][0] : undefined,
      externalId: textOf(id),
      externalUserId: textOf(this.#cell(first, 'user_id').trim()),
      metadata: Object.fromEntries(this.#others(first, (column) => shared.shared.has(column))),
      place: begin?.place ?? startOfFile,
    })
    return { ...(isOrdered ? draft : withOrderLoss(draft)), rows: inFile.map(({ place }) => place) }
  }

  #isChosenRole({ row }: Row): boolean {
    return Object.hasOwn(this.#chosen, `role:${this.#cell(row, 'role').trim()}`)
  }

  /** The models of the assistant, else those of other rows. */
  #modelsOf(messages: readonly Message[]): Set<string> {
    const named = messages.filter(({ of }) => this.#cell(of.row, 'model') !== '')
    const ofAssistant = named.filter(({ role }) => role === 'assistant')
    return new Set((ofAssistant.length > 0 ? ofAssistant : named).map(({ of }) => this.#cell(of.row, 'model')))
  }

  #addMessage(
    { row, place, content: column, isLast }: Row,
    role: Role,
    of: Shared,
    conversation: ConversationBuilder,
  ): void {
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
      metadata: {
        ...chosenSpeaker(cell('role')),
        ...(isLast && Object.fromEntries(this.#others(row, (name) => !of.shared.has(name), unreadColumns))),
      },
      visible: visibleIn(row.columns.keys(), (name) => row.cell(name), cell('visible')),
      at: cell('time').trim(),
      model: cell('model'),
      // The text and the call of a row make one turn.
      message: row,
    }
    conversation.losses.note(cell('role'))
    for (const field of ['id', 'order', 'visible'] as const) conversation.losses.noteWord(cell(field))
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
