import type { FileRecord, Format } from '../format/index.js'
import { type FormatId, formatOf, readers } from '../formats/index.js'
import { type RawRecord, RecordSplitter } from '../records/index.js'

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
  const pieces = [...splitter.push(head), ...splitter.end()].filter(({ error }) => error === undefined)
  const whole = recordsOf(pieces, parsedIfWhole)
  // What is left of a record that the head cuts says less than records that are whole.
  const records = whole.length > 0 ? whole : recordsOf(pieces, (text) => parsedIfWhole(closeCut(text)))
  const { chosen } = chooseFormat(rankFormats(records))
  return chosen && { format: chosen.format, confidence: chosen.confidence }
}

function recordsOf(pieces: readonly RawRecord[], parsed: (text: string) => unknown): FileRecord[] {
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

/** A bracket that is open, and what is open around it. */
interface Open {
  closer: string
  around: Open | undefined
}

/** JSON that ends in the middle, closed after the last value that is whole; nothing where there is none. */
function closeCut(text: string): string {
  let open: Open | undefined
  /** Where the text can be cut, and what would then have to be closed. */
  let safe: { end: number; open: Open | undefined } = { end: 0, open }
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (character === '{' || character === '[') {
      open = { closer: character === '{' ? '}' : ']', around: open }
      safe = { end: at + 1, open }
    } else if (character === '}' || character === ']') {
      open = open?.around
      safe = { end: at + 1, open }
    } else if (character === ',') safe = { end: at, open }
  }
  const closers: string[] = []
  for (let each = safe.open; each; each = each.around) closers.push(each.closer)
  return text.slice(0, safe.end) + closers.join('')
}

/** The score of a format for the records of a file. */
export interface Ranked extends Detection {
  /** The number of records that the format knows, of the `shown` ones, at most 50. */
  recognized: number
  sampled: number
  /** The sum of the scores of all records. It ranks formats that know equally many. */
  sum: number
}

/** All formats are asked about so many records; about the others only those that know one of these. */
const glanced = 4
/** A format so sure of the first record, and so much surer than the next, needs no more than a glance at others. */
const unmistakable = { confidence: 0.9, lead: 0.3 }

/** The formats that know any of the first 50 records: first those that know most, and of them the surest. */
export function rankFormats(records: readonly FileRecord[]): Ranked[] {
  const sample = records.slice(0, sampledRecords)
  const glance = records.slice(0, glanced)
  const [surest, next] = ranking(readers, records.slice(0, 1))
  if (surest && surest.confidence >= unmistakable.confidence) {
    const alone = rank(formatOf(surest.format), glance)
    const leads = surest.confidence - (next?.confidence ?? 0) > unmistakable.lead
    if (alone && leads && alone.recognized === glance.length) return [alone]
  }
  const near = readers.filter((format) => rank(format, glance))
  const ranked = ranking(near, sample)
  return ranked.some(isSure) ? ranked : ranking(readers, sample)
}

function ranking(formats: readonly Format<FormatId>[], records: readonly FileRecord[]): Ranked[] {
  return formats
    .flatMap((format) => rank(format, records) ?? [])
    .sort((a, b) => b.recognized - a.recognized || b.sum - a.sum)
}

/** The score of one format for some records; undefined if it knows none. */
function rank(format: Format<FormatId>, records: readonly FileRecord[]): Ranked | undefined {
  const scores = records.map(({ value }) => format.detect(value))
  const shown = scores.length
  const known = scores.filter((score) => score > 0).length
  if (known === 0) return undefined
  const sum = scores.reduce((total, score) => total + score, 0)
  return { format: format.id, recognized, sampled, confidence: Math.max(...scores) * (known / shown), sum }
}

/** A file is not read as a format that is less sure of it, unless the user names the format. */
export const leastConfidence = 0.5

/** The format that reads a file, or two that know it equally well; neither where no format is sure of it. */
export function chooseFormat(ranked: readonly Ranked[]): { chosen?: Ranked; tied?: [FormatId, FormatId] } {
  const [first, second] = ranked.filter(isSure)
  if (first === undefined) return {}
  return isTie(first, second) ? { tied: [first.format, second.format] } : { chosen: first }
}

function isSure({ confidence }: Ranked): boolean {
  return confidence >= leastConfidence
}

/** True if a format knows enough of some records to be theirs. */
export function isRecognizedBy(format: Format<FormatId>, records: readonly FileRecord[]): boolean {
  const ranked = rank(format, records.slice(0, sampledRecords))
  return ranked !== undefined && recognizesHalf(ranked)
}

/** True if a format knows at least half of the records, however little it knows them. */
export function recognizesHalf({ recognized, sampled }: Ranked): boolean {
  return recognized * 2 >= sampled
}

/** True if nothing speaks for the one rather than the other. */
function isTie(first: Ranked, second: Ranked | undefined): second is Ranked {
  return second !== undefined && first.recognized === second.recognized && Math.abs(first.sum - second.sum) < 1e-9
}
