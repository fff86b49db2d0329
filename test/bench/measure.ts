/** What each round of each variant measured, in the order of the rounds. */
export type Samples = Record<string, number[]>

/** The value below which this part of all values lies, from 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** The middle value. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/**
 * Runs variants in turn, A B C A B C …, so that a machine whose speed drifts is as unkind to each. One round before
 * the measured ones warms up.
 */
export async function sideBySide<Measured>(
  variants: Record<string, () => Promise<Measured>>,
  rounds: number,
): Promise<Record<string, Measured[]>> {
  const measured = Object.fromEntries(Object.keys(variants).map((name): [string, Measured[]] => [name, []]))
  for (let round = -1; round < rounds; round++) {
    for (const [name, measure] of Object.entries(variants)) {
      const value = await measure()
      if (round >= 0) measured[name]?.push(value)
    }
  }
  return measured
}

/** One of the numbers that each round measured. */
export const only = <Key extends string>(measured: Record<string, Record<Key, number>[]>, key: Key): Samples =>
  Object.fromEntries(Object.entries(measured).map(([name, values]) => [name, values.map((value) => value[key])]))

/** How one variant compares with another: the median of what each round says, so that only a round's own load counts. */
export interface Ratio {
  value: number
  /** What it may be off by: half of the range that holds 95 of 100 medians of rounds drawn again. */
  noise: number
  /** The quartiles. */
  low: number
  high: number
}

export function ratioOf(values: readonly number[], base: readonly number[]): Ratio {
  const rounds = values.map((value, round) => value / (base[round] ?? Number.NaN))
  const again = () => median(rounds.map(() => rounds[Math.floor(Math.random() * rounds.length)] ?? Number.NaN))
  const medians = Array.from({ length: 400 }, again)
  return {
    value: median(rounds),
    noise: (quantile(medians, 0.975) - quantile(medians, 0.025)) / 2,
    low: quantile(rounds, 0.25),
    high: quantile(rounds, 0.75),
  }
}

/** Milliseconds that a call takes, of so many calls by so many callers side by side. */
export const timed =
  (calls: number, work: () => Promise<unknown>, callers = 1) =>
  async (): Promise<number> => {
    const startedAt = performance.now()
    const caller = async () => {
      for (let i = 0; i < calls / callers; i++) await work()
    }
    await Promise.all(Array.from({ length: callers }, caller))
    return (performance.now() - startedAt) / calls
  }
