export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/**
 * Run variants alternately, A B C A B C …, so that a change of the machine's speed affects all. `warmUps`: rounds before the
 * measured ones; processes of their own need none.
 */
export async function sideBySide<Name extends string, Measured>(
  variants: Record<Name, () => Promise<Measured>>,
  rounds: number,
  warmUps = 1,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(variants) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as Measured[]])) as Record<Name, Measured[]>
  for (let round = -warmUps; round < rounds; round++) {
    for (const name of names) {
      const value = await variants[name]()
      if (round >= 0) measured[name].push(value)
    }
  }
  return measured
}

/** The median of the ratios of each round. */
export const ratio = (values: readonly number[], base: readonly number[]): number =>
  median(values.map((value, round) => value / (base[round] ?? Number.NaN)))

let kept = 0
let missed = 0

/** Print a number beside its promise. */
export function row(what: string, value: number, bound: '≤' | '≥', promised: number, unit: string): void {
  const holds = bound === '≤' ? value <= promised : value >= promised
  if (holds) kept++
  else missed++
  const digits = promised >= 60 ? 0 : 2
  const promise = `promise ${bound} ${promised} ${unit}`
  console.log(`${what.padEnd(66)} ${promise.padEnd(40)} ${value.toFixed(digits).padStart(6)} ${holds ? '' : 'MISSED'}`)
}

export const summary = (): string => `${kept} of ${kept + missed} promises hold`
