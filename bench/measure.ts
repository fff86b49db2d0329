/** The middle value. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/**
 * Runs variants in turn, A B C A B C …, so that a machine whose speed drifts is as unkind to each. One round before
 * the measured ones warms up.
 */
export async function sideBySide<Name extends string, Measured>(
  variants: Record<Name, () => Promise<Measured>>,
  rounds: number,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(variants) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as Measured[]])) as Record<Name, Measured[]>
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const value = await variants[name]()
      if (round >= 0) measured[name].push(value)
    }
  }
  return measured
}

/** How one variant compares with another: the median of the ratios of the rounds, so that only a round's own load counts. */
export const ratio = (values: readonly number[], base: readonly number[]): number =>
  median(values.map((value, round) => value / (base[round] ?? Number.NaN)))

let kept = 0
let missed = 0

/** Prints what was measured beside what design section 8 promises. */
export function row(what: string, value: number, bound: '≤' | '≥', promised: number, unit: string): void {
  const holds = bound === '≤' ? value <= promised : value >= promised
  if (holds) kept++
  else missed++
  const digits = promised >= 60 ? 0 : 2
  const promise = `promise ${bound} ${promised} ${unit}`
  console.log(`${what.padEnd(66)} ${promise.padEnd(40)} ${value.toFixed(digits).padStart(6)} ${holds ? '' : 'MISSED'}`)
}

export const summary = (): string => `${kept} of ${kept + missed} promises hold`
