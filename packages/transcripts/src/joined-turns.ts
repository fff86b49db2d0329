import type { Turn } from './turn.js'

/**
 * How many calls a cut before each turn would part from their results: a result answers the last open call of its name.
 * Pairs that lie further apart than `most` turns are left out, since no cut can keep them; `apart` counts them.
 */
export function joinedTurns(turns: readonly Turn[], most: number): { before: number[]; apart: number } {
  const open = new Map<string, number[]>()
  const steps = new Array<number>(turns.length + 1).fill(0)
  let apart = 0
  for (const [at, { toolCalls = [], toolResults = [] }] of turns.entries()) {
    for (const { name } of toolResults) {
      const call = open.get(name)?.pop()
      if (call === undefined) continue
      if (at - call >= most) apart++
      else {
        steps[call + 1] = (steps[call + 1] ?? 0) + 1
        steps[at + 1] = (steps[at + 1] ?? 0) - 1
      }
    }
    for (const { name } of toolCalls) {
      const calls = open.get(name)
      if (calls) calls.push(at)
      else open.set(name, [at])
    }
  }
  let depth = 0
  const before = steps.map((step) => {
    depth += step
    return depth
  })
  return { before, apart }
}
