import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ManyOptions, type ManyResult, mapConcurrent } from './many.js'

/** Work that ends when the test says so. */
function controlled(inputs: Iterable<number> | AsyncIterable<number>, options: ManyOptions = {}) {
  const ends = new Map<number, { succeed(): void; fail(reason: unknown): void }>()
  const work = (input: number) =>
    new Promise<string>((resolve, reject) => ends.set(input, { succeed: () => resolve(`done ${input}`), fail: reject }))
  return { ends, results: mapConcurrent(inputs, work, options, 'transcripts.uploadMany') }
}

const turns = async (count = 20) => {
  for (let i = 0; i < count; i++) await Promise.resolve()
}

/** Numbers from 0, counting how many were read, and whether the source was closed. */
function numbers(count: number) {
  const source = { read: 0, isClosed: false }
  const inputs = (async function* () {
    try {
      for (let i = 0; i < count; i++) {
        source.read = i + 1
        yield i
      }
    } finally {
      source.isClosed = true
    }
  })()
  return { source, inputs }
}

async function collect<T>(results: AsyncIterable<ManyResult<number, T>>): Promise<ManyResult<number, T>[]> {
  const all: ManyResult<number, T>[] = []
  for await (const result of results) all.push(result)
  return all
}

describe('mapConcurrent', () => {
  it('gives the results as they come, with index and input', async () => {
    const { ends, results } = controlled([10, 20])
    const first = results.next()
    await turns()
    ends.get(20)?.succeed()
    expect((await first).value).toEqual({ index: 1, input: 20, status: 'fulfilled', value: 'done 20' })
    const reason = new Error('no')
    ends.get(10)?.fail(reason)
    expect((await results.next()).value).toEqual({ index: 0, input: 10, status: 'rejected', reason })
    expect((await results.next()).done).toBe(true)
  })

  it('reads no further input once `until` is true, and gives the results of all started calls', async () => {
    const { source, inputs } = numbers(100)
    let enough = false
    const { ends, results } = controlled(inputs, { concurrency: 2, until: () => enough })
    const all = collect(results)
    await turns()
    enough = true
    ends.get(0)?.succeed()
    ends.get(1)?.fail(new Error('no'))
    expect((await all).map(({ index, status }) => [index, status])).toEqual([
      [0, 'fulfilled'],
      [1, 'rejected'],
    ])
    expect([source.read, source.isClosed]).toEqual([2, true])
  })

  it('starts at most `concurrency` calls, and reads no further input before one has ended', async () => {
    const { source, inputs } = numbers(100)
    const { ends, results } = controlled(inputs, { concurrency: 3 })
    const first = results.next()
    await turns()
    expect([ends.size, source.read]).toEqual([3, 3])
    ends.get(1)?.succeed()
    await first
    await turns()
    expect([ends.size, source.read]).toEqual([3, 3])
    results.next()
    await turns()
    expect([ends.size, source.read]).toEqual([4, 4])
  })

  it('gives each input once, whatever the order in which the calls end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ turns: fc.nat(30), fails: fc.boolean() }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        async (plan, concurrency) => {
          let [running, most] = [0, 0]
          const work = async (input: number) => {
            most = Math.max(most, ++running)
            await turns(plan[input]?.turns)
            running--
            if (plan[input]?.fails) throw input
            return input
          }
          const results = await collect(mapConcurrent(plan.keys(), work, { concurrency }))
          expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual([...plan.keys()])
          for (const result of results) {
            expect(result.status).toBe(plan[result.input]?.fails ? 'rejected' : 'fulfilled')
          }
          expect(most).toBeLessThanOrEqual(concurrency)
        },
      ),
    )
  })

  it('gives the results of all started calls before it throws an error of the inputs', async () => {
    const inputs = (async function* () {
      yield 1
      throw new Error('bad line')
    })()
    const { ends, results } = controlled(inputs)
    const first = results.next()
    await turns()
    ends.get(1)?.succeed()
    expect((await first).value).toMatchObject({ input: 1, status: 'fulfilled' })
    await expect(results.next()).rejects.toThrow('bad line')
  })

  it('waits for the started calls and closes the inputs on break', async () => {
    const { source, inputs } = numbers(9)
    const { ends, results } = controlled(inputs, { concurrency: 2 })
    const first = results.next()
    await turns()
    ends.get(0)?.succeed()
    await first
    let isOver = false
    const closing = results.return().then(() => {
      isOver = true
    })
    await turns()
    expect(isOver).toBe(false)
    ends.get(1)?.succeed()
    await closing
    expect([ends.size, source.isClosed]).toEqual([2, true])
  })

  it('gives the results of all started calls after an abort, then throws its reason and starts no other', async () => {
    const stop = new AbortController()
    const { source, inputs } = numbers(9)
    const { ends, results } = controlled(inputs, { concurrency: 2, signal: stop.signal })
    const first = results.next()
    await turns()
    ends.get(0)?.succeed()
    await first
    ends.get(1)?.succeed()
    await turns()
    stop.abort('enough')
    expect((await results.next()).value).toMatchObject({ input: 1, status: 'fulfilled' })
    await expect(results.next()).rejects.toBe('enough')
    expect([ends.size, source.isClosed]).toEqual([2, true])
  })

  it('throws the reason of an abort, also while it waits for an input that never comes', async () => {
    const stop = new AbortController()
    const never = (async function* (): AsyncGenerator<number> {
      await new Promise(() => {})
    })()
    const { results } = controlled(never, { signal: stop.signal })
    const first = results.next()
    await turns()
    stop.abort('enough')
    await expect(first).rejects.toBe('enough')
  })

  it('holds no memory of the inputs that are done', async () => {
    const { signal } = new AbortController()
    const held: WeakRef<object>[] = []
    const inputs = (function* () {
      for (let i = 0; i < 1_000; i++) {
        const input = { text: 'x'.repeat(100) }
        held.push(new WeakRef(input))
        yield input
      }
    })()
    let count = 0
    for await (const _ of mapConcurrent(inputs, async ({ text }) => text.length, { signal })) {
      if (++count < 1_000) continue
      await new Promise(setImmediate)
      globalThis.gc?.()
      expect(held.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(20)
    }
    expect(count).toBe(1_000)
  })

  it('refuses an unknown option before an input is read, and names the nearest', async () => {
    const { source, inputs } = numbers(3)
    const { results } = controlled(inputs, { concurency: 8 } as object)
    await expect(results.next()).rejects.toThrow(
      'transcripts.uploadMany: unknown option "concurency". Did you mean "concurrency"?',
    )
    expect(source.read).toBe(0)
  })

  it.each([0, 1.5, Number.NaN, '4'])('refuses a concurrency of %j', async (concurrency) => {
    const { results } = controlled([1], { concurrency: concurrency as number })
    await expect(results.next()).rejects.toThrow('transcripts.uploadMany: concurrency: expected a whole number from 1')
  })
})
