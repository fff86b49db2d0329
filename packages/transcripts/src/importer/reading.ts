import {
  declaredMaps,
  type FileRecord,
  type Format,
  noteSpeakers,
  placeIn,
  type Reader,
  unknownSpeaker,
} from '../contract/index.js'
import { LargeConversationError } from '../conversation/index.js'
import { type Position, PositionsIn, positionInWhole } from '../json/index.js'
import {
  Account,
  type ConversationDraft,
  isWithin,
  type Loss,
  Losses,
  type Place,
  type Problem,
  type Tally,
  type UnreadText,
  within,
} from '../model/index.js'
import { type ColumnField, columnFields, type Layout, type RawRecord } from '../records/index.js'
import { type Chosen, wrappingFor } from './choose.js'
import { Digest, type RecordDigest } from './digest.js'
import { MappedFields } from './mapped-fields.js'
import type { ParseOptions } from './options.js'
import { audited, type ParsedRecord } from './parsed-record.js'
import { misplacedMap, type ProblemPlaces, repeatedName, unusedMap } from './problems.js'
import { cells, unwrap } from './unwrap.js'

/** A problem of a conversation that is found by its place, or by what began it. */
export interface Reported {
  problem: Problem
  /** Undefined if the reader or nobody knows its conversations. */
  place?: Place
  origin?: object | undefined
  /** The id of a conversation that was given before this record of it came. */
  lateId?: string
}

/** All that is read of a record, or at the end of the file. */
export interface Step {
  reported: readonly Reported[]
  /** Failed requests of a batch. */
  skipped: readonly Problem[]
  /** Losses of the file itself. */
  losses: readonly Loss[]
  drafts: readonly ConversationDraft[]
  /** The texts of its record that nobody read. */
  unread: readonly UnreadText[]
  /** True if most messages of the record are empty. */
  isMostlyEmpty: boolean
  digest: RecordDigest | undefined
  /** True for all that was held to the end of the file. */
  isLast?: boolean
}

/** The properties of the format and its reader by which conversations are given. */
export interface Traits {
  format: Format
  /** True if the reader counts invalid records as lost. */
  isLog: boolean
  /** See `Attribution`. */
  isBlocking: boolean
  isInterleaved: boolean
}

/** Everything that a reading needs of the file around it. */
interface ReadingContext {
  options: ParseOptions
  maxWaiting: number | undefined
  places: ProblemPlaces
  tally: Tally
}

/** Reads the records of a file with its format, and audits each. Conversations come out as they are complete. */
export class Reading {
  readonly traits: Traits
  readonly #options: ParseOptions
  readonly #places: ProblemPlaces
  readonly #reader: Reader
  readonly #account: Account
  readonly #mapped: MappedFields
  readonly #usedMaps = new Set<string>()
  readonly #columns: Readonly<Record<string, string>>
  readonly #isOneOfSeveral: boolean
  /** The roles of speakers that the user maps. */
  readonly #roles: readonly string[]
  readonly #digest: Digest
  #wrapping: Pick<Chosen, 'wrapping' | 'keepsLists'> | undefined
  /** True until the first record without an error, of a file whose format is given. */
  #seeksWrapping: boolean
  /** True if the last record was cut off. */
  #isCutOff = false
  #isStopped = false
  /** The last record, also one that cannot be read. */
  last: FileRecord | undefined
  #reported: Reported[] = []
  #skipped: Problem[] = []
  #losses = new Losses()

  /** @param chosen without `keepsLists`, the first record says if it wraps others */
  constructor(
    { format, wrapping, keepsLists }: Pick<Chosen, 'format'> & Partial<Chosen>,
    { options, maxWaiting, places, tally }: ReadingContext,
  ) {
    this.#options = options
    this.#places = places
    this.#wrapping = wrapping && { wrapping, keepsLists: keepsLists ?? false }
    this.#seeksWrapping = keepsLists === undefined
    this.#digest = new Digest(options.hash)
    this.#account = new Account(format)
    const report = (message: string, place: Place, details?: Pick<Problem, 'code'>) =>
      places.problem(message, place, details)
    const columns = { ...options.columns }
    this.#columns = columns
    this.#isOneOfSeveral = options.isOneOfSeveral === true
    noteSpeakers(columns)
    this.#reader = format.reader({
      format: format.id,
      report: (message, place, code, origin) =>
        void this.#reported.push({ problem: report(message, place, code && { code }), place, origin }),
      lose: (message, place) => {
        const problem = report(message, place)
        this.#reported.push({ problem })
        return problem
      },
      reportLate: (message, place, lateId) =>
        void this.#reported.push({ problem: report(message, place), place, lateId }),
      skip: (reason, place) => void this.#skipped.push(report(reason, place)),
      options: options.columns ? { ...options, columns } : options,
      account: this.#account,
      usedMaps: this.#usedMaps,
      tally,
      isGeneric: format.isGeneric,
      maxWaiting,
    })
    const { broken, lose, maps, isPerRecord = false, isInterleaved = false } = this.#reader
    this.traits = { format, isLog: broken !== undefined, isBlocking: !lose && !isPerRecord, isInterleaved }
    const { optionalColumns: optional = {} } = options
    this.#mapped = new MappedFields(columns, maps)
    const isGiven = (field: ColumnField) => columns[field] !== undefined && columns[field] !== optional[field]
    const unused = columnFields.filter((field) => isGiven(field) && !maps?.includes(field))
    const roles = (Object.keys(columns) as ColumnField[]).filter((field) => field.startsWith('role:') && isGiven(field))
    this.#roles = format.isText || this.#reader.namesSpeakers ? roles : []
    for (const field of [...unused, ...roles.filter((role) => !this.#roles.includes(role))])
      this.#losses.drop(`map of "${field}"`, unusedMap(format, field))
  }

  /** True once nothing more is read: a conversation is too large, or no record has a mapped field. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** True while no record has a field that the user maps: all that is read may lack something. */
  get isUnmapped(): boolean {
    return this.#mapped.isOpen
  }

  /** The problem of a file in which no record has a mapped field. */
  get unmapped(): string {
    return this.#mapped.problem
  }

  /** The problem of mapped fields that are in no conversation of a declared format, or of a role of nobody; undefined if there is none. */
  get misplaced(): string | undefined {
    const columns = this.#columns
    const { format } = this.traits
    const speaker = unknownSpeaker(columns, this.#roles, format.isText === true || this.#isOneOfSeveral)
    if (this.#reader.maps !== declaredMaps) return speaker
    const unused = declaredMaps.filter(
      (field) => columns[field] && !['id', 'order'].includes(field) && !this.#usedMaps.has(field),
    )
    return unused.length === 0 ? speaker : misplacedMap(format, unused, columns)
  }

  /** Read a record, and give what is complete after each record that it wraps. */
  *read(parsed: ParsedRecord, layout: Layout | undefined): Generator<Step> {
    const { raw, record, error, rounded, dropped } = parsed
    this.last = record
    this.#digest.add(raw)
    if (rounded > 0) this.#losses.add('changed', 'whole number beyond 2^53', 'JavaScript rounds it', rounded)
    for (const value of dropped) {
      const place = placeIn(record)
      if (this.#options.strict) this.#reported.push(this.#at(repeatedName(value), within(place, ...value.steps)))
      this.#losses.addDropped(value, place)
    }
    if (raw.repaired && !this.#acceptsRepaired(raw, record)) yield this.#step()
    else if (error) yield this.#misread(parsed, error, layout)
    else yield* this.#readValues(record, raw.text.length)
  }

  /** Count an empty file of several that are read together. */
  breakMember(place: Place): Step {
    this.#reader.broken?.('it is empty or cannot be opened', place)
    return this.#step()
  }

  /** The remaining conversations. The unread texts of those of a large log are not waited for. */
  *end(): Generator<Step> {
    const isHeld = !this.traits.isLog || this.#options.strict
    const held: ConversationDraft[] = []
    try {
      for (const draft of this.#reader.end()) {
        yield this.#step(isHeld ? [] : held.splice(0))
        held.push(draft)
      }
    } catch (error) {
      this.#stopAt(error)
    }
    yield { ...this.#step(held, this.#isStopped ? [] : this.#account.end()), isLast: true }
  }

  /**
   * True if the reader counts an invalid record as lost: a line of a log, or a file of several that are read as one. After a line
   * that is too long nothing more is cut, so more than the line would be lost.
   */
  mayLose({ error }: RawRecord, layout: Layout | undefined, member: string | undefined): boolean {
    if (!this.traits.isLog) return false
    return layout === 'lines' ? error === undefined : member !== undefined
  }

  *#readValues(record: FileRecord, length: number): Generator<Step> {
    const records = this.#unwrap(record)
    if (records[0]?.value !== record.value && this.#wrapping?.wrapping !== cells) this.#countWrapping(record, records)
    for (const each of records) this.#mapped.see(each.value, length)
    if (this.#mapped.isMissing) {
      this.#isStopped = true
      return
    }
    for (const each of records) {
      const drafts = this.#draftsOf(each)
      if (this.#isStopped) return yield this.#step()
      const place = placeIn(each)
      for (const { message } of this.#skipped) noteQuoted(each.value, message, this.#account)
      // A record that is skipped is complete, too: what nobody read of it is lost with it.
      const isComplete = this.#skipped.length > 0 || drafts.some((draft) => isWithin(draft.place, place))
      const unread = this.#account.audit(audited(each.value), place, isComplete)
      const waiting = this.#reader.isPerRecord ? none : this.#reader.waiting?.()
      if (drafts.length > 0) unread.push(...this.#account.forget(waiting))
      yield this.#step(drafts, unread)
    }
  }

  #draftsOf(record: FileRecord): readonly ConversationDraft[] {
    try {
      return this.#reader.read(record)
    } catch (error) {
      this.#stopAt(error)
      return []
    }
  }

  /** End at a conversation that is too large. Others that are unfinished may be cut off, and are omitted. */
  #stopAt(error: unknown): void {
    if (!(error instanceof LargeConversationError)) throw error
    this.#reported.push({ problem: this.#places.problem(error.message, error.place, { hidesMore: true }) })
    this.#isStopped = true
  }

  /** The records in a record; the first one of a file whose format is given shows if there are any. */
  #unwrap(record: FileRecord): FileRecord[] {
    if (this.#seeksWrapping) this.#wrapping = wrappingFor(record, this.traits.format)
    this.#seeksWrapping = false
    const { wrapping, keepsLists = false } = this.#wrapping ?? {}
    return wrapping ? unwrap(record, wrapping, keepsLists) : [record]
  }

  /** Count the texts around the records that one wraps. */
  #countWrapping(record: FileRecord, records: readonly FileRecord[]): void {
    const inner = records.map(({ value }) => value)
    for (const text of this.#account.audit(record.value, placeIn(record), true, inner)) this.#losses.addUnread(text)
  }

  #misread({ raw, record }: ParsedRecord, error: NonNullable<ParsedRecord['error']>, layout: Layout | undefined): Step {
    // The end of an array that is cut off inside an element says nothing more.
    const isKnown = raw.isCutOff === true && this.#isCutOff
    this.#isCutOff = error.isCutOff
    if (isKnown) return this.#step()
    if (this.mayLose(raw, layout, record.member)) this.#reader.broken?.(error.message, placeIn(record))
    else this.#lose(error.message, record, { at: error.at, hidesMore: mayHideMore(raw, layout) })
    return this.#step()
  }

  /** Report a record that cannot be read. */
  #lose(message: string, record: FileRecord, details: { at: Position; hidesMore: boolean }): void {
    const place = placeIn(record)
    const problem = this.#places.problem(message, place, details)
    this.#reported.push(this.#reader.lose ? { problem } : { problem, place })
    this.#reader.lose?.(problem)
  }

  /** Invalid UTF-8 may occur in the tool output of a log; any other file is in the wrong encoding. */
  #acceptsRepaired(raw: RawRecord, record: FileRecord): boolean {
    if (this.traits.isLog) {
      this.#losses.add('changed', 'record with bytes that are not UTF-8', 'they became U+FFFD')
      return true
    }
    const at = positionInWhole(new PositionsIn(raw.text).at(Math.max(0, raw.text.indexOf('\uFFFD'))), raw)
    this.#lose('expected UTF-8, found invalid bytes; convert the file to UTF-8', record, { at, hidesMore: false })
    return false
  }

  #at = (message: string, place: Place): Reported => ({ problem: this.#places.problem(message, place), place })

  /** What was read since the last step. */
  #step(drafts: readonly ConversationDraft[] = [], unread: readonly UnreadText[] = []): Step {
    const step: Step = {
      reported: this.#reported,
      skipped: this.#skipped,
      losses: this.#losses.list(),
      drafts,
      unread,
      isMostlyEmpty: this.#account.isMostlyEmpty,
      digest: this.#digest.of(this.last?.record),
    }
    if (this.#reported.length > 0) this.#reported = []
    if (this.#skipped.length > 0) this.#skipped = []
    if (this.#losses.size > 0) this.#losses = new Losses()
    return step
  }
}

const none: ReadonlySet<number> = new Set()

/** Note the texts of a skipped record that its reason quotes. */
function noteQuoted(value: unknown, reason: string, account: Account): void {
  if (typeof value === 'string' && value.trim() !== '' && reason.includes(value.trim())) account.note(value)
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) noteQuoted(each, reason, account)
}

/** True if the text of a record that is no JSON may hold others: its end was guessed. */
function mayHideMore({ error, isLast, hidesMore, record }: RawRecord, layout: Layout | undefined): boolean {
  if (layout === 'documents' && record === 1) return false
  return isLast === true || hidesMore === true || (error === undefined && layout !== 'lines')
}
