import { closeCut } from './close-cut.js'
import type { FileRecord, Format } from './format.js'
import { type FormatId, formatOf, readers } from './formats/list.js'
import type { Piece } from './piece.js'
import { RecordSplitter } from './record-splitter.js'

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

/** The number of records that all formats are asked about; about the others only those that know one of these. */
const glanced = 4
/** A format so sure of the first record needs no more than a glance at the next. */
const unmistakable = 0.9

/** The formats that know any of the first 50 records: first those that know most, and of them the surest. */
export function rankFormats(records: readonly FileRecord[]): Ranked[] {
  if (records.length === 0) return []
  const shown = Math.min(records.length, sampledRecords)
  const glance = Math.min(glanced, shown)
  const obvious = ranking(readers, records, 1)
  // All that there is has been asked about.
  if (shown === 1) return obvious
  const [surest, next] = obvious
  if (surest && surest.confidence >= unmistakable && surest.confidence - (next?.confidence ?? 0) > 0.3) {
    const alone = rank(formatOf(surest.format), records, glance)
    if (alone?.known === glance) return [alone]
  }
  const near = readers.filter((format) => rank(format, records, glance))
  const ranked = ranking(near, records, shown)
  return ranked.some(isSure) ? ranked : ranking(readers, records, shown)
}

/** The scores of the formats that know any of the first `shown` records, in the order of `rankFormats`. */
function ranking(formats: readonly Format<FormatId>[], records: readonly FileRecord[], shown: number): Ranked[] {
  return formats
    .flatMap((format) => rank(format, records, shown) ?? [])
    .sort((a, b) => b.known - a.known || b.sum - a.sum)
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
