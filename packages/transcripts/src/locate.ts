import { children, JsonSyntaxError } from './json-scan.js'
import type { Place } from './turn.js'

/** A position as editors show it: both 1-based, the column in UTF-16 code units. */
export interface Position {
  line: number
  column: number
}

/** The line and column of a place in the text it was read from; of the nearest parent when the pointer leads nowhere. */
export function locate(text: string, place: Place): Position {
  return locator(text)(place)
}

/** `locate` for many places of one text: lines and containers are looked through once. */
export function locator(text: string): (place: Place) => Position {
  const containers = new Map<number, Map<string, number>>()
  let starts: number[] | undefined

  const childrenAt = (offset: number) => {
    const known = containers.get(offset) ?? childrenOrNone(text, offset)
    containers.set(offset, known)
    return known
  }

  return (place) => {
    let offset = place.offset
    for (const token of place.pointer.split('/').slice(1)) {
      const child = childrenAt(offset).get(token.replaceAll('~1', '/').replaceAll('~0', '~'))
      if (child === undefined) break
      offset = child
    }
    starts ??= lineStarts(text)
    const line = lastAtMost(starts, offset)
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

function childrenOrNone(text: string, offset: number): Map<string, number> {
  try {
    return children(text, offset)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return new Map()
    throw error
  }
}

/** A byte order mark is no column. */
function lineStarts(text: string): number[] {
  const starts = [text.startsWith('\uFEFF') ? 1 : 0]
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
