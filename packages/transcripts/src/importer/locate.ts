import { type Position, PositionsIn, positionInWhole } from '../json/index.js'
import type { Place } from '../model/index.js'
import { type RawRecord, RecordSplitter } from '../records/index.js'
import type { Chunk } from './importer.js'

/** The line and column of a place in the file it was read from; of the nearest parent when its pointer leads nowhere. */
export function locate(source: string | Uint8Array, place: Place): Position {
  return locateAll([source], [place])[0] ?? start
}

/** `locate` for many places of a file, in their order; the file is looked through once. */
export function locateAll(chunks: Iterable<Chunk>, places: readonly Place[]): Position[] {
  const search = new Search(places)
  for (const chunk of chunks) search.push(chunk)
  return search.end()
}

/** `locateAll` for a file whose parts come one after the other, of which one record at a time is held. */
export async function locateStream(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  places: readonly Place[],
): Promise<Position[]> {
  const search = new Search(places)
  for await (const chunk of chunks) search.push(chunk)
  return search.end()
}

const start: Position = { line: 1, column: 1 }

/** Cuts the file into records once more and looks into those that are asked for. */
class Search {
  readonly #found: Position[]
  readonly #wanted = new Map<string, { pointer: string; index: number }[]>()
  #splitter = new RecordSplitter()
  #member: string | undefined

  constructor(places: readonly Place[]) {
    this.#found = places.map(() => start)
    for (const [index, { pointer, member, offset }] of places.entries()) {
      const key = keyOf(member, offset)
      const others = this.#wanted.get(key)
      if (others) others.push({ pointer, index })
      else this.#wanted.set(key, [{ pointer, index }])
    }
  }

  push(chunk: Chunk): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#look(this.#splitter.push(chunk))
    else {
      this.#look(this.#splitter.end())
      this.#member = chunk.member
      this.#splitter = new RecordSplitter()
    }
  }

  end(): Position[] {
    this.#look(this.#splitter.end())
    return this.#found
  }

  #look(pieces: readonly RawRecord[]): void {
    for (const piece of pieces) {
      const wanted = this.#wanted.get(keyOf(this.#member, piece.offset))
      if (!wanted) continue
      const positions = new PositionsIn(piece.text)
      for (const { pointer, index } of wanted) this.#found[index] = positionInWhole(positions.of(pointer), piece)
    }
  }
}

function keyOf(member: string | undefined, offset: number): string {
  return `${offset} ${member ?? ''}`
}
