import { getOrInsert, type Position, PositionsIn, positionInWhole } from '../json/index.js'
import type { Place } from '../model/index.js'
import { type RawRecord, RecordSplitter } from '../records/index.js'
import type { Chunk } from './options.js'
import { documentsIn } from './parsed-record.js'

/** Find the line and column of a place in the file it was read from; those of the nearest parent if nothing is there. */
export function locate(source: string | Uint8Array, place: Place): Position {
  return locateAll([source], [place])[0] ?? start
}

/**
 * Find the lines and columns of many places, in their order, in one pass over the file.
 *
 * @example
 * const [transcript] = parse(text).transcripts
 * const positions = locateAll([text], transcript.turns.map(({ place }) => place))
 */
export function locateAll(chunks: Iterable<Chunk>, places: readonly Place[]): Position[] {
  const search = new PlaceSearch(places)
  for (const chunk of chunks) search.push(chunk)
  return search.end()
}

/** `locateAll` for a file that arrives in chunks. One record at a time is held in memory. */
export async function locateStream(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  places: readonly Place[],
): Promise<Position[]> {
  const search = new PlaceSearch(places)
  for await (const chunk of chunks) search.push(chunk)
  return search.end()
}

/**
 * The texts of records by their numbers, from 1, as the file holds them; for a table also its header, as number 0. One record
 * at a time is held in memory, beside the wanted ones. A line of a text has none, nor has a row that is too long.
 *
 * @param csvEscape see `ReadOptions.csvEscape`
 */
export async function recordTexts(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  wanted: ReadonlySet<number>,
  csvEscape?: string,
): Promise<Map<number, string>> {
  const texts = new Map<number, string>()
  const splitter = new RecordSplitter({ csvEscape })
  const keep = (records: readonly RawRecord[]) => {
    if (splitter.layout === 'text') return
    for (const { record, text, row = text } of records) if (wanted.has(record) && row !== '') texts.set(record, row)
  }
  for await (const chunk of chunks) {
    // The members of an archive count their records on their own.
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) keep(splitter.push(chunk))
  }
  keep(splitter.end())
  if (splitter.header !== undefined) texts.set(0, splitter.header)
  return texts
}

const start: Position = { line: 1, column: 1 }

/** Splits the file into records again and searches those that the places name. */
class PlaceSearch {
  readonly #found: Position[]
  /** By offset: the pointers and the indices of their places. */
  readonly #wanted = new Map<string, { pointer: string; index: number }[]>()
  readonly #records: ReadonlySet<string>
  #splitter = new RecordSplitter()
  #member: string | undefined

  constructor(places: readonly Place[]) {
    // A row of a table begins on the line that its number says, whatever options split the table.
    this.#found = places.map(({ record }) => ({ line: record, column: 1 }))
    this.#records = new Set(places.map(({ record, member }) => keyOf(member, record)))
    for (const [index, { pointer, member, offset }] of places.entries()) {
      getOrInsert(this.#wanted, keyOf(member, offset), () => []).push({ pointer, index })
    }
  }

  push(chunk: Chunk): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#search(this.#splitter.push(chunk))
    else if ('member' in chunk) {
      this.#search(this.#splitter.end())
      this.#member = chunk.member
      this.#splitter = new RecordSplitter()
    }
  }

  end(): Position[] {
    this.#search(this.#splitter.end())
    return this.#found
  }

  #search(records: readonly RawRecord[]): void {
    const { layout } = this.#splitter
    if (typeof layout === 'object') return
    const isOfLines = layout === 'lines'
    const hasSeveral = ({ record }: RawRecord) => isOfLines && this.#records.has(keyOf(this.#member, record))
    for (const raw of records.flatMap((each) => (hasSeveral(each) ? [each, ...documentsIn(each)] : each))) {
      const wanted = this.#wanted.get(keyOf(this.#member, raw.offset))
      if (!wanted) continue
      const positions = new PositionsIn(raw.text)
      for (const { pointer, index } of wanted) this.#found[index] = positionInWhole(positions.of(pointer), raw)
    }
  }
}

function keyOf(member: string | undefined, offset: number): string {
  return `${offset} ${member ?? ''}`
}
