import { placeIn, wrongMap } from '../contract/index.js'
import { type AnyFormatId, formatNamed } from '../formats/index.js'
import { type Problem, startOfFile, Tally } from '../model/index.js'
import { type RawRecord, RecordSplitter } from '../records/index.js'
import type { Transcript } from '../transcript.js'
import { type Chosen, chooseReading } from './choose.js'
import { sampledRecords } from './detect.js'
import { Emission } from './emission.js'
import { FileHead, productOf, refusalOf } from './known-products.js'
import { presentColumns } from './mapped-fields.js'
import type { Columns } from './maps.js'
import type { Chunk, ParseOptions } from './options.js'
import { asJson, type ParsedRecord, parsedRecords } from './parsed-record.js'
import { bugOf, emptyFile, ProblemPlaces } from './problems.js'
import { Reading } from './reading.js'

/** The length of text, in UTF-16 code units, that is enough to choose the format, however few records it holds. */
const sampledLength = 1 << 22

/**
 * Reads one file as its chunks arrive and holds only the unfinished transcripts. Three parts follow each other: the choice of the
 * format by the first records, the `Reading` of all records, and the `Emission` of what is read.
 */
export class Importer {
  #options: ParseOptions
  readonly #maxWaiting: number | undefined
  readonly #places = new ProblemPlaces()
  readonly #tally = new Tally()
  readonly #emission: Emission
  readonly #head = new FileHead()
  #splitter: RecordSplitter
  #member: string | undefined
  #sample: ParsedRecord[] = []
  #chosen: (Pick<Chosen, 'format'> & Partial<Chosen>) | undefined
  #reading: Reading | undefined
  #isStopped = false

  /** @param maxWaiting see `ReaderContext` */
  constructor(options: ParseOptions = {}, maxWaiting?: number) {
    refuseWrongMap({ ...options.optionalColumns, ...options.columns })
    this.#options = options
    this.#maxWaiting = maxWaiting
    this.#splitter = new RecordSplitter(options)
    this.#emission = new Emission(options, this.#places, this.#tally)
    if (options.format === undefined) return
    const format = formatNamed(options.format, options.formats)
    const { columns, optionalColumns } = options
    if (optionalColumns && format.isGeneric) this.#options = { ...options, columns: { ...optionalColumns, ...columns } }
    this.#begin({ format })
  }

  /** The empty transcripts of an export that has others, and the failed requests of a batch. */
  get skipped(): Problem[] {
    return this.#emission.skipped
  }

  /** The problems that make the file unusable, so far. */
  get problems(): readonly Problem[] {
    const { hasProblems, hasTranscripts } = this.#emission
    // Of several files that are read as one, the problem is in one of them.
    const seen = hasProblems && !hasTranscripts && this.#member === undefined ? (this.#chosen?.seen ?? []) : []
    const product = productOf(seen)
    return seen[0] && product
      ? [this.#places.problem(...refusalOf(product, placeIn(seen[0])))]
      : this.#emission.problems
  }

  /** Undefined until the format is chosen. */
  get format(): AnyFormatId | undefined {
    return this.#chosen?.format.id as AnyFormatId | undefined
  }

  /** After each record, the transcripts that are now complete. None of them has a problem. */
  *push(chunk: Chunk): Generator<Transcript[], void, undefined> {
    if (this.#hasStopped) return
    if (typeof chunk === 'object' && 'loss' in chunk) return this.#emission.addLosses([{ ...chunk.loss, count: 1 }])
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
      this.#head.add(chunk)
      yield* this.#addRecords(this.#splitter.push(chunk))
    } else {
      yield* this.#endMember()
      this.#member = chunk.member
      this.#splitter = new RecordSplitter(this.#options)
    }
  }

  /** The remaining transcripts, in parts. `chunk` is the last part of the file. */
  *end(chunk?: string | Uint8Array): Generator<Transcript[], void, undefined> {
    if (chunk !== undefined) this.#head.add(chunk)
    if (!this.#isStopped) yield* this.#endMember(chunk)
    if (!this.#reading && !this.#isStopped) this.#choose()
    if (this.#reading?.isUnmapped && this.#reading.last) this.#refuseMap(this.#reading)
    yield this.#given()
    // A transcript that is unfinished where reading stopped may be cut off.
    if (this.#reading && !this.#emission.hasEnoughProblems) yield* this.#endReading(this.#reading)
    const { hasProblems, hasTranscripts } = this.#emission
    if (!hasTranscripts && !hasProblems && !this.#emission.refuseSkipped()) this.#reportEmpty()
  }

  *#endMember(chunk?: string | Uint8Array): Generator<Transcript[], void, undefined> {
    yield* this.#addRecords(this.#splitter.end(chunk))
    const isEmpty = this.#splitter.layout === undefined || this.#splitter.layout === 'empty'
    if (this.#member === undefined || !isEmpty) return
    if (!this.#reading && !this.#isStopped) this.#choose()
    if (this.#reading)
      this.#emission.add(this.#reading.breakMember({ ...startOfFile, member: this.#member }), this.#reading.traits)
  }

  /** What is unread of the records that were not complete is known once all drafts are made. */
  *#endReading(reading: Reading): Generator<Transcript[], void, undefined> {
    for (const step of reading.end()) {
      for (const _ of this.#emission.addEach(step, reading.traits)) if (step.isLast) yield this.#given()
      if (this.#emission.hasEnoughProblems) return
      yield this.#given()
    }
    this.#emission.skipRest(reading.last ? placeIn(reading.last) : startOfFile)
    const { misplaced } = reading
    if (misplaced && this.#emission.hasTranscripts) this.#emission.report(misplaced, startOfFile)
    const mismatch = this.#hasStopped || reading.isStopped ? undefined : this.#tally.mismatch
    if (!mismatch) return
    const place = reading.last ? placeIn(reading.last) : startOfFile
    this.#emission.report(bugOf(reading.traits.format.id, mismatch), place, { hidesMore: true })
  }

  /** The transcripts that are complete; none while it is not known whether a record has the mapped fields. */
  #given(): Transcript[] {
    return this.#reading?.isUnmapped ? [] : this.#emission.take()
  }

  get #hasStopped(): boolean {
    return this.#isStopped || this.#emission.hasEnoughProblems
  }

  *#addRecords(records: readonly RawRecord[]): Generator<Transcript[], void, undefined> {
    const { layout } = this.#splitter
    const isMisread = layout === 'text' && this.#chosen !== undefined && !this.#chosen.format.isText
    const raws = isMisread ? records.map(asJson) : records
    for (const parsed of parsedRecords(raws, layout, this.#member, this.#options.columns?.id)) {
      const { raw } = parsed
      if (this.#hasStopped) break
      if (this.#reading) this.#read(parsed, this.#reading)
      else {
        this.#sample.push(parsed)
        const length = this.#sample.reduce((sum, { raw }) => sum + raw.text.length, 0)
        if (this.#sample.length >= sampledRecords || length >= sampledLength) this.#choose()
      }
      if (raw.isLast || (isMisread && parsed.error)) {
        if (!this.#reading && !this.#isStopped) this.#choose()
        if (!this.#reading?.mayLose(raw, layout, this.#member)) this.#isStopped = true
      }
      yield this.#given()
    }
  }

  /** Choose the format by the records so far, and read them. */
  #choose(): void {
    const sample = this.#sample
    this.#sample = []
    const { columns, optionalColumns } = this.#options
    if (optionalColumns) {
      const present = presentColumns(
        optionalColumns,
        sample.map(({ record }) => record.value),
      )
      this.#options = { ...this.#options, ...(present && { columns: { ...present, ...columns } }) }
    }
    const choice = chooseReading(sample, {
      options: this.#options,
      layout: this.#splitter.layout,
      member: this.#member,
      head: this.#head,
      reads: (text, columns) => this.#reads(text, columns),
    })
    if ('refusals' in choice) {
      this.#isStopped = true
      for (const { message, place, details, parsed } of choice.refusals) {
        if (parsed) this.#places.setRecord(parsed.raw, this.#member)
        this.#emission.report(message, place, details)
      }
      return
    }
    const reading = this.#begin(choice)
    for (const parsed of sample) if (!this.#hasStopped) this.#read(parsed, reading)
  }

  #begin(chosen: Pick<Chosen, 'format'> & Partial<Chosen>): Reading {
    this.#chosen = chosen
    this.#reading = new Reading(chosen, {
      options: this.#options,
      maxWaiting: this.#maxWaiting,
      places: this.#places,
      tally: this.#tally,
    })
    return this.#reading
  }

  #read(parsed: ParsedRecord, reading: Reading): void {
    this.#places.setRecord(parsed.raw, this.#member)
    for (const step of reading.read(parsed, this.#splitter.layout)) this.#emission.add(step, reading.traits)
    if (!reading.isStopped) return
    if (reading.isUnmapped) this.#refuseMap(reading)
    this.#isStopped = true
    this.#reading = undefined
  }

  /** Refuse a file without the mapped fields: all that is read of it may lack something. */
  #refuseMap(reading: Reading): void {
    this.#emission.take()
    const [first] = this.#chosen?.seen ?? []
    this.#emission.report(reading.unmapped, first ? placeIn(first) : startOfFile, { hidesMore: true })
    this.#isStopped = true
    this.#reading = undefined
  }

  /** True if both sides of a conversation are read of a text with these fields mapped. */
  #reads(text: string, columns: Columns): boolean {
    const trial = new Importer({ ...this.#options, columns }, Number.POSITIVE_INFINITY)
    const read = [...trial.end(text)].flat()
    const says = (role: string) => read.some(({ turns }) => turns.some((turn) => turn.role === role))
    return trial.problems.length === 0 && says('user') && (says('assistant') || says('human_agent'))
  }

  #reportEmpty(): void {
    const last = this.#reading?.last
    if (last) this.#emission.report(`expected a transcript of the format ${this.format}, found none`, placeIn(last))
    else {
      const details = { at: { line: 1, column: 1 }, code: 'empty_file' } as const
      this.#emission.report(emptyFile(this.#splitter.layout), startOfFile, details)
    }
  }
}

function refuseWrongMap(columns: Columns): void {
  const wrong = wrongMap(columns)
  if (wrong === undefined) return
  throw new RangeError(`columns: "${wrong.field}" expected ${wrong.expected}, found ${JSON.stringify(wrong.found)}`)
}
