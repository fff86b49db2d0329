import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSlots, mapPool } from './pool.js'

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Work that waits for its turn in a given order of completion. */
function scheduled(order: number[]) {
  const release = new Map<number, () => void>()
  let running = 0
  let widest = 0
  const next = () => {
    const ready = order.findIndex((item) => release.has(item))
    if (ready < 0) return
    const [item = -1] = order.splice(ready, 1)
    release.get(item)?.()
    release.delete(item)
  }
  const work = async (index: number) => {
    widest = Math.max(widest, ++running)
    await new Promise<void>((resolve) => {
      release.set(index, resolve)
      setImmediate(next)
    })
    running--
    return { index }
  }
  return { work, widest: () => widest }
}

describe('a pool', () => {
  it('runs every item once, within the concurrency limit, in any order of completion', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(20),
        fc.integer({ min: 1, max: 6 }),
        fc.infiniteStream(fc.nat()),
        async (total, width, keys) => {
          const items = Array.from({ length: total }, (_, index) => index)
          const order = items.map((item) => ({ item, key: keys.next().value ?? 0 })).sort((a, b) => a.key - b.key)
          const { work, widest } = scheduled(order.map(({ item }) => item))
          const results = await collect(mapPool(items, width, work))
          expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual(items)
          expect(widest()).toBe(Math.min(width, total))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('starts nothing new after a stop, and waits for running work', async () => {
    const begun: number[] = []
    let stop = false
    const work = async (item: number) => {
      begun.push(item)
      if (item === 2) stop = true
      return item
    }
    expect(await collect(mapPool([1, 2, 3, 4, 5], 2, work, () => stop))).toEqual([1, 2])
    expect(begun).toEqual([1, 2])
  })

  it('starts nothing new after its consumer stops', async () => {
    const begun: number[] = []
    const work = async (item: number) => {
      begun.push(item)
      return item
    }
    for await (const item of mapPool([1, 2, 3, 4, 5, 6], 2, work)) if (item === 1) break
    expect(begun.length).toBeLessThanOrEqual(3)
  })
})

describe('items that come one after the other', () => {
  async function* slowly(upTo: number, failAt = Infinity) {
    for (let item = 1; item <= upTo; item++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (item === failAt) throw new Error(`no item ${item}`)
      yield item
    }
  }

  it('items that come one after the other are processed before the last item arrives', async () => {
    const events: string[] = []
    async function* items() {
      for await (const item of slowly(3)) {
        events.push(`item ${item}`)
        yield item
      }
    }
    const work = async (item: number) => events.push(`work ${item}`)
    await collect(mapPool(items(), 1, work))
    expect(events).toEqual(['item 1', 'work 1', 'item 2', 'work 2', 'item 3', 'work 3'])
  })

  it('ends with the error of the input after running work is yielded', async () => {
    const results: number[] = []
    const reading = async () => {
      for await (const result of mapPool(slowly(9, 4), 2, async (item) => item * 10)) results.push(result)
    }
    await expect(reading()).rejects.toThrow('no item 4')
    expect(results.sort()).toEqual([10, 20, 30])
  })

  it('items that come one after the other are closed when the consumer stops', async () => {
    let closed = false
    async function* items() {
      try {
        yield* slowly(9)
      } finally {
        closed = true
      }
    }
    for await (const _ of mapPool(items(), 2, async (item) => item)) break
    // The next item is awaited already, and a generator closes once it has come.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    expect(closed).toBe(true)
  })
})

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
