import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Intent } from '../../ledger/events.js'
import { gatherIntents, inReserve, together } from './intents.js'

const intent = (key: string): Intent => ({ key }) as Intent

/** A ledger that writes when it is told to, and remembers what it was given at once. */
function slowLedger() {
  const batches: { keys: string[]; written(): void; failed(error: Error): void }[] = []
  const intend = (items: readonly Intent[]) =>
    new Promise<void>((written, failed) => {
      batches.push({ keys: items.map(({ key }) => key), written, failed })
    })
  return { batches, intend }
}

const settled = () => new Promise(setImmediate)

describe('intents', () => {
  it('are written at once while few are, and together once there are enough', () => {
    const ledger = slowLedger()
    const intents = gatherIntents(ledger, 8)
    for (let n = 0; n < 8 + inReserve + together; n++) void intents.add(intent(`${n}`))
    const sizes = ledger.batches.map(({ keys }) => keys.length)
    expect(sizes).toEqual([...Array.from({ length: 8 + inReserve }, () => 1), together])
  })

  it('that have gathered are written when those before them run out', () => {
    const ledger = slowLedger()
    const intents = gatherIntents(ledger, 1)
    for (let n = 0; n < 1 + inReserve + 3; n++) void intents.add(intent(`${n}`))
    expect(ledger.batches).toHaveLength(1 + inReserve)
    intents.done()
    expect(ledger.batches.at(-1)?.keys).toHaveLength(3)
  })

  it('that are written together fail together, and those before and after them do not', async () => {
    const ledger = slowLedger()
    const intents = gatherIntents(ledger, 1)
    const before = Array.from({ length: 1 + inReserve }, (_, n) => intents.add(intent(`${n}`)))
    const both = Promise.allSettled([intents.add(intent('a')), intents.add(intent('b'))])
    intents.done()
    intents.done()
    intents.done()
    const after = intents.add(intent('c'))
    for (const { keys, written, failed } of ledger.batches) {
      if (keys.includes('a')) failed(new Error('disk full'))
      else written()
    }
    await Promise.all([...before, after])
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(ledger.batches.map(({ keys }) => keys)).toContainEqual(['a', 'b'])
  })

  it('resolve when theirs are on disk, and none is kept waiting, whatever comes in which order', async () => {
    const steps = fc.array(fc.constantFrom('add', 'write', 'done'), { maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), steps, async (concurrency, order) => {
        const ledger = slowLedger()
        const intents = gatherIntents(ledger, concurrency)
        const onDisk = new Set<string>()
        let [added, resolved, ended] = [0, 0, 0]
        const write = () => {
          const batch = ledger.batches.shift()
          for (const key of batch?.keys ?? []) onDisk.add(key)
          batch?.written()
        }
        const add = () => {
          const key = `${added++}`
          void intents.add(intent(key)).then(() => {
            resolved++
            expect(onDisk).toContain(key)
          })
        }
        const done = () => {
          if (ended === resolved) return
          ended++
          intents.done()
        }
        for (const step of order) {
          if (step === 'add') add()
          else if (step === 'write') write()
          else done()
          await Promise.resolve()
        }
        // What is under way ends, and nothing new comes.
        while (ended < added) {
          write()
          await settled()
          const before = ended
          while (ended < resolved) done()
          if (ended === before && ledger.batches.length === 0) break
        }
        expect(ended).toBe(added)
      }),
      { numRuns: 60 },
    )
  })
})
