import { type FileRecord, type Format, placeIn, type Reader, type Report } from '../format/index.js'
import { type FormatId, formatOf } from '../formats/index.js'
import { describe, isObject, type Position, PositionsIn, positionInWhole, syntaxError } from '../json/index.js'
import {
  type Draft,
  fieldsOf,
  type Known,
  Losses,
  type Place,
  type Problem,
  Problems,
  type ReadOptions,
} from '../model/index.js'
import { type Layout, type RawRecord, RecordSplitter } from '../records/index.js'
import type { Transcript } from '../transcript.js'
import { chooseFormat, isRecognizedBy, rankFormats, recognizesHalf, sampledRecords } from './detect.js'
import { ambiguousShape, emptyFile, unknownShape } from './unknown-shape.js'
import { unwrap, type Wrapping, wrappingIn, wrappingsOf } from './unwrap.js'

/** Options of `parse` and its kin. */
export interface ParseOptions extends ReadOptions {
  /** Default: what `detect` finds. */
  format?: FormatId | undefined
  /** Gives each transcript a `digest` of the records that it was read from. Default: none. */
  hash?: ((text: string) => string) | undefined
  /** Read nothing after the first problem, and give nothing that may be cut off by it. Default: report all problems. */
  stopAtFirst?: boolean | undefined
}

/**
 * A part of a file: bytes of UTF-8 or UTF-16, or text, or the start of the next file of an archive, whose records
 * follow those of the one before.
 */
export type Chunk = Uint8Array | string | { member: string }

/** The length of text, in UTF-16 code units, after which the format is chosen, however few records it is. */
const sampledText = 1 << 22

/** All but what is wrapped is lost, at each level of the wrapping. */
function besideWrapped([name = '', ...inner]: Wrapping): Known {
  return fieldsOf(name, inner.length === 0 ? {} : { [name]: besideWrapped(inner) })
}

/** Reads one file as its parts come, and holds no more of it than the transcripts under way. */
export class Import {
  /** Transcripts without any turn, left out of an export that has others. */
  readonly skipped: Problem[] = []
  readonly #problems = new Problems()
  readonly #options: ParseOptions
  /** Hashes of the last record and of all so far, where they are asked for. */
  #digest = { own: '', all: '' }
  #splitter = new RecordSplitter()
  #member: string | undefined
  #format: Format<FormatId> | undefined
  #reader: Reader | undefined
  #sample: ParsedRecord[] = []
  #sampleText = 0
  #last: FileRecord | undefined
  /** Losses of the file itself, reported with the next transcript. */
  #aside = new Losses()
  #wrapping: Wrapping | undefined
  /** True if the format reads a wrapped list as one record. */
  #keepsLists = false
  /** True if no record has been read yet. */
  #isFirst = true
  #given = 0
  /** The last record for which the reader reported a problem. */
  #told: Place | undefined
  #isStopped = false

  constructor(options: ParseOptions = {}) {
    this.#options = options
    if (options.format !== undefined) this.#begin(formatOf(options.format))
  }

  /** Everything that makes the file unusable, so far. */
  get problems(): readonly Problem[] {
    return this.#problems.list
  }

  /** Known once enough has been seen. */
  get format(): FormatId | undefined {
    return this.#format?.id
  }

  /** The transcripts that are now complete. None of them has a problem. */
  push(chunk: Chunk): Transcript[] {
    // What follows will not be read, so it need not be cut.
    if (this.#isStopped || this.#isEnough) return []
    const given: Transcript[] = []
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#take(this.#splitter.push(chunk), given)
    else {
      this.#take(this.#splitter.end(), given)
      this.#member = chunk.member
      this.#splitter = new RecordSplitter()
    }
    return given
  }

  /** The transcripts that are complete because the file has ended, with its last part. */
  end(chunk?: string | Uint8Array): Transcript[] {
    const given: Transcript[] = []
    if (!this.#isStopped) this.#take(this.#splitter.end(chunk), given)
    if (!this.#reader && !this.#isStopped) this.#detect(given)
    // What is under way may be cut off where reading was.
    if (this.#reader && !this.#isEnough) this.#check(this.#reader.end(), given)
    if (this.#given === 0 && this.problems.length === 0) this.#tellNothing()
    return given
  }

  /** True if the problems so far are reason to read no further. */
  get #isEnough(): boolean {
    return this.#problems.isFull || (this.#options.stopAtFirst === true && this.problems.length > 0)
  }

  #begin(format: Format<FormatId>): void {
    this.#format = format
    const report: Report = (message, place, code) => {
      this.#told = place
      this.#problems.tell(message, place, code)
    }
    this.#reader = format.reader({ report, options: this.#options })
  }

  /** This and what it calls add to `given` what is complete. */
  #take(pieces: ReturnType<RecordSplitter['push']>, given: Transcript[]): void {
    const { layout } = this.#splitter
    for (const piece of pieces) {
      if (this.#isStopped || this.#isEnough) break
      const parsed = parseRecord(piece, layout, this.#member)
      if (this.#reader) this.#read(parsed, given)
      else {
        this.#sample.push(parsed)
        this.#sampleText += piece.text.length
        const isEnough = this.#sample.length >= sampledRecords || this.#sampleText >= sampledText
        if (isEnough) this.#detect(given)
      }
      // What follows something broken is cut wrongly, where lines do not tell.
      if (!parsed.error || layout === 'lines') continue
      if (!this.#reader) this.#detect(given)
      this.#isStopped = true
    }
  }

  #detect(given: Transcript[]): void {
    const sample = this.#sample
    this.#sample = []
    const records: FileRecord[] = []
    for (const { record, error } of sample) if (!error) records.push(record)
    const ranked = rankFormats(records)
    const { chosen, tied } = chooseFormat(ranked)
    // A document that a format knows, however little, is of that format or refused, never taken apart.
    const format = ranked.some(recognizesHalf) ? chosen?.format : this.#wrapped(records)
    if (format !== undefined) {
      this.#begin(formatOf(format))
      for (const parsed of sample) if (!this.#isEnough) this.#read(parsed, given)
      return
    }
    const seen = sample.find(({ error }) => !error)
    const advice = seen ? '' : '. Give one JSON document, one on each line (JSONL), or a table with a header (CSV)'
    for (const { error } of sample) if (error) this.#problems.tellAt(error.message + advice, error.place, error.at)
    if (seen) {
      this.#problems.see(seen.raw, this.#member)
      const place = placeIn(seen.record)
      if (tied) this.#problems.tell(ambiguousShape(...tied), place)
      else this.#problems.tell(unknownShape(seen.record.value, ranked[0]), place, 'unknown_format')
    }
    this.#isStopped = true
  }

  /** The format of what the records wrap, where they themselves are of none. */
  #wrapped(records: readonly FileRecord[]): FormatId | undefined {
    const [first] = records
    if (!first) return undefined
    for (const wrapping of wrappingsOf(first.value)) {
      const { chosen } = chooseFormat(rankFormats(records.flatMap((record) => unwrap(record, wrapping, false))))
      if (chosen === undefined) continue
      this.#unwrapBy(wrapping, first, formatOf(chosen.format))
      return chosen.format
    }
    return undefined
  }

  #unwrapBy(wrapping: Wrapping, record: FileRecord, format: Format<FormatId>): void {
    this.#wrapping = wrapping
    this.#keepsLists = isRecognizedBy(format, unwrap(record, wrapping, true))
  }

  #unwrapped(record: FileRecord): FileRecord[] {
    const format = this.#isFirst && this.#options.format !== undefined ? this.#format : undefined
    const wrapping = format && wrappingIn(record, (records) => isRecognizedBy(format, records))
    if (format && wrapping) this.#unwrapBy(wrapping, record, format)
    this.#isFirst = false
    if (!this.#wrapping) return [record]
    if (isObject(record.value)) this.#aside.addFields(record.value, besideWrapped(this.#wrapping))
    return unwrap(record, this.#wrapping, this.#keepsLists)
  }

  #read(parsed: ParsedRecord, given: Transcript[]): void {
    this.#problems.see(parsed.raw, this.#member)
    this.#hash(parsed.raw)
    this.#last = parsed.record
    if (parsed.raw.repaired && !this.#mayRepair(parsed)) return
    const { error } = parsed
    if (!error) {
      for (const record of this.#unwrapped(parsed.record)) {
        if (isObject(record.value)) this.#aside.addTexts(record.value, this.#format?.reads?.(record.value))
        this.#check(this.#reader?.take(record) ?? [], given)
      }
      return
    }
    // After a line that is too long nothing more is cut, so that it is not only the line that is lost.
    const isLine = this.#splitter.layout === 'lines' && parsed.raw.error === undefined
    if (this.#reader?.broken && isLine) this.#reader.broken(error.message, error.place)
    else this.#problems.tellAt(error.message, error.place, error.at)
  }

  #hash({ text, value }: RawRecord): void {
    const { hash } = this.#options
    if (!hash) return
    const own = hash(text || (JSON.stringify(value) ?? ''))
    this.#digest = { own, all: hash(this.#digest.all + own) }
  }

  /** A log may have a broken character in a tool's output; any other file is in the wrong encoding. */
  #mayRepair({ raw, record }: ParsedRecord): boolean {
    if (this.#reader?.broken) {
      this.#aside.add('changed', 'record with bytes that are not UTF-8', 'they became U+FFFD')
      return true
    }
    const at = positionInWhole(new PositionsIn(raw.text).at(Math.max(0, raw.text.indexOf('\uFFFD'))), raw)
    const message = 'expected UTF-8, found bytes that are none; convert the file to UTF-8'
    this.#problems.tellAt(message, placeIn(record), at)
    return false
  }

  /** Without those that have a problem since their beginning. */
  #check(drafts: readonly Draft[], given: Transcript[]): void {
    for (const draft of drafts) {
      const isFlawed = this.#told && this.#told.member === draft.place.member && this.#told.record >= draft.place.record
      if (isFlawed) continue
      const flaw = silenceOf(draft)
      if (flaw !== undefined) this.#tellSilent(draft, flaw)
      else {
        this.#given++
        given.push(this.#transcriptOf(draft))
      }
    }
  }

  #transcriptOf(draft: Draft): Transcript {
    const transcript = draft as Transcript
    transcript.format = this.#format?.id as FormatId
    // A transcript that began in an earlier record is of all up to here.
    const isOfLast = draft.place.record === this.#last?.record
    if (this.#options.hash) transcript.digest = isOfLast ? this.#digest.own : this.#digest.all
    if (this.#aside.size === 0) return transcript
    this.#aside.addAll(draft.losses)
    transcript.losses = this.#aside.list()
    this.#aside = new Losses()
    return transcript
  }

  #tellSilent({ place }: Draft, flaw: string): void {
    const problem = this.#problems.problem(flaw, place)
    const isLog = this.#reader?.broken !== undefined
    if (this.#format?.skipsEmpty) this.skipped.push(problem)
    else this.#problems.list.push(isLog ? { ...problem, code: 'nothing_said' } : problem)
  }

  #tellNothing(): void {
    const { list } = this.#problems
    if (this.skipped.length > 0) list.push(...this.skipped.splice(0))
    else if (this.#last) {
      this.#problems.tell(`expected a transcript of the format ${this.format}, found none`, placeIn(this.#last))
    } else {
      const message = emptyFile(this.#splitter.layout)
      this.#problems.tellAt(message, { record: 1, offset: 0, pointer: '' }, { line: 1, column: 1 }, 'empty_file')
    }
  }
}

const speakers: ReadonlySet<string> = new Set(['user', 'assistant', 'human_agent'])

/** Why a draft is no conversation; undefined where somebody speaks. */
function silenceOf({ turns }: Draft): string | undefined {
  if (turns.length === 0) return 'expected at least one turn, found none with any content'
  if (turns.some(({ role }) => speakers.has(role))) return undefined
  const found = [...new Set(turns.map(({ role }) => role))].join(' and ')
  return `expected a turn of a user or an assistant, found only turns of ${found}`
}

/** A piece of a file with its value, or with its error. */
interface ParsedRecord {
  raw: RawRecord
  record: FileRecord
  error?: { message: string; at: Position; place: Place }
}

/** Parses what was cut out of a file. A line of JSONL must be an object or an array. */
function parseRecord(piece: RawRecord, layout: Layout | undefined, member: string | undefined): ParsedRecord {
  const { record, offset, text } = piece
  if (piece.error === undefined) {
    try {
      const value: unknown = piece.value ?? JSON.parse(text)
      if (layout !== 'lines' || (typeof value === 'object' && value !== null)) {
        return { raw, record: member === undefined ? { value, record, offset } : { value, record, offset, member } }
      }
    } catch {
      // The error is reported below.
    }
  }
  return brokenRecord(piece, member)
}

function brokenRecord(piece: RawRecord, member: string | undefined): ParsedRecord {
  const { record, offset, text } = piece
  const place = placeIn({ value: undefined, record, offset, ...(member !== undefined && { member }) })
  const flawed = (message: string, index = 0): ParsedRecord => ({
    raw,
    record: { value: undefined, ...place },
    error: { message, at: positionInWhole(new PositionsIn(text).at(index), piece), place },
  })
  if (piece.error !== undefined) return flawed(piece.error)
  const error = syntaxError(text)
  if (error) return flawed(error.message, error.offset)
  return flawed(`expected an object or an array on each line, found ${describe(JSON.parse(text))}`)
}
