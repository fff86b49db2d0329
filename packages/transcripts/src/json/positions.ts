import { children, JsonSyntaxError } from './scan.js'

/** A position as editors show it. */
export interface Position {
  /** 1-based. */
  line: number
  /** 1-based, in UTF-16 code units. */
  column: number
}

/** Finds the positions of JSON pointers in a JSON text; caches its lines and containers. */
export class PositionsIn {
  readonly #text: string
  readonly #containers = new Map<number, Map<string, number>>()
  #starts: number[] | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** The position of a pointer, or of its nearest parent that exists. */
  of(pointer: string): Position {
    let index = 0
    for (const token of pointer.split('/').slice(1)) {
      const child = this.#childrenAt(index).get(token.replaceAll('~1', '/').replaceAll('~0', '~'))
      if (child === undefined) break
      index = child
    }
    return this.at(index)
  }

  at(index: number): Position {
    this.#starts ??= lineStarts(this.#text)
    const line = lastAtMost(this.#starts, index)
    return { line: line + 1, column: index - (this.#starts[line] ?? 0) + 1 }
  }

  #childrenAt(index: number): Map<string, number> {
    const known = this.#containers.get(index) ?? childrenOrNone(this.#text, index)
    this.#containers.set(index, known)
    return known
  }
}

/** Convert a position in a part of a text to one in the whole text, in which the part begins at `start`. */
export function positionInWhole(within: Position, start: Position): Position {
  if (within.line > 1) return { line: start.line + within.line - 1, column: within.column }
  return { line: start.line, column: start.column + within.column - 1 }
}

function childrenOrNone(text: string, index: number): Map<string, number> {
  try {
    return children(text, index)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return new Map()
    throw error
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lastAtMost(sorted: readonly number[], wanted: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((sorted[middle] ?? 0) <= wanted) low = middle
    else high = middle - 1
  }
  return low
}
