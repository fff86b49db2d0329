/**
 * The decisions of a world. Each is a small number, and 0 is the harmless one: no fault, the oldest effect first. They are
 * drawn from a seed, or replayed from a list, after whose end all are 0.
 */
export interface Choices {
  /** A number from 0 up to but not including `options`; 0 in `harmless` of all cases, the others are equally likely. */
  oneOf(options: number, harmless?: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** One of some values, of which the first is the harmless one. */
  pick<T>(values: readonly [T, ...T[]], harmless?: number): T
  /** All decisions so far. */
  readonly made: readonly number[]
}

/** Choices drawn from a seed: equal seeds give equal choices on every machine. */
export function seededChoices(seed: number): Choices {
  const next = randomOf(seed)
  return choicesFrom((options, harmless) => (next() < harmless ? 0 : Math.floor(next() * options)))
}

/** Choices that were made before. */
export function replayedChoices(made: readonly number[]): Choices {
  let at = 0
  return choicesFrom((options) => Math.min(made[at++] ?? 0, options - 1))
}

function choicesFrom(decide: (options: number, harmless: number) => number): Choices {
  const made: number[] = []
  const oneOf = (options: number, harmless = 0.5) => {
    if (options < 2) return 0
    const choice = decide(options, harmless)
    made.push(choice)
    return choice
  }
  return {
    oneOf,
    chance: (probability) => oneOf(2, 1 - 2 * probability) === 1,
    pick: (values, harmless) => values[oneOf(values.length, harmless)] ?? values[0],
    made,
  }
}

/** Numbers from 0 up to 1 (the generator "mulberry32", by Tommy Ettinger, public domain). */
export function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
