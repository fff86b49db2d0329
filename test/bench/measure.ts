/** The middle value. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * Runs variants in turn, A B C A B C …, so that a machine whose speed drifts is as unkind to each; gives the median of
 * what each run measured.
 */
export async function sideBySide<Name extends string>(
  variants: Record<Name, () => Promise<number>>,
  rounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(variants) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (const name of names) await variants[name]()
  for (let round = 0; round < rounds; round++) for (const name of names) measured[name].push(await variants[name]())
  return Object.fromEntries(names.map((name) => [name, median(measured[name])])) as Record<Name, number>
}

/** Milliseconds that so many repetitions take, one after the other, for each of them. */
export const timed = (repetitions: number, work: () => Promise<unknown>) => async (): Promise<number> => {
  const startedAt = performance.now()
  for (let i = 0; i < repetitions; i++) await work()
  return (performance.now() - startedAt) / repetitions
}

/** Prints a table of variants with their ratio to the first. */
export function report(title: string, unit: string, result: Record<string, number>): void {
  const [base = Number.NaN] = Object.values(result)
  console.log(`\n${title} (medians, ${unit})`)
  for (const [name, value] of Object.entries(result)) {
    console.log(`  ${name.padEnd(34)} ${value.toFixed(3).padStart(10)}   ${(value / base).toFixed(2)} ×`)
  }
}
