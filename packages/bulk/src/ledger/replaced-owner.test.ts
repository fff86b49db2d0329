import type { Fetch } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { intentOf } from '../../test/fixtures/ledger.js'
import { createWorld, upload, uploads } from '../../test/fixtures/world.js'
import { readLedgers, reconcileLedger, type UploadResult } from '../index.js'
import { openLedger } from './index.js'

const kinds = (results: readonly UploadResult[]) => results.map(({ result }) => result)
const isPost = (...given: Parameters<Fetch>) => new Request(...given).method === 'POST'

type World = ReturnType<typeof createWorld>
type Process = ReturnType<World['process']>

const jsonl = ({ storage }: World) => storage.paths().filter((path) => path.endsWith('.jsonl'))
const textOf = ({ storage }: World, path: string) => storage.disk.readText(path)

/** Begin a run without waiting for it. */
function begun({ collect }: World, run: AsyncIterable<UploadResult>) {
  const ended = collect(run)
  ended.catch(() => {})
  return ended
}

/**
 * A run on another machine that stops at its nth upload as `pause` or `kill` say, before the request goes out or after it.
 * `isLost`: the answer to that request does not arrive.
 */
async function stoppedAt(world: World, nth: number, how: 'pause' | 'kill', when: 'before' | 'after', isLost = false) {
  let posts = 0
  const fetch: Fetch = async (...given) => {
    if (!isPost(...given) || ++posts !== nth) return world.server.fetch(...given)
    // On its way, it is not taken back by an abort.
    const send = () => world.server.fetch(String(given[0]), { ...given[1], signal: null })
    const response = when === 'after' ? await send() : undefined
    process[how]()
    if (how === 'pause') await new Promise<void>((resolve) => process.environment.clock.after(0, resolve))
    if (how === 'kill') return response ?? new Promise(() => {})
    const late = response ?? (await send())
    return isLost ? new Response(null, { status: 504 }) : late
  }
  const process: Process = world.process(fetch, {}, 'elsewhere')
  const ended = begun(world, process.run(uploads(6), { concurrency: 1 }))
  await world.clock.advance(1_000)
  expect(posts).toBe(nth)
  return { process, ended }
}

describe('a ledger whose owner was on a machine that vanished', () => {
  it.each(['before', 'after'] as const)(
    'a ledger of a machine that vanished %s a request is taken over, and each transcript is stored once',
    async (when) => {
      const world = createWorld()
      await stoppedAt(world, 3, 'kill', when)
      const waits: number[] = []
      const next = world.process().run(uploads(6), { onLease: (_, ms) => void waits.push(ms) })
      expect(new Set(kinds(await world.collect(next)))).toEqual(new Set(['uploaded', 'already_uploaded']))
      expect(waits).toEqual([60_000])
      expect(world.stored().sort()).toEqual(uploads(6).map(({ name }) => name))
    },
  )

  it('the next owner appends to a file of its own, and one after an ordered end goes on in it', async () => {
    const world = createWorld()
    await stoppedAt(world, 3, 'kill', 'before')
    const [first = ''] = jsonl(world)
    const before = textOf(world, first)
    await world.collect(world.process().run(uploads(6)))
    const files = jsonl(world)
    expect(files).toEqual([first, first.replace('.jsonl', '.g2.jsonl')])
    expect(textOf(world, first)).toBe(before)
    const replaced = textOf(world, files[1] ?? '').split('\n')[1] ?? ''
    expect(JSON.parse(replaced)).toMatchObject({ event: 'replaced', pid: 1, host: 'elsewhere' })
    await world.collect(world.process({} as never, {}, 'third').run([]))
    await world.collect(world.process(undefined, {}, 'third').run([...uploads(6), upload('more')]))
    expect(jsonl(world)).toEqual(files)
    expect(world.stored()).toHaveLength(7)
  })

  it('is refused while its owner on another machine lives, and nothing is sent', async () => {
    const world = createWorld()
    const hanging: Fetch = (...given) => (isPost(...given) ? new Promise(() => {}) : world.server.fetch(...given))
    const first = world.process(hanging, { timeoutMs: 250_000 }, 'elsewhere')
    void begun(world, first.run([upload('a')]))
    await world.clock.advance(1_000)
    for (let time = 0; time < 3; time++)
      await expect(world.collect(world.process().run([upload('a')]))).rejects.toMatchObject({
        code: 'ledger_locked',
        step: 'try_later',
      })
    expect(world.stored()).toEqual([])
  })

  it('goes to one of two machines that start at once, and the other one sends nothing', async () => {
    const world = createWorld()
    await stoppedAt(world, 3, 'kill', 'before')
    const machines = ['m1', 'm2'].map((name) => world.process(undefined, {}, name).run(uploads(6)))
    const ends = await Promise.allSettled(machines.map(world.collect))
    expect(ends.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: 'ledger_locked' } }])
    expect(world.stored()).toHaveLength(6)
  })

  it('a rebuild and a reconciliation take it over, too', async () => {
    const world = createWorld()
    await stoppedAt(world, 3, 'kill', 'after')
    const target = { baseUrl: world.server.publicBaseUrl, project: world.project }
    const { client, environment } = world.process()
    const reconciliation = await world.clock.until(
      reconcileLedger({ client, ...target, ledger: '/ledger', ...environment }),
    )
    expect(reconciliation.uploads.map(({ result }) => result).sort()).toEqual([
      'done',
      'done',
      'done',
      'unsent',
      'unsent',
      'unsent',
    ])
    const rebuilt = await world.clock.until(world.process().rebuild())
    expect(rebuilt).toMatchObject({ added: 0, complete: true })
    await world.collect(world.process().run(uploads(6)))
    expect(world.stored()).toHaveLength(6)
  })
})

describe('an owner that was paused', () => {
  it('just before a request does not count as absent what the list cannot show yet', async () => {
    const world = createWorld({ ambiguities: { listLagMs: 8_000 } })
    const fetch: Fetch = async (...given) => {
      if (!isPost(...given)) return world.server.fetch(...given)
      process.pause()
      await new Promise<void>((resolve) => process.environment.clock.after(0, resolve))
      await world.server.fetch(String(given[0]), { ...given[1], signal: null })
      return new Response('{', { status: 201, headers: { 'content-type': 'application/json' } })
    }
    const process = world.process(fetch)
    const ended = begun(world, process.run([upload('a')]))
    await world.clock.advance(30 * 60_000)
    process.resume()
    expect(kinds(await ended)).toEqual(['unknown'])
    expect(kinds(await world.collect(world.process().run([upload('a')])))).toEqual(['already_uploaded'])
    expect(world.stored()).toEqual(['a'])
  })
})

describe('an owner that was paused and replaced', () => {
  it('sends nothing more when it wakes up, and says that it has lost the ledger', async () => {
    const world = createWorld()
    const { process, ended } = await stoppedAt(world, 3, 'pause', 'after')
    await world.collect(world.process().run(uploads(6)))
    process.resume()
    const results = await ended
    expect(results.filter(({ result }) => result === 'uploaded')).toHaveLength(2)
    expect(results.find(({ result }) => result === 'unknown')).toMatchObject({ error: { code: 'possibly_stored' } })
    expect(world.stored()).toHaveLength(6)
  })

  it('stops between two requests with an error that all would share', async () => {
    const world = createWorld()
    const process = world.process(undefined, {}, 'elsewhere')
    let goOn = () => {}
    async function* slowly() {
      yield* uploads(6).slice(0, 2)
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      yield* uploads(6).slice(2)
    }
    const ended = begun(world, process.run(slowly(), { concurrency: 1 }))
    await world.clock.advance(1_000)
    process.pause()
    await world.collect(world.process().run(uploads(6)))
    process.resume()
    goOn()
    const results = await ended
    expect(results.find(({ result }) => result === 'not_sent')).toMatchObject({ error: { code: 'ledger_lost' } })
    expect(world.stored()).toHaveLength(6)
  })

  it('that sends a request late reports it as unknown, and the ledger names both copies', async () => {
    const world = createWorld()
    const { process, ended } = await stoppedAt(world, 3, 'pause', 'before')
    await world.collect(world.process().run(uploads(6)))
    expect(world.stored()).toHaveLength(6)
    process.resume()
    const late = (await ended).filter(({ result }) => result === 'unknown')
    const ids = [expect.any(String), expect.any(String)]
    expect(late).toMatchObject([{ item: { name: 'question 2' }, step: 'reconcile', candidates: ids }])
    expect(world.stored()).toHaveLength(7)
    const [ledger] = await readLedgers('/ledger', { disk: world.storage.disk })
    expect(ledger?.items.filter(({ state }) => state === 'unknown')).toMatchObject([
      { name: 'question 2', candidates: ids },
    ])
  })

  it('and whose late upload no answer confirms, nor that of the next owner, leaves both copies to one that sees both', async () => {
    const world = createWorld({ ambiguities: { listLagMs: 8_000 } })
    const { process, ended } = await stoppedAt(world, 3, 'pause', 'before', true)
    const unanswered: Fetch = async (...given) => {
      const response = await world.server.fetch(...given)
      const isLost = isPost(...given)
        ? (await response.clone().text()).includes('question 2')
        : world.stored().length > 2
      return isLost ? new Response(null, { status: 504 }) : response
    }
    const next = await world.collect(world.process(unanswered).run(uploads(6), { concurrency: 1 }))
    expect(kinds(next)).toContain('unknown')
    process.resume()
    expect(kinds(await ended)).toContain('unknown')
    expect(world.stored().filter((name) => name === 'question 2')).toHaveLength(2)
    const again = await world.collect(world.process().run(uploads(6)))
    expect(kinds(again)).toEqual(uploads(6).map(() => 'already_uploaded'))
    expect(world.stored()).toHaveLength(7)
    const [ledger] = await readLedgers('/ledger', { disk: world.storage.disk })
    expect(ledger?.items.find(({ name }) => name === 'question 2')).toMatchObject({
      state: 'done',
      ids: [expect.any(String), expect.any(String)],
    })
  })

  it('and that records an upload late makes it unknown at the end of the next owner', async () => {
    const world = createWorld()
    const target = { baseUrl: world.server.publicBaseUrl, project: world.project }
    const paused = world.process(undefined, {}, 'elsewhere')
    const first = await openLedger({ folder: '/ledger', target, ...paused.environment })
    await first.intend([intentOf('early')])
    paused.pause()
    let isLate = false
    const fetch: Fetch = async (...given) => {
      if (isPost(...given) && !isLate) {
        isLate = true
        await first.intend([intentOf('late'), intentOf('not sent')])
        first.close(intentOf('not sent').key, { event: 'unsent' })
        first.close(intentOf('early').key, { event: 'unknown', candidates: ['tr_1'] })
        first.write()
        expect(() => first.markSent(intentOf('late').key)).toThrow(
          expect.objectContaining({ code: 'ledger_lost', step: 'try_later' }),
        )
      }
      return world.server.fetch(...given)
    }
    const run = world.process(fetch).run([upload('a')])
    await expect(world.collect(run)).rejects.toMatchObject({
      code: 'possibly_stored',
      step: 'reconcile',
      message: expect.stringContaining('recorded 2 uploads later'),
      details: expect.arrayContaining(['early', 'late']),
    })
    const [ledger] = await readLedgers('/ledger', { disk: world.storage.disk })
    const states = ledger?.items.map(({ name, state }) => [name, state])
    expect(states).toContainEqual(['early', 'unknown'])
    expect(states).toContainEqual(['late', 'unknown'])
    expect(states).toContainEqual(['not sent', 'unsent'])
  })

  it('and that searched before it was replaced does not close as absent what the next owner may have stored', async () => {
    const world = createWorld()
    const target = { baseUrl: world.server.publicBaseUrl, project: world.project }
    const paused = world.process(undefined, {}, 'elsewhere')
    const [early, other] = [intentOf('early'), intentOf('other')]
    const first = await openLedger({ folder: '/ledger', target, ...paused.environment })
    await first.intend([early, other])
    paused.pause()
    const second = await world.clock.until(openLedger({ folder: '/ledger', target, ...world.process().environment }))
    second.close(early.key, { event: 'unknown', candidates: ['tr_1'] })
    second.write()
    first.close(other.key, { event: 'unknown', candidates: [] })
    first.close(early.key, { event: 'absent' })
    await first.release()
    await second.release().catch(() => {})
    const [ledger] = await readLedgers('/ledger', { disk: world.storage.disk })
    expect(ledger?.items.find(({ name }) => name === 'early')).toMatchObject({ state: 'unknown', candidates: ['tr_1'] })
  })

  it('and whose file is gone by the end of the next owner has recorded nothing later', async () => {
    const world = createWorld()
    const target = { baseUrl: world.server.publicBaseUrl, project: world.project }
    const paused = world.process(undefined, {}, 'elsewhere')
    const first = await openLedger({ folder: '/ledger', target, ...paused.environment })
    await first.intend([intentOf('early')])
    paused.pause()
    const [file = expect.fail()] = jsonl(world)
    const next = await world.clock.until(openLedger({ folder: '/ledger', target, ...world.process().environment }))
    expect(next.unresolved()).toMatchObject([{ name: 'early' }])
    world.storage.disk.remove(file)
    await expect(next.release()).resolves.toBeUndefined()
  })

  it.each([
    ['unknown', { event: 'unknown', candidates: ['tr_1'] }, { event: 'unsent' }],
    ['stored', { event: 'done', id: 'tr_1' }, { event: 'unknown', candidates: [] }],
  ] as const)(
    'leaves an upload that the next owner knows as %s to a search by the one after it',
    async (_, closing, late) => {
      const world = createWorld()
      const target = { baseUrl: world.server.publicBaseUrl, project: world.project }
      const on = (process: Process) =>
        world.clock.until(openLedger({ folder: '/ledger', target, ...process.environment }))
      const paused = world.process(undefined, {}, 'elsewhere')
      const upload = intentOf('early')
      const first = await on(paused)
      await first.intend([upload])
      paused.pause()
      const second = await on(world.process())
      second.close(upload.key, closing)
      second.write()
      await first.intend([upload])
      first.close(upload.key, late)
      await first.release()
      await second.release().catch(() => {})
      const third = await on(world.process())
      expect(third.unresolved()).toMatchObject([{ state: 'unknown', name: 'early', content: upload.content }])
    },
  )
})
