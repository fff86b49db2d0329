import { type FileRecord, type Format, placeIn, type Reader } from '../contract/index.js'
import type { LargeConversationError } from '../conversation/index.js'
import { type AnyFormatId, formatNamed, hasMapped } from '../formats/index.js'
import { type DroppedValue, type Position, PositionsIn, positionInWhole } from '../json/index.js'
import {
  Account,
  type ConversationDraft,
  isWithin,
  Losses,
  type Place,
  type Problem,
  type Report,
  reasons,
  startOfFile,
  Tally,
  type UnreadText,
  within,
} from '../model/index.js'
import { columnFields, type RawRecord, RecordSplitter } from '../records/index.js'
import type { Transcript } from '../transcript.js'
import { Attribution } from './attribution.js'
import { chooseFormat, detectable, hasFormat, isRecognizedBy, rankFormats, sampledRecords } from './detect.js'
import { Digest } from './digest.js'
import { draftsAround } from './drafts-around.js'
import { FileHead, productOf, refusalOf, unreadProduct } from './known-products.js'
import { MappedFields } from './mapped-fields.js'
import type { Chunk, ParseOptions } from './options.js'
import { asJson, audited, type ParsedRecord, parsedRecords } from './parsed-record.js'
import {
  ambiguousFormat,
  bugOf,
  emptyFile,
  Problems,
  reasonNoConversation,
  repeatedName,
  unreadMessages,
  withAdvice,
} from './problems.js'
import { stoppingReader } from './stopping-reader.js'
import { unknownFormat } from './unknown.js'
import { countUnread } from './unread.js'
import { cells, unwrap, type Wrapping, wrappingIn, wrappingsOf } from './unwrap.js'

/** The length of text, in UTF-16 code units, that is enough to choose the format, however few records it holds. */
const sampledLength = 1 << 22

/** Reads one file as its chunks arrive and holds only the unfinished transcripts. */
export class Importer {
  /** The empty transcripts of an export that has others, and the failed requests of a batch. */
  readonly skipped: Problem[] = []
  readonly #options: ParseOptions
  readonly #maxWaiting: number | undefined
  readonly #problems = new Problems()
  readonly #attribution = new Attribution()
  readonly #tally = new Tally()
  readonly #head = new FileHead()
  #splitter: RecordSplitter
  #member: string | undefined
  #sample: ParsedRecord[] = []
  /** The first records, until there is a transcript: they name the product of a file that cannot be read. */
  #first: readonly FileRecord[] = []
  #format: Format | undefined
  #reader: Reader | undefined
  #mapped = new MappedFields()
  #account = new Account()
  #wrapping: Wrapping | undefined
  /** True if the format reads a wrapped list as one record. */
  #keepsLists = false
  /** True if the last record was cut off. */
  #isCutOff = false
  /** True until the first record without an error. */
  #isFirst = true
  #last: FileRecord | undefined
  readonly #digest: Digest
  /** Losses of the file itself; the next transcript reports them. */
  #fileLosses = new Losses()
  #isStopped = false
  readonly #complete: Transcript[] = []
  #hasTranscripts = false

  /** @param maxWaiting see `ReaderContext` */
  constructor(options: ParseOptions = {}, maxWaiting?: number) {
    this.#options = options
    this.#maxWaiting = maxWaiting
    this.#digest = new Digest(options.hash)
    this.#splitter = new RecordSplitter(options)
    if (options.format !== undefined) this.#setFormat(formatNamed(options.format, options.formats))
  }

  /** The problems that make the file unusable, so far. */
  get problems(): readonly Problem[] {
    const [first] = this.#first
    // Of several files that are read as one, the problem is in one of them.
    const product = this.#problems.isEmpty || this.#member !== undefined ? undefined : productOf(this.#first)
    return first && product
      ? [this.#problems.problem(...refusalOf(product, placeIn(first)))]
      : this.#problems.all((problem) => this.#attribution.isUncertain(problem))
  }

  /** Undefined until the format is chosen. */
  get format(): AnyFormatId | undefined {
    return this.#format?.id
  }

  /** After each record, the transcripts that are now complete. None of them has a problem. */
  *push(chunk: Chunk): Generator<Transcript[], void, undefined> {
    if (this.#hasStopped) return
    if (typeof chunk === 'object' && 'loss' in chunk) return this.#fileLosses.addAll([{ ...chunk.loss, count: 1 }])
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#head.add(chunk)
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) yield* this.#addRecords(this.#splitter.push(chunk))
    else {
      yield* this.#endMember()
      this.#member = chunk.member
      this.#splitter = new RecordSplitter(this.#options)
    }
  }

  *#endMember(chunk?: string | Uint8Array): Generator<Transcript[], void, undefined> {
    yield* this.#addRecords(this.#splitter.end(chunk))
    const isEmpty = this.#splitter.layout === undefined || this.#splitter.layout === 'empty'
    if (this.#member === undefined || !isEmpty) return
    if (!this.#reader && !this.#isStopped) this.#chooseFormat()
    this.#reader?.broken?.('it is empty or cannot be opened', { ...startOfFile, member: this.#member })
  }

  /** The remaining transcripts, in parts. `chunk` is the last part of the file. */
  *end(chunk?: string | Uint8Array): Generator<Transcript[], void, undefined> {
    if (chunk !== undefined) this.#head.add(chunk)
    if (!this.#isStopped) yield* this.#endMember(chunk)
    if (!this.#reader && !this.#isStopped) this.#chooseFormat()
    if (this.#mapped.isOpen && this.#last) this.#refuseMap()
    yield this.#given()
    // A transcript that is unfinished where reading stopped may be cut off.
    if (this.#reader && !this.#hasEnoughProblems) yield* this.#addLast(this.#reader)
    if (!this.#hasTranscripts && this.#problems.isEmpty) this.#reportEmpty()
  }

  /** What is unread of the records that were not complete is known once all drafts are made. Only those of a large log do not wait for it. */
  *#addLast(reader: Reader): Generator<Transcript[], void, undefined> {
    const isHeld = !reader.broken || this.#options.strict
    const held: ConversationDraft[] = []
    for (const draft of reader.end()) {
      if (!isHeld) this.#addDrafts(held.splice(0))
      if (this.#hasEnoughProblems) return
      yield this.#given()
      held.push(draft)
    }
    for (const draft of this.#givable(held, this.#account.end())) {
      if (this.#hasEnoughProblems) return
      this.#add(draft)
      yield this.#given()
    }
    const mismatch = this.#isStopped || this.#hasEnoughProblems ? undefined : this.#tally.mismatch
    if (mismatch) {
      const place = this.#last ? placeIn(this.#last) : startOfFile
      this.#problems.report(bugOf(this.#format?.id ?? '', mismatch), place, { hidesMore: true })
    }
    yield this.#given()
  }

  /** The transcripts that are complete; none while it is not known whether a record has the mapped fields. */
  #given(): Transcript[] {
    return this.#mapped.isOpen ? [] : this.#complete.splice(0)
  }

  /** Refuse a file without the mapped fields: all that is read of it may lack something. */
  #refuseMap(): void {
    this.#problems.report(this.#mapped.problem, this.#first[0] ? placeIn(this.#first[0]) : startOfFile, {
      hidesMore: true,
    })
    this.#complete.splice(0)
    this.#isStopped = true
    this.#reader = undefined
    this.#account = new Account()
    this.#mapped = new MappedFields()
  }

  get #hasEnoughProblems(): boolean {
    return this.#problems.isFull || (this.#options.stopAtFirst === true && !this.#problems.isEmpty)
  }

  get #hasStopped(): boolean {
    return this.#isStopped || this.#hasEnoughProblems
  }

  #setFormat(format: Format): void {
    this.#format = format
    this.#account = new Account(format)
    const { id, isGeneric } = format
    const skip = (reason: string, place: Place) => this.skipped.push(this.#problems.problem(reason, place))
    const reader = format.reader({
      format: id,
      report: this.#report,
      lose: (message, place) => this.#problems.report(message, place),
      reportLate: (message, place, id) =>
        this.#attribution.addLate(id, place, () => this.#problems.report(message, place)),
      skip,
      options: this.#options,
      account: this.#account,
      tally: this.#tally,
      isGeneric,
      maxWaiting: this.#maxWaiting,
    })
    this.#reader = stoppingReader(reader, (error) => this.#stopAt(error))
    const { columns = {} } = this.#options
    this.#mapped = new MappedFields(columns, reader.maps)
    const unused = columnFields.filter((field) => columns[field] !== undefined && !reader.maps?.includes(field))
    for (const field of unused) this.#fileLosses.drop(`map of "${field}"`, `the format ${id} does not use it`)
  }

  readonly #report: Report = (message, place, code, origin) => {
    this.#attribution.add(this.#problems.report(message, place, code && { code }), place, origin)
    // The problem accounts for a conversation of which the reader makes no draft.
    if (origin) this.#tally.end([origin])
  };

  *#addRecords(records: readonly RawRecord[]): Generator<Transcript[], void, undefined> {
    const { layout } = this.#splitter
    const isMisread = layout === 'text' && this.#format !== undefined && !this.#format.isText
    const raws = isMisread ? records.map(asJson) : records
    for (const parsed of parsedRecords(raws, layout, this.#member, this.#options.columns?.id)) {
      const { raw } = parsed
      if (this.#hasStopped) break
      if (this.#reader) this.#read(parsed)
      else {
        this.#sample.push(parsed)
        const length = this.#sample.reduce((sum, { raw }) => sum + raw.text.length, 0)
        if (this.#sample.length >= sampledRecords || length >= sampledLength) this.#chooseFormat()
      }
      if (raw.isLast || (isMisread && parsed.error)) {
        if (!this.#reader) this.#chooseFormat()
        if (!this.#mayLose(raw)) this.#isStopped = true
      }
      yield this.#given()
    }
  }

  #chooseFormat(): void {
    let sample = this.#sample
    this.#sample = []
    const records = detectable(sample.filter(({ error }) => !error).map(({ record }) => record))
    const ranked = rankFormats(records, this.#options.formats)
    const { chosen, tied } = chooseFormat(ranked)
    // A document that a format recognizes is of that format or refused; its parts are not tried.
    const mapped = records.some(({ value }) => hasMapped(value, this.#options)) ? 'dialogues' : undefined
    const isKnown = hasFormat(ranked, this.#options.columns)
    const id = mapped ?? (isKnown ? undefined : this.#wrappedFormat(records)) ?? chosen?.format
    const format = id === undefined ? undefined : formatNamed(id, this.#options.formats)
    const wrapping = this.#wrapping
    // A product may be known by its record, or by what that wraps.
    const seen = wrapping ? records.flatMap((record) => [record, ...unwrap(record, wrapping, false)]) : records
    const product = unreadProduct(seen, format, this.#head)
    if (format !== undefined && !product) {
      this.#first = seen
      this.#setFormat(format)
      for (const parsed of sample) if (!this.#hasStopped) this.#read(parsed)
      return
    }
    this.#isStopped = true
    if (product) {
      this.#problems.report(...refusalOf(product, records[0] ? placeIn(records[0]) : startOfFile))
      return
    }
    // Of a text of no known format the first line shows why it is no JSON.
    const { layout } = this.#splitter
    if (layout === 'text') {
      const first = sample.slice(0, 1).map(({ raw }) => asJson(raw))
      sample = [...parsedRecords(first, 'text', this.#member)]
    }
    const readable = sample.find(({ error }) => !error)
    const isAdvised = !readable && typeof layout !== 'object'
    for (const { record, error } of sample) {
      if (error) this.#problems.report(isAdvised ? withAdvice(error, layout) : error.message, placeIn(record), error)
    }
    if (readable) {
      this.#problems.setRecord(readable.raw, this.#member)
      const place = placeIn(readable.record)
      const mapped = new MappedFields(this.#options.columns)
      for (const { record } of sample) mapped.see(record.value)
      if (mapped.isOpen) this.#problems.report(mapped.problem, place)
      else if (tied) this.#problems.report(ambiguousFormat(...tied), place)
      else {
        const values = sample.flatMap(({ record, error }) => (error ? [] : [record.value]))
        this.#problems.report(unknownFormat(values, ranked[0], this.#trial(values)), place, { code: 'unknown_format' })
      }
    }
  }

  /** True if a map reads these values. Undefined if the user gave one. */
  #trial(values: readonly unknown[]): ((columns: Record<string, string>) => boolean) | undefined {
    if (this.#options.columns) return undefined
    const text = values.map((value) => JSON.stringify(value)).join('\n')
    return (columns) => {
      const trial = new Importer({ ...this.#options, columns }, Number.POSITIVE_INFINITY)
      const read = [...trial.end(text)].flat()
      const says = (role: string) => read.some(({ turns }) => turns.some((turn) => turn.role === role))
      return trial.problems.length === 0 && says('user') && (says('assistant') || says('human_agent'))
    }
  }

  /** The format of the values that the records wrap, if the records themselves are of no format. */
  #wrappedFormat(records: readonly FileRecord[]): AnyFormatId | undefined {
    const [first] = records
    for (const wrapping of wrappingsOf(first?.value)) {
      const { chosen } = chooseFormat(
        rankFormats(
          records.flatMap((record) => unwrap(record, wrapping, false)),
          this.#options.formats,
        ),
      )
      if (first === undefined || chosen === undefined) continue
      this.#setWrapping(wrapping, first, formatNamed(chosen.format, this.#options.formats))
      return chosen.format
    }
    return undefined
  }

  #setWrapping(wrapping: Wrapping, record: FileRecord, format: Format): void {
    this.#wrapping = wrapping
    this.#keepsLists = isRecognizedBy(format, unwrap(record, wrapping, true))
  }

  #unwrap(record: FileRecord): FileRecord[] {
    const format = this.#isFirst && this.#options.format !== undefined ? this.#format : undefined
    const wrapping = format && wrappingIn(record, (records) => isRecognizedBy(format, records))
    if (format && wrapping) this.#setWrapping(wrapping, record, format)
    this.#isFirst = false
    if (!this.#wrapping) return [record]
    return unwrap(record, this.#wrapping, this.#keepsLists)
  }

  #read({ raw, record, error, rounded, dropped }: ParsedRecord): void {
    this.#last = record
    this.#problems.setRecord(raw, this.#member)
    this.#digest.add(raw)
    if (rounded > 0) this.#fileLosses.add('changed', 'whole number beyond 2^53', 'JavaScript rounds it', rounded)
    for (const value of dropped) this.#addDropped(value, placeIn(record))
    if (raw.repaired && !this.#acceptsRepaired(raw, record)) return
    if (!error) {
      const records = this.#unwrap(record)
      if (records[0]?.value !== record.value && this.#wrapping !== cells) this.#countWrapping(record, records)
      for (const each of records) this.#mapped.see(each.value, raw.text.length)
      if (this.#mapped.isMissing) return this.#refuseMap()
      for (const each of records) {
        const drafts = this.#reader?.read(each) ?? []
        if (this.#isStopped) return
        const place = placeIn(each)
        const isComplete = drafts.some((draft) => isWithin(draft.place, place))
        const unread = this.#account.audit(audited(each.value), place, isComplete)
        if (drafts.length > 0) unread.push(...this.#account.forget(this.#reader?.waiting?.()))
        this.#addDrafts(drafts, unread)
      }
      return
    }
    // The end of an array that is cut off inside an element says nothing more.
    const isKnown = raw.isCutOff === true && this.#isCutOff
    this.#isCutOff = error.isCutOff
    if (isKnown) return
    if (this.#mayLose(raw)) this.#reader?.broken?.(error.message, placeIn(record))
    else this.#lose(error.message, record, { at: error.at, hidesMore: this.#mayHideMore(raw) })
  }

  /** Report a record that cannot be read. */
  #lose(message: string, record: FileRecord, details: { at: Position; hidesMore: boolean }): void {
    const place = placeIn(record)
    const problem = this.#problems.report(message, place, details)
    if (this.#reader?.lose) this.#reader.lose(problem)
    else this.#attribution.add(problem, place)
  }

  /** True if the text of a record that is no JSON may hold others: its end was guessed. */
  #mayHideMore({ error, isLast, hidesMore, record }: RawRecord): boolean {
    const { layout } = this.#splitter
    if (layout === 'documents' && record === 1) return false
    return isLast === true || hidesMore === true || (error === undefined && layout !== 'lines')
  }

  /** Free a conversation that is too large. Others that are unfinished may be cut off, and are omitted. */
  #stopAt({ message, place }: LargeConversationError): void {
    this.#problems.report(message, place, { hidesMore: true })
    this.#isStopped = true
    this.#reader = undefined
    this.#account = new Account()
  }

  #addDropped(value: DroppedValue, place: Place): void {
    if (this.#options.strict && !this.#problems.isFull) this.#report(repeatedName(value), within(place, ...value.steps))
    this.#fileLosses.addDropped(value, place)
  }

  /**
   * True if the reader counts an invalid record as lost: a line of a log, or a file of several that are read as one. After a line
   * that is too long nothing more is cut, so more than the line would be lost.
   */
  #mayLose({ error }: RawRecord): boolean {
    if (!this.#reader?.broken) return false
    return this.#splitter.layout === 'lines' ? error === undefined : this.#member !== undefined
  }

  /** Count the texts around the records that one wraps. */
  #countWrapping(record: FileRecord, records: readonly FileRecord[]): void {
    const inner = records.map(({ value }) => value)
    for (const text of this.#account.audit(record.value, placeIn(record), true, inner)) {
      this.#fileLosses.addUnread(text)
    }
  }

  /** Invalid UTF-8 may occur in the tool output of a log; any other file is in the wrong encoding. */
  #acceptsRepaired(raw: RawRecord, record: FileRecord): boolean {
    if (this.#reader?.broken) {
      this.#fileLosses.add('changed', 'record with bytes that are not UTF-8', 'they became U+FFFD')
      return true
    }
    const at = positionInWhole(new PositionsIn(raw.text).at(Math.max(0, raw.text.indexOf('\uFFFD'))), raw)
    const message = 'expected UTF-8, found invalid bytes; convert the file to UTF-8'
    this.#lose(message, record, { at, hidesMore: false })
    return false
  }

  #addDrafts(drafts: readonly ConversationDraft[], unread: readonly UnreadText[] = []): void {
    for (const draft of this.#givable(drafts, unread)) this.#add(draft)
  }

  /** Those that no problem costs, with what is unread of them. */
  #givable(all: readonly ConversationDraft[], unread: readonly UnreadText[]): readonly ConversationDraft[] {
    const readable = this.#readable(all)
    if (unread.length === 0 || readable.length === 0) return readable
    const isReadable = new Set(readable)
    const around = draftsAround(all)
    const ofReadable = unread.filter(({ place }) => {
      const drafts = around(place)
      return drafts.length === 0 || drafts.some((draft) => isReadable.has(draft))
    })
    this.#addUnread(ofReadable, readable)
    return this.#readable(readable)
  }

  #add(draft: ConversationDraft): void {
    this.#tally.end(draft.origins ?? [])
    const reason = reasonNoConversation(draft)
    if (reason !== undefined) return this.#addEmpty(draft, reason)
    this.#hasTranscripts = true
    this.#first = []
    this.#complete.push(this.#transcriptOf(draft))
  }

  #readable(drafts: readonly ConversationDraft[]): readonly ConversationDraft[] {
    const { lose, isPerRecord = false, isInterleaved = false } = this.#reader ?? {}
    const unread = this.#attribution.unreadOf(drafts, { isBlocking: !lose && !isPerRecord, isInterleaved })
    for (const { origins = [] } of unread) this.#tally.end(origins)
    return unread.size === 0 ? drafts : drafts.filter((draft) => !unread.has(draft))
  }

  /** Count what is unread. It is a problem in a generic format if it is what somebody says. */
  #addUnread(unread: readonly UnreadText[], drafts: readonly ConversationDraft[]): void {
    for (const { field, isMessage, place } of unread) {
      if (this.#format?.isGeneric && (isMessage || this.#account.isMostlyEmpty))
        this.#report(unreadMessages(this.#format, field), place)
      else if (this.#options.strict) this.#report(`field "${field}" is ${reasons.notRecognized}`, place)
    }
    countUnread(unread, drafts)
  }

  #transcriptOf(draft: ConversationDraft): Transcript {
    const { origins: _, rows: __, lostRecords: ___, ...fields } = draft
    const transcript: Transcript = { ...fields, format: this.#format?.id as AnyFormatId }
    const digest = this.#digest.of(draft.place.record === this.#last?.record ? 'last' : 'all')
    if (digest !== undefined) transcript.digest = digest
    if (this.#fileLosses.size === 0) return transcript
    this.#fileLosses.addAll(draft.losses)
    transcript.losses = this.#fileLosses.list()
    this.#fileLosses = new Losses()
    return transcript
  }

  /** An empty transcript is skipped in a log and in an export, which may have others. */
  #addEmpty({ place, externalId, losses }: ConversationDraft, reason: string): void {
    const { isGeneric, skipsEmpty } = this.#format ?? {}
    const message = skipsEmpty || externalId === undefined ? reason : `${reason} (id ${JSON.stringify(externalId)})`
    // A half-understood record of a generic format may say something.
    const problem = this.#problems.problem(message, place, isGeneric ? undefined : { code: 'nothing_said' })
    const isSkipped = skipsEmpty || this.#reader?.broken
    if (isSkipped) this.skipped.push(losses.length > 0 ? { ...problem, losses } : problem)
    else this.#problems.add([problem])
  }

  #reportEmpty(): void {
    if (this.skipped.length > 0) this.#problems.add(this.skipped.splice(0))
    else if (this.#last) {
      this.#problems.report(`expected a transcript of the format ${this.format}, found none`, placeIn(this.#last))
    } else {
      const start = { line: 1, column: 1 }
      this.#problems.report(emptyFile(this.#splitter.layout), startOfFile, { at: start, code: 'empty_file' })
    }
  }
}
