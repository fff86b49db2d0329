import { closeCut } from './close-cut.js'
import type { FileRecord, Format } from './format.js'
import { type FormatId, formatOf, readers } from './formats/list.js'
import type { Piece } from './piece.js'
import { RecordSplitter } from './record-splitter.js'

/** A guess at a file's format. */
export interface Detection {
  /** The format that knows the file best. */
  format: FormatId
  /** How well it knows the records that were looked at, from 0 to 1. */
  confidence: number
}

/** How many records are looked at. */
export const sampledRecords = 50

/**
 * The format of a file by its beginning, of which a few kilobytes are enough; undefined when no format knows half of
 * its records, or two know them equally well.
 */
export function detect(head: string | Uint8Array): Detection | undefined {
  const splitter = new RecordSplitter()
  const pieces = [...splitter.push(head), ...splitter.end()].filter(({ flaw }) => flaw === undefined)
  const whole = recordsOf(pieces, parsedIfWhole)
  // What is left of a record that the head cuts says less than records that are whole.
  const records = whole.length > 0 ? whole : recordsOf(pieces, (text) => parsedIfWhole(closeCut(text)))
  const [first, second] = rankFormats(records)
  return first && knowsHalf(first) && !isTie(first, second)
    ? { format: first.format, confidence: first.confidence }
    : undefined
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

/** How well a format knows the records of a file. */
export interface Ranked extends Detection {
  /** How many of those that it was shown, at most 50. */
  known: number
  shown: number
}

/** So few tell which formats come into question at all. */
const glanced = 4
/** A format so sure of the first record needs no more than a glance at the next. */
const unmistakable = 0.9

/** The formats that know any of the first 50 records: first those that know most, and of them the surest. */
export function rankFormats(records: readonly FileRecord[]): Ranked[] {
  const [first] = records
  if (first === undefined) return []
  const obvious = rank(readers, [first])
  // All that there is has been asked about.
  if (records.length === 1) return obvious
  const sample = records.slice(0, sampledRecords)
  const glance = sample.slice(0, glanced)
  const [surest, next] = obvious
  if (surest && surest.confidence >= unmistakable && surest.confidence - (next?.confidence ?? 0) > 0.3) {
    const alone = rank([formatOf(surest.format)], glance)
    if (alone[0]?.known === glance.length) return alone
  }
  const others = glance.slice(1)
  const candidates = readers.filter(
    (format) =>
      obvious.some((known) => known.format === format.id) || others.some(({ value }) => format.detect(value) > 0),
  )
  const ranked = rank(candidates, sample)
  const [best] = ranked
  return best && knowsHalf(best) ? ranked : rank(readers, sample)
}

function rank(formats: readonly Format<FormatId>[], sample: readonly FileRecord[]): Ranked[] {
  const ranked: Ranked[] = []
  for (const format of formats) {
    let known = 0
    let sum = 0
    for (const record of sample) {
      const score = format.detect(record.value)
      if (score > 0) known++
      sum += score
    }
    if (known > 0) ranked.push({ format: format.id, known, shown: sample.length, confidence: sum / sample.length })
  }
  return ranked.length < 2 ? ranked : ranked.sort((a, b) => b.known - a.known || b.confidence - a.confidence)
}

/** The format that a file is of; undefined where none knows half of it, or two know it equally well. */
export function sureFormat([first, second]: readonly Ranked[]): FormatId | undefined {
  return first && knowsHalf(first) && !isTie(first, second) ? first.format : undefined
}

/** Whether a format knows enough of some records to be theirs. */
export function isKnownBy(format: Format<FormatId>, records: readonly FileRecord[]): boolean {
  const [ranked] = rank([format], records.slice(0, sampledRecords))
  return ranked !== undefined && knowsHalf(ranked)
}

/** A format that knows less of a file cannot be the file's. */
export function knowsHalf({ known, shown }: Ranked): boolean {
  return known * 2 >= shown
}

/** Whether nothing speaks for the one rather than the other. */
export function isTie(first: Ranked, second: Ranked | undefined): boolean {
  return second !== undefined && first.known === second.known && Math.abs(first.confidence - second.confidence) < 1e-9
}
