import { getOrInsert } from '../json/index.js'
import { OpenCalls } from './open-calls.js'
import type { Turn } from './turn.js'

/** The calls and results of a turn by ids. */
export interface JoinedTurn {
  /** For each of `toolCalls`: `call_1`, `call_2` … in the transcript. */
  callIds: readonly string[]
  /** For each of `toolResults`, the id of its call; undefined for a result without a call. */
  resultIds: readonly (string | undefined)[]
}

/**
 * The call of each result: the one with its id where the file has ids, else an open call of its name (see `OpenCalls`).
 *
 * @returns one element for each turn
 */
export function joinedCalls(turns: readonly Turn[]): JoinedTurn[] {
  const known = new Set(turns.flatMap(({ callIds = [] }) => callIds))
  const numbers = new Map<string, string>()
  const open = new OpenCalls<string>()
  let count = 0
  const next = () => `call_${++count}`
  const numberOf = (id: string | undefined) => (id === undefined ? next() : getOrInsert(numbers, id, next))
  return turns.map(({ role, toolCalls = [], toolResults = [], callIds, resultIds }) => {
    if (role !== 'assistant' && role !== 'tool') open.endRound()
    return {
      callIds: toolCalls.map(({ name }, at) => {
        const id = numberOf(callIds?.[at])
        if (callIds === undefined) open.add(name, id)
        return id
      }),
      resultIds: toolResults.map(({ name }, at) => {
        if (resultIds === undefined) return open.takeNamed(name)
        const id = resultIds[at]
        return id == null || !known.has(id) ? undefined : numberOf(id)
      }),
    }
  })
}

/** The number of results whose call only its id tells: by the names and the order, each belongs to another one, or to none. */
export function joinsByIdIn(turns: readonly Turn[]): number {
  const own = callsOfResults(turns)
  const named = callsOfResults(turns.map(({ callIds: _, resultIds: __, ...turn }) => turn))
  return own.filter((call, at) => call !== -1 && call !== named[at]).length
}

/** For each result the number of its call in the transcript; -1 without one. */
function callsOfResults(turns: readonly Turn[]): number[] {
  const joined = joinedCalls(turns)
  const numbers = new Map(joined.flatMap(({ callIds }) => callIds).map((id, at) => [id, at]))
  return joined.flatMap(({ resultIds }) => resultIds.map((id) => numbers.get(id ?? '') ?? -1))
}
