import type { FileRecord, Format } from '../contract/index.js'
import { type AnyFormatId, formatNamed, readers } from '../formats/index.js'
import { getOrInsert, isObject, parseBounded } from '../json/index.js'
import { type RawRecord, RecordSplitter, TableRow, TextHead, TextLine } from '../records/index.js'
import { unreadProduct } from './known-products.js'

/** A guess at a file's format. */
export interface Detection {
  /** The format that recognizes the file best. */
  format: AnyFormatId
  /** From 0 to 1: the format's best score for a record, times the share of the records that it recognizes. */
  confidence: number
}

/** The number of records that detection reads. */
export const sampledRecords = 50

/**
 * Detect the format of a file from its beginning, of which a few kilobytes are enough. Undefined when no format has a
 * confidence of at least 0.5, or two recognize the records equally well. `formats` are tried first, as in `parse`.
 */
export function detect(
  head: string | Uint8Array,
  { formats }: { formats?: readonly Format[] } = {},
): Detection | undefined {
  const splitter = new RecordSplitter()
  const raw = [...splitter.push(head), ...splitter.end()].filter(({ error }) => error === undefined)
  const complete = detectable(recordsOf(raw, (text) => text))
  const records = complete.length > 0 ? complete : recordsOf(raw, closeTruncated)
  const { chosen } = chooseFormat(rankFormats(records, formats))
  if (chosen && unreadProduct(records, formatNamed(chosen.format, formats))) return undefined
  return chosen && { format: chosen.format, confidence: chosen.confidence }
}

/** The records by which a format is detected; of a text that is one with its first lines. */
export function detectable(records: readonly FileRecord[]): readonly FileRecord[] {
  const [first] = records
  if (!(first?.value instanceof TextLine)) return records
  const lines = records.slice(0, sampledRecords).flatMap(({ value }) => (value instanceof TextLine ? value.text : []))
  return [{ ...first, value: new TextHead(lines) }]
}

function recordsOf(raw: readonly RawRecord[], jsonOf: (text: string) => string): FileRecord[] {
  return raw.flatMap(({ text, value, record, offset }) => {
    try {
      return [{ value: value ?? parseBounded(jsonOf(text)), record, offset }]
    } catch {
      return []
    }
  })
}

/** An open bracket and the open brackets around it. */
interface Open {
  closer: string
  outer: Open | undefined
  /** True in an object that is an element of a list, such as a message. */
  inElement: boolean
}

/**
 * Close JSON that ends in the middle after its last complete value; empty if there is none. An incomplete element of a
 * list is dropped, and a list without a complete one: without its last fields, an object may look like another format's.
 */
function closeTruncated(text: string): string {
  let open: Open | undefined
  /** The last index at which the text can be cut, and the brackets that are open there. */
  let cut: { end: number; open: Open | undefined } = { end: 0, open }
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (character === '{' || character === '[') {
      const isElement = character === '{' && open?.closer === ']'
      open = { closer: character === '{' ? '}' : ']', outer: open, inElement: isElement || open?.inElement === true }
      if (character === '{' && !open.inElement) cut = { end: at + 1, open }
    } else if (character === '}' || character === ']') {
      open = open?.outer
      if (!open?.inElement) cut = { end: at + 1, open }
    } else if (character === ',' && !open?.inElement) cut = { end: at, open }
  }
  let closed = text.slice(0, cut.end)
  for (let each = cut.open; each; each = each.outer) closed += each.closer
  return closed
}

/** The result of one format for the sampled records of a file. */
export interface Ranked extends Detection {
  /** The number of records that the format recognizes, of the `sampled` ones. */
  recognized: number
  sampled: number
  /** The sum of the scores of all records. It ranks formats that recognize equally many. */
  sum: number
}

/** All formats score this many records; then only the formats that recognize one of them score the rest. */
const glanced = 4
/** A format that is this confident about the first record, and leads by this much, is chosen after these records. */
const clear = { confidence: 0.9, lead: 0.3 }

/**
 * The formats that recognize any of the first 50 records, first those that recognize most, then by score: of the `own` ones,
 * or if none of these is confident, of all others.
 */
export function rankFormats(records: readonly FileRecord[], own: readonly Format[] = []): Ranked[] {
  const ranking = rankingOf(records.slice(0, sampledRecords))
  const ownRanked = ranking(own)
  if (ownRanked.some(isConfident)) return ownRanked
  const [first, second] = ranking(sharing(records.slice(0, 1)), 1)
  if (first && first.confidence >= clear.confidence && first.confidence - (second?.confidence ?? 0) > clear.lead) {
    const [clearest] = ranking([formatNamed(first.format)], glanced)
    if (clearest && clearest.recognized === clearest.sampled) return [clearest]
  }
  const ranked = ranking(sharing(records.slice(0, glanced)).filter((format) => ranking([format], glanced).length > 0))
  return ranked.some(isConfident) ? ranked : ranking(readers)
}

/** The formats that share a field with a record. The others are asked only if none of these is clear. */
function sharing(records: readonly FileRecord[]): readonly Format[] {
  const found = new Set<Format>()
  for (const { value } of records) {
    // A text, or a row of a table, whose columns may have any spelling.
    if (!isObject(value) || value instanceof TableRow) return readers
    for (const field in value) for (const format of byField.get(field) ?? []) found.add(format)
  }
  return readers.filter((format) => found.has(format))
}

const byField = new Map<string, Format[]>()
for (const format of readers) for (const field of format.fields) getOrInsert(byField, field, () => []).push(format)

/** Ranks formats by the first records of a sample; each format scores each record once. */
function rankingOf(sample: readonly FileRecord[]) {
  const known = new Map<Format, number[]>()
  const scoresOf = (format: Format, count: number): number[] => {
    const scores = known.get(format) ?? []
    known.set(format, scores)
    for (let at = scores.length; at < count && at < sample.length; at++) scores.push(format.detect(sample[at]?.value))
    return scores.length > count ? scores.slice(0, count) : scores
  }
  return (formats: readonly Format[], count = sample.length): Ranked[] =>
    formats
      .flatMap((format) => rank(format, scoresOf(format, count)) ?? [])
      .sort((a, b) => b.recognized - a.recognized || b.sum - a.sum)
}

function rank({ id }: Format, scores: readonly number[]): Ranked | undefined {
  const sampled = scores.length
  const recognized = scores.reduce((count, score) => count + (score > 0 ? 1 : 0), 0)
  if (recognized === 0) return undefined
  const confidence = Math.max(...scores) * (recognized / sampled)
  return { format: id, recognized, sampled, confidence, sum: scores.reduce((total, score) => total + score, 0) }
}

/** The confidence below which a format reads a file only if the user names it. */
export const minConfidence = 0.5

/** The format that reads a file, or two that recognize it equally well; neither if no format is confident enough. */
export function chooseFormat(ranked: readonly Ranked[]): { chosen?: Ranked; tied?: [AnyFormatId, AnyFormatId] } {
  const [first, second] = ranked.filter(isConfident)
  if (first === undefined) return {}
  const isTie = first.recognized === second?.recognized && Math.abs(first.sum - second.sum) < 1e-9
  return isTie ? { tied: [first.format, second.format] } : { chosen: first }
}

function isConfident({ confidence }: Ranked): boolean {
  return confidence >= minConfidence
}

export function isRecognizedBy(format: Format, records: readonly FileRecord[]): boolean {
  return rankingOf(records.slice(0, sampledRecords))([format]).some(recognizesHalf)
}

/**
 * True if a format reads the records as they are, and no value that they wrap. A table without columns of messages may hold JSON in its
 * cells, unless the user chose `columns`.
 */
export function hasFormat(ranked: readonly Ranked[], columns: unknown): boolean {
  const isVague =
    columns === undefined && ranked.every(({ format, confidence }) => format === 'table' && confidence < 0.9)
  return ranked.some(recognizesHalf) && !isVague
}

function recognizesHalf({ recognized, sampled }: Ranked): boolean {
  return recognized * 2 >= sampled
}
