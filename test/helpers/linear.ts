import { expect } from 'vitest'

/** The least CPU of some work in three rounds, in milliseconds: what else the process does only adds to it. */
async function cpuOf(work: () => unknown): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    rounds.push((user + system) / 1000)
  }
  return Math.min(...rounds)
}

/** Expects that work of eight times the size takes less than 24 times the CPU. Quadratic work takes 64 times as much. */
export async function expectLinear(workOf: (size: number) => () => unknown, size = 500): Promise<void> {
  const [large, small] = [await cpuOf(workOf(8 * size)), await cpuOf(workOf(size))]
  expect(large).toBeLessThan(24 * Math.max(small, 10))
}
