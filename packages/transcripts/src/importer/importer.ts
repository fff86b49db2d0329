import { type FileRecord, type Format, placeIn, type Reader } from '../contract/index.js'
import type { LargeConversationError } from '../conversation/index.js'
import { type AnyFormatId, formatNamed, hasMapped } from '../formats/index.js'
import { type DroppedValue, PositionsIn, positionInWhole } from '../json/index.js'
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
  type UnreadText,
  within,
} from '../model/index.js'
import { columnFields, type RawRecord, RecordSplitter } from '../records/index.js'
import type { Transcript } from '../transcript.js'
import { chooseFormat, detectable, hasFormat, isRecognizedBy, rankFormats, sampledRecords } from './detect.js'
import { Digest } from './digest.js'
import { FileHead, productOf, refusalOf, unreadProduct } from './known-products.js'
import type { Chunk, ParseOptions } from './options.js'
import { asJson, audited, type ParsedRecord, parsedRecords } from './parsed-record.js'
import {
  ambiguousFormat,
  emptyFile,
  Problems,
  reasonNoConversation,
  repeatedName,
  unknownFormat,
  unreadMessages,
  withAdvice,
} from './problems.js'
import { stoppingReader } from './stopping-reader.js'
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
  readonly #head = new FileHead()
  #splitter: RecordSplitter
  #member: string | undefined
  #sample: ParsedRecord[] = []
  /** The first records, until there is a transcript: they name the product of a file that cannot be read. */
  #first: readonly FileRecord[] = []
  #format: Format | undefined
  #reader: Reader | undefined
  #account = new Account()
  #wrapping: Wrapping | undefined
  /** True if the format reads a wrapped list as one record. */
  #keepsLists = false
  /** True until the first record without an error. */
  #isFirst = true
  #last: FileRecord | undefined
  readonly #digest: Digest
  /** Losses of the file itself; the next transcript reports them. */
  #fileLosses = new Losses()
  #lastReported: Place | undefined
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
    const { list } = this.#problems
    const [first] = this.#first
    // Of several files that are read as one, the problem is in one of them.
    const product = list.length > 0 && this.#member === undefined ? productOf(this.#first) : undefined
    return first && product ? [this.#problems.problem(...refusalOf(product, placeIn(first)))] : list
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
    yield this.#complete.splice(0)
    // A transcript that is unfinished where reading stopped may be cut off.
    if (this.#reader && !this.#hasEnoughProblems) {
      let last: ConversationDraft | undefined
      for (const draft of this.#reader.end()) {
        if (last) this.#addDrafts([last])
        if (this.#hasEnoughProblems) break
        yield this.#complete.splice(0)
        last = draft
      }
      const unread = this.#account.end()
      if (last) this.#addDrafts([last], unread)
      yield this.#complete.splice(0)
    }
    if (!this.#hasTranscripts && this.problems.length === 0) this.#reportEmpty()
  }

  get #hasEnoughProblems(): boolean {
    return this.#problems.isFull || (this.#options.stopAtFirst === true && this.problems.length > 0)
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
      skip,
      options: this.#options,
      account: this.#account,
      isGeneric,
      maxWaiting: this.#maxWaiting,
    })
    this.#reader = stoppingReader(reader, (error) => this.#stopAt(error))
    const { columns = {} } = this.#options
    const unused = columnFields.filter((field) => columns[field] !== undefined && !reader.maps?.includes(field))
    for (const field of unused) this.#fileLosses.drop(`map of "${field}"`, `the format ${id} does not use it`)
  }

  readonly #report: Report = (message, place, code) => {
    this.#lastReported = place
    this.#problems.report(message, place, code && { code })
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
      // Only lines still separate the records after an error.
      if (parsed.error && layout !== 'lines' && !raw.isSkippable) {
        if (!this.#reader) this.#chooseFormat()
        if (!this.#mayLose(raw)) this.#isStopped = true
      }
      yield this.#complete.splice(0)
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
    if (product) return this.#problems.report(...refusalOf(product, records[0] ? placeIn(records[0]) : startOfFile))
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
      const unknown = () => unknownFormat(readable.record.value, ranked[0], this.#options.formats)
      if (tied) this.#problems.report(ambiguousFormat(...tied), place)
      else this.#problems.report(unknown(), place, { code: 'unknown_format', nearest: ranked[0]?.format })
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
    if (this.#mayLose(raw)) this.#reader?.broken?.(error.message, placeIn(record))
    else this.#problems.report(error.message, placeIn(record), error)
  }

  /** Free a conversation that is too large. Others that are unfinished may be cut off, and are omitted. */
  #stopAt({ message, place }: LargeConversationError): void {
    this.#report(message, place)
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
    this.#problems.report(message, placeIn(record), { at })
    return false
  }

  /** A draft is omitted if the reader reported a problem since its beginning. */
  #addDrafts(all: readonly ConversationDraft[], unread: readonly UnreadText[] = []): void {
    const readable = all.filter((draft) => !this.#hasProblem(draft))
    if (readable.length > 0) this.#addUnread(unread, readable)
    for (const draft of readable) {
      if (this.#hasProblem(draft)) continue
      const reason = reasonNoConversation(draft)
      if (reason !== undefined) this.#addEmpty(draft, reason)
      else {
        this.#hasTranscripts = true
        this.#first = []
        this.#complete.push(this.#transcriptOf(draft))
      }
    }
  }

  #hasProblem({ place }: ConversationDraft): boolean {
    const problem = this.#lastReported
    return problem !== undefined && problem.member === place.member && problem.record >= place.record
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
    const transcript = draft as Transcript
    transcript.format = this.#format?.id as AnyFormatId
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
    else this.#problems.list.push(problem)
  }

  #reportEmpty(): void {
    if (this.skipped.length > 0) this.#problems.list.push(...this.skipped.splice(0))
    else if (this.#last) {
      this.#problems.report(`expected a transcript of the format ${this.format}, found none`, placeIn(this.#last))
    } else {
      const start = { line: 1, column: 1 }
      this.#problems.report(emptyFile(this.#splitter.layout), startOfFile, { at: start, code: 'empty_file' })
    }
  }
}
