import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSlots } from './pool.js'

/** Pieces of work that end when they are released, in the order given. */
async function runAll(sizes: number[], width: number, mostBytes: number) {
  const slots = createSlots(width, mostBytes)
  const begun: number[] = []
  const under = new Map<number, () => void>()
  let most = { pieces: 0, bytes: 0 }
  const all = Promise.all(
    sizes.map((bytes, index) =>
      slots.run(bytes, async () => {
        begun.push(index)
        await new Promise<void>((end) => under.set(index, end))
        under.delete(index)
      }),
    ),
  )
  while (begun.length < sizes.length || under.size > 0) {
    const held = [...under.keys()].map((index) => sizes[index] ?? 0)
    const bytes = held.length > 1 ? held.reduce((sum, each) => sum + each, 0) : 0
    most = { pieces: Math.max(most.pieces, held.length), bytes: Math.max(most.bytes, bytes) }
    ;[...under.values()].at(-1)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await all
  return { begun, most }
}

it('admits each piece once and in order, never more of them or of their bytes than it may, and one however large', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(20), { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 15 }),
      async (sizes, width, mostBytes) => {
        const { begun, most } = await runAll(sizes, width, mostBytes)
        expect(begun).toEqual(sizes.map((_, index) => index))
        expect(most.pieces).toBeLessThanOrEqual(width)
        expect(most.bytes).toBeLessThanOrEqual(mostBytes)
      },
    ),
    { numRuns: 50 },
  )
})

it('admits the next piece after one fails', async () => {
  const slots = createSlots(1, 10)
  const failing = slots.run(1, () => Promise.reject(new Error('no')))
  const next = slots.run(1, async () => 'done')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('done')
})
