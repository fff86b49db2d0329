import { closeCut } from './close-cut.js'
import type { FileRecord, Format } from './format.js'
import { type FormatId, formatOf, readers } from './formats/list.js'
import { isObject } from './json.js'
import type { Piece } from './piece.js'
import { RecordSplitter } from './record-splitter.js'
import { spelled } from './table-columns.js'

/** A guess at a file's format. */
export interface Detection {
  /** The format that knows the file best. */
  format: FormatId
  /** From 0 to 1: the format's best score for a record, times the share of the records that it knows. */
  confidence: number
}

/** The number of records that detection reads. */
export const sampledRecords = 50

/**
 * The format of a file by its beginning, of which a few kilobytes are enough; undefined when no format has a confidence
 * of at least 0.5, or two know the records equally well.
 */
export function detect(head: string | Uint8Array): Detection | undefined {
  const splitter = new RecordSplitter()
  const pieces = [...splitter.push(head), ...splitter.end()].filter(({ flaw }) => flaw === undefined)
  const whole = recordsOf(pieces, parsedIfWhole)
  // What is left of a record that the head cuts says less than records that are whole.
  const records = whole.length > 0 ? whole : recordsOf(pieces, (text) => parsedIfWhole(closeCut(text)))
  const { chosen } = choiceOf(rankFormats(records))
  return chosen && { format: chosen.format, confidence: chosen.confidence }
}

function recordsOf(pieces: readonly Piece[], parsed: (text: string) => unknown): FileRecord[] {
  return pieces.flatMap(({ text, value = parsed(text), record, offset }) =>
    value === undefined ? [] : [{ value, record, offset }],
  )
}

function parsedIfWhole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The score of a format for the records of a file. */
export interface Ranked extends Detection {
  /** The number of records that the format knows, of the `shown` ones, at most 50. */
  known: number
  shown: number
  /** The sum of the scores of all records. It ranks formats that know equally many. */
  sum: number
}

/** The number of records by which the formats are chosen that are asked about the others. */
const glanced = 4
/** A format so sure of the first record needs no more than a glance at the next. */
const unmistakable = 0.9

/** The formats that know any of the first 50 records: first those that know most, and of them the surest. */
export function rankFormats(records: readonly FileRecord[]): Ranked[] {
  if (records.length === 0) return []
  const shown = Math.min(records.length, sampledRecords)
  const glance = Math.min(glanced, shown)
  const scores = new Scores()
  scores.ask(records, 0, 1)
  const obvious = scores.ranked(1)
  // All that there is has been asked about.
  if (shown === 1) return obvious
  const [surest, next] = obvious
  if (surest && surest.confidence >= unmistakable && surest.confidence - (next?.confidence ?? 0) > 0.3) {
    const alone = rank(formatOf(surest.format), records, glance)
    if (alone?.known === glance) return [alone]
  }
  scores.ask(records, 1, glance)
  scores.ask(records, glance, shown, true)
  const ranked = scores.ranked(shown)
  if (ranked.some(isSure)) return ranked
  const all = new Scores()
  all.ask(records, 0, shown)
  return all.ranked(shown)
}

/** The formats of which a field is a mark, however it is spelled, a bit for each; by its name as `spelled` spells it. */
let byMark: Map<string, number> | undefined

function marked(): Map<string, number> {
  const bits = new Map<string, number>()
  readers.forEach(({ marks }: Format, index) => {
    for (const mark of marks) bits.set(spelled(mark), (bits.get(spelled(mark)) ?? 0) | (1 << index))
  })
  return bits
}

/** The same by names as files spell them: these are the same few again and again. */
const byField = new Map<string, number>()
const mostFields = 2_000

function formatsByField(field: string): number {
  byMark ??= marked()
  const bits = byMark.get(spelled(field)) ?? 0
  if (field.length < 64 && byField.size < mostFields) byField.set(field, bits)
  return bits
}

/** The formats that may know a value, a bit for each: looking for what is not there costs most of the time of asking. */
function formatsByMarks(value: unknown): number {
  if (!isObject(value)) return -1
  let bits = 0
  for (const field in value) bits |= byField.get(field) ?? formatsByField(field)
  return bits
}

const allFormats = 2 ** readers.length - 1

/** The scores of all formats for some records. */
class Scores {
  /** Of each format how many records it knows, how sure it is of all of them together, and of the best of them. */
  readonly #known: number[] = []
  readonly #sums: number[] = []
  readonly #best: number[] = []

  /** Asks about the records from one to another: all formats, or those that know one already. */
  ask(records: readonly FileRecord[], from: number, to: number, onlyKnowing = false): void {
    for (let at = from; at < to; at++) {
      const value = records[at]?.value
      for (let left = formatsByMarks(value) & allFormats; left !== 0; left &= left - 1) {
        const index = 31 - Math.clz32(left & -left)
        if (onlyKnowing && this.#known[index] === undefined) continue
        const score = (readers[index] as Format).detect(value)
        if (score === 0) continue
        this.#known[index] = (this.#known[index] ?? 0) + 1
        this.#sums[index] = (this.#sums[index] ?? 0) + score
        this.#best[index] = Math.max(this.#best[index] ?? 0, score)
      }
    }
  }

  ranked(shown: number): Ranked[] {
    const ranked: Ranked[] = []
    for (let index = 0; index < readers.length; index++) {
      const known = this.#known[index]
      if (known === undefined) continue
      const confidence = ((this.#best[index] as number) * known) / shown
      const sum = this.#sums[index] as number
      ranked.push({ format: (readers[index] as Format<FormatId>).id, known, shown, confidence, sum })
    }
    return ranked.length < 2 ? ranked : ranked.sort((a, b) => b.known - a.known || b.sum - a.sum)
  }
}

/** The score of one format for the first records; undefined if it knows none. */
function rank(format: Format<FormatId>, records: readonly FileRecord[], shown: number): Ranked | undefined {
  let known = 0
  let sum = 0
  let best = 0
  for (let at = 0; at < shown; at++) {
    const score = format.detect(records[at]?.value)
    if (score > 0) known++
    sum += score
    best = Math.max(best, score)
  }
  return known === 0 ? undefined : { format: format.id, known, shown, confidence: (best * known) / shown, sum }
}

/** A file is not read as a format that is less sure of it, unless the user names the format. */
export const leastConfidence = 0.5

/** The format that reads a file, or two that know it equally well; neither where no format is sure of it. */
export function choiceOf(ranked: readonly Ranked[]): { chosen?: Ranked; tied?: [FormatId, FormatId] } {
  const [first, second] = ranked.filter(isSure)
  if (first === undefined) return {}
  return isTie(first, second) ? { tied: [first.format, second.format] } : { chosen: first }
}

function isSure({ confidence }: Ranked): boolean {
  return confidence >= leastConfidence
}

/** True if a format knows enough of some records to be theirs. */
export function isKnownBy(format: Format<FormatId>, records: readonly FileRecord[]): boolean {
  const ranked = rank(format, records, Math.min(records.length, sampledRecords))
  return ranked !== undefined && knowsHalf(ranked)
}

/** True if a format knows at least half of the records, however little it knows them. */
export function knowsHalf({ known, shown }: Ranked): boolean {
  return known * 2 >= shown
}

/** True if nothing speaks for the one rather than the other. */
function isTie(first: Ranked, second: Ranked | undefined): second is Ranked {
  return second !== undefined && first.known === second.known && Math.abs(first.sum - second.sum) < 1e-9
}
