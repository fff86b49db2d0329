import { createClient, type Fetch, type TranscriptUpload } from '@svc/client'
import { parseFault } from '@svc/reference-server/core'
import { describe, expect, it } from 'vitest'
import { Crash } from '../../test/fixtures/memory-disk.js'
import { createWorld, upload, uploads } from '../../test/fixtures/world.js'
import { BulkError, type UploadAllOptions, type UploadResult, uploadAll } from '../index.js'
import { ledgerFileOf } from '../parts.js'

/** A transcript as a list or a single read shows it. */
type Shown = Record<string, unknown> & { name: string; turns?: { content: string }[] }

const kinds = (results: readonly UploadResult[]) => results.map(({ result }) => result)

describe('uploadAll', () => {
  it('uploads each transcript once, and a second run sends nothing', async () => {
    const { process, collect, stored, server } = createWorld()
    const first = process()
    const run = first.run(uploads(20))
    expect(kinds(await collect(run))).toEqual(Array.from({ length: 20 }, () => 'uploaded'))
    expect(run.summary()).toMatchObject({ uploaded: 20, not_sent: 0 })
    const sent = server.requests.length
    const again = process().run(uploads(20))
    expect(kinds(await collect(again))).toEqual(Array.from({ length: 20 }, () => 'already_uploaded'))
    expect([stored().length, server.requests.length]).toEqual([20, sent])
  })

  it('gives the tag of a transcript back with its result, and counts equal ones as several', async () => {
    const { process, collect, stored } = createWorld()
    const { run } = process()
    const same = [upload('a'), upload('a'), upload('b')]
    expect(kinds(await collect(run(same)))).toEqual(['uploaded', 'uploaded', 'uploaded'])
    expect(stored().sort()).toEqual(['a', 'a', 'b'])
    const world = createWorld()
    const results = await world.collect(world.process().run(same, { dedupe: true }))
    expect(kinds(results).sort()).toEqual(['skipped_duplicate', 'uploaded', 'uploaded'])
  })

  it('reports an upload that the service would refuse, with its violations, and sends the others', async () => {
    const { process, collect } = createWorld()
    const results = await collect(process().run([upload('a'), upload('b', { language: 'x'.repeat(11) }), upload('c')]))
    expect(kinds(results).sort()).toEqual(['failed', 'uploaded', 'uploaded'])
    expect(results.find(({ result }) => result === 'failed')).toMatchObject({
      step: 'fix_input',
      error: { name: 'InputError', violations: [{ pointer: '/language' }] },
    })
  })

  it('sends what JSON.stringify gives, toJSON included, and refuses a value that JSON would change', async () => {
    const { process, collect, server } = createWorld()
    class Customer {
      readonly secret = 'RAW SECRET'
      toJSON = () => ({ tier: 'gold' })
    }
    const hidden = upload('a', { metadata: new Customer() as unknown as Record<string, unknown> })
    const invalid = upload('b', { metadata: { at: new Date(Number.NaN) } })
    const results = await collect(process().run([hidden, invalid]))
    expect(results.map(({ result }) => result).sort()).toEqual(['failed', 'uploaded'])
    expect(results.find(({ result }) => result === 'failed')).toMatchObject({
      error: { violations: [{ pointer: '/metadata/at', code: 'not_json' }] },
    })
    const [sent] = server.requests.filter(({ method }) => method === 'POST')
    expect(JSON.stringify(sent)).not.toContain('RAW SECRET')
    expect(sent?.body).toMatchObject({ metadata: { tier: 'gold', svc: { occurrence: 1 } } })
  })

  it('sends nothing more after a failure that all would share, and says which are left', async () => {
    const { process, collect, stored } = createWorld({ faults: [parseFault('transcripts.upload: status; code=401')] })
    const run = process().run(uploads(60), { concurrency: 1 })
    const results = await collect(run)
    expect(new Set(results.map(({ item }) => item.name)).size).toBe(60)
    expect(kinds(results).filter((kind) => kind === 'failed')).toHaveLength(1)
    expect(stored()).toEqual([])
    expect(run.summary()).toMatchObject({ failed: 1, not_sent: 59 })
  })

  it('reads no more of a generator after such a failure, and does not say how many are left', async () => {
    const { process, collect } = createWorld({ faults: [parseFault('transcripts.upload: status; code=401')] })
    function* endless() {
      for (let n = 0; ; n++) yield upload(`question ${n}`)
    }
    const run = process().run(endless(), { concurrency: 1 })
    expect(kinds(await collect(run))).toContain('failed')
    expect(run.summary().not_sent).toBeNull()
  })

  it('gives a result for each element of an array, whatever ends the run', async () => {
    const { process, collect, stored } = createWorld()
    const stop = new AbortController()
    const run = process().run(uploads(60), { concurrency: 1, signal: stop.signal })
    const results: UploadResult[] = []
    const end = (async () => {
      for await (const result of run) {
        results.push(result)
        stop.abort(new Error('enough'))
      }
    })()
    await expect(end).rejects.toThrow('enough')
    expect(results).toHaveLength(60)
    const sent = stored().length
    expect(run.summary()).toMatchObject({ uploaded: sent, not_sent: 60 - sent })
    expect(await collect(process().run(uploads(60)))).toHaveLength(60)
  })

  it('does not count what it sent as not sent if its iteration is left', async () => {
    const { process, clock } = createWorld()
    const run = process().run(uploads(20), { total: 20 })
    const first = (async () => {
      for await (const { result } of run) return result
      return undefined
    })()
    await clock.until(first)
    expect(run.summary()).toMatchObject({ uploaded: 1, not_sent: null })
  })

  it('throws the error of a deadline, also if a request has reached it before the timer', async () => {
    const { process, collect, clock } = createWorld()
    const early = { ...clock, after: (ms: number, callback: () => void) => clock.after(ms + 3, callback) }
    const fetch = new Promise<never>(() => {})
    const run = process(() => fetch, { retry: false }).run(uploads(5), { deadlineMs: 1_000, clock: early })
    await expect(collect(run)).rejects.toMatchObject({ code: 'deadline_passed' })
    expect(run.summary().uploaded).toBe(0)
  })

  it('takes a signal of a polyfill, which lacks members', async () => {
    const { process, collect } = createWorld()
    const { signal: nativeSignal } = new AbortController()
    const signal = {
      aborted: false,
      addEventListener: nativeSignal.addEventListener.bind(nativeSignal),
    } as unknown as AbortSignal
    expect(kinds(await collect(process().run(uploads(2), { signal })))).toEqual(['uploaded', 'uploaded'])
  })

  it('finds an upload whose answer was lost, and does not send it again', async () => {
    const { process, collect, stored } = createWorld({ faults: [parseFault('transcripts.upload: lost; times=2')] })
    expect(kinds(await collect(process().run(uploads(5))))).toEqual(Array.from({ length: 5 }, () => 'uploaded'))
    expect(stored()).toHaveLength(5)
  })

  it('does not send an upload whose external id is stored with other content, if it is told so', async () => {
    const { process, collect, stored } = createWorld()
    await collect(process().run([upload('a', { externalId: 'x' })]))
    const grown = [upload('a and more', { externalId: 'x' })]
    expect(await collect(process().run(grown, { skipChanged: true }))).toMatchObject([
      { result: 'skipped_changed', changedFrom: expect.any(String) },
    ])
    expect(await collect(process().run(grown))).toMatchObject([{ result: 'uploaded', changedFrom: expect.any(String) }])
    expect(stored()).toHaveLength(2)
  })

  it('rejects while another process writes the ledger, and goes on once that process has ended', async () => {
    const { process, collect } = createWorld()
    const first = process()
    const iterator = first.run(uploads(3))[Symbol.asyncIterator]()
    await iterator.next()
    await expect(collect(process().run(uploads(3)))).rejects.toMatchObject({ name: 'BulkError', code: 'ledger_locked' })
    first.kill()
    expect(await collect(process().run(uploads(3)))).toHaveLength(3)
  })

  it('splits the input into shards that together upload everything once', async () => {
    const { process, collect, stored } = createWorld()
    const runs = [0, 1, 2].map((index) => process().run(uploads(30), { shard: { index, of: 3 } }))
    const results = await Promise.all(runs.map(collect))
    expect(results.flat()).toHaveLength(30)
    expect(new Set(stored()).size).toBe(30)
    expect(runs.map((run) => run.summary().other_shards).reduce((a, b) => a + b)).toBe(60)
  })

  it('gives the results of what is under way after an abort, then throws its reason', async () => {
    const { clock, process, collect, stored } = createWorld()
    const abort = new AbortController()
    const { run } = process()
    const results: UploadResult[] = []
    const iterate = async () => {
      for await (const result of run(uploads(100), { signal: abort.signal })) {
        results.push(result)
        if (results.length === 3) abort.abort(new Error('enough'))
      }
    }
    await expect(clock.until(iterate())).rejects.toThrow('enough')
    expect(stored().length).toBe(kinds(results).filter((kind) => kind === 'uploaded').length)
    expect(await collect(process().run(uploads(100)))).toHaveLength(100)
    expect(stored()).toHaveLength(100)
  })

  it('keeps an upload as unknown that was sent before an abort, whatever error is the reason of the abort', async () => {
    const world = createWorld()
    const abort = new AbortController()
    const unanswered: Fetch = async (...given) => {
      const request = new Request(...given)
      const response = await world.server.fetch(request)
      if (request.method !== 'POST') return response
      abort.abort(new BulkError('deadline_passed', 'The job has ended.'))
      return new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))
    }
    const run = world.process(unanswered).run([upload('a')], { signal: abort.signal })
    await expect(world.collect(run)).rejects.toThrow('The job has ended.')
    expect(kinds(await world.collect(world.process().run([upload('a')])))).toEqual(['already_uploaded'])
    expect(world.stored()).toEqual(['a'])
  })

  it('keeps an upload as unknown that a killed run sent, if the service answers 409 and does not list it', async () => {
    const world = createWorld({ ambiguities: { externalIdUnique: true, listLagMs: 600_000 } })
    const killed: Fetch = async (...given) => {
      const request = new Request(...given)
      const response = await world.server.fetch(request)
      if (request.method === 'POST') first.kill()
      return request.method === 'POST' ? new Promise(() => {}) : response
    }
    const first = world.process(killed)
    void world.collect(first.run([upload('a', { externalId: 'e' })])).catch(() => {})
    await world.clock.advance(1_000)
    const again = () => world.collect(world.process().run([upload('a', { externalId: 'e' })]))
    expect(await again()).toMatchObject([{ result: 'unknown', step: 'reconcile' }])
    expect(await again()).toMatchObject([{ result: 'unknown', step: 'reconcile' }])
    await world.clock.advance(600_000)
    expect(await again()).toMatchObject([{ result: 'already_uploaded' }])
    expect(world.stored()).toEqual(['a'])
  })

  it('does not say that nothing is left when the iteration is ended before the last result', async () => {
    const world = createWorld()
    const run = world.process().run(uploads(3))
    const results: UploadResult[] = []
    const takeOne = async () => {
      for await (const result of run) {
        results.push(result)
        break
      }
    }
    await world.clock.until(takeOne())
    expect(kinds(results)).toEqual(['uploaded'])
    expect(run.summary()).toMatchObject({ uploaded: 1, not_sent: null })
  })

  it('finds transcripts without a stamp in the rebuilt ledger if that had lost its entries', async () => {
    const world = createWorld()
    const { client, rebuild, run } = world.process()
    await client.transcripts.upload(world.project, upload('a'), { stamp: false })
    const target = { baseUrl: world.server.publicBaseUrl, project: world.project }
    const header = `${JSON.stringify({ schema: 'svc/ledger@2', ...target })}\n`
    world.storage.disk.create(ledgerFileOf('/ledger', target), header)
    await expect(world.collect(run([upload('a')]))).rejects.toMatchObject({ code: 'ledger_empty' })
    expect(await world.clock.until(rebuild())).toMatchObject({ added: 0, unidentified: 1 })
    expect(await world.collect(run([upload('a')]))).toMatchObject([{ result: 'already_uploaded', by: 'same_content' }])
    expect(world.stored()).toEqual(['a'])
  })

  it('takes a transcript without a stamp for one upload only, and not for one with an external id that it does not show', async () => {
    const world = createWorld({ ambiguities: { metadata: 'stripped' } })
    const withId = upload('a', { name: 'with id', externalId: 'x' })
    const { client, rebuild, run } = world.process()
    await client.transcripts.upload(world.project, upload('a'), { stamp: false })
    await world.clock.until(rebuild())
    expect(await world.collect(run([upload('a'), withId]))).toMatchObject([
      { result: 'already_uploaded', by: 'same_content' },
      { result: 'uploaded' },
    ])
    world.storage.disk.remove(ledgerFileOf('/ledger', { baseUrl: world.server.publicBaseUrl, project: world.project }))
    await world.clock.until(rebuild())
    const [first, second] = await world.collect(run([withId, upload('a')]))
    expect([first, second]).toMatchObject([{ result: 'already_uploaded' }, { result: 'already_uploaded' }])
    expect(Object(first).id).not.toBe(Object(second).id)
    expect(world.stored()).toEqual(['with id', 'a'])
  })

  /** Forget the ledger, and rebuild it of a service that shows its transcripts as `shown` makes them. */
  async function rebuiltOf(world: ReturnType<typeof createWorld>, shown: (record: Shown) => unknown) {
    const changing: Fetch = async (...given) => {
      const response = await world.server.fetch(...given)
      if (!response.ok || (given[1]?.method ?? 'GET') !== 'GET') return response
      const body = JSON.parse(await response.text())
      const list = Array.isArray(body.data)
      return Response.json(list ? { ...body, data: body.data.map(shown) } : { ...body, data: shown(body.data) })
    }
    const process = world.process(changing)
    return { run: process.run, rebuilt: await world.clock.until(process.rebuild()) }
  }

  const noTurns = ({ turns: _, ...record }: Shown) => record
  const masked = (record: Shown) => ({ ...record, metadata: { svc: '***' } })
  const starred = (record: Shown) => ({
    ...record,
    metadata: {},
    ...(record.turns && { turns: record.turns.map((turn) => ({ ...turn, content: '***' })) }),
  })

  it.each<[string, (record: Shown) => unknown]>([
    ['cut names', (record) => noTurns(masked({ ...record, name: record.name.slice(0, 5) }))],
    ['masked names', (record) => noTurns(masked({ ...record, name: 'REDACTED' }))],
    ['hidden external ids', (record) => noTurns(masked({ ...record, external_id: null }))],
    ['masked turns and no metadata', starred],
  ])('stores nothing twice after a rebuild of a service that shows %s, and sends the rest', async (_, shown) => {
    const world = createWorld()
    const originals = uploads(3).map((each, at) => ({ ...each, externalId: `order-${at}` }))
    const first = world.process()
    await world.collect(first.run(originals))
    first.kill()
    world.storage.disk.remove(ledgerFileOf('/ledger', { baseUrl: world.server.publicBaseUrl, project: world.project }))
    const { run, rebuilt } = await rebuiltOf(world, shown)
    expect(rebuilt).toMatchObject({ unidentified: 3, ambiguous: 3 })
    const twoTurns = {
      ...upload('new'),
      turns: [...upload('new').turns, { role: 'assistant' as const, content: 'Yes.' }],
    }
    const results = await world.collect(run([...originals, twoTurns]))
    expect(kinds(results).sort()).toEqual(['unknown', 'unknown', 'unknown', 'uploaded'])
    expect(world.stored()).toHaveLength(4)
  })

  it('sends an upload that only has the name of a transcript of another program, which shows other content', async () => {
    const world = createWorld()
    const { client, rebuild, run } = world.process()
    const other = { ...upload('other content'), name: 'a' }
    await client.transcripts.upload(world.project, other, { stamp: false })
    expect(await world.clock.until(rebuild())).toMatchObject({ unidentified: 1, ambiguous: 0 })
    expect(kinds(await world.collect(run([upload('a')])))).toEqual(['uploaded'])
  })

  it('goes on after a rebuild that found nothing, also if the machine then loses power', async () => {
    const world = createWorld()
    const { disk } = world.storage
    const target = { baseUrl: world.server.publicBaseUrl, project: world.project }
    // An earlier rebuild was interrupted.
    disk.create(`${ledgerFileOf('/ledger', target)}.rebuild`, '')
    disk.syncFolder('/ledger')
    const first = world.process()
    await expect(world.collect(first.run([upload('a')]))).rejects.toMatchObject({ code: 'ledger_rebuild_unfinished' })
    await world.clock.until(first.rebuild())
    first.kill()
    world.storage.restart({ powerLoss: true })
    expect(kinds(await world.collect(world.process().run([upload('a')])))).toEqual(['uploaded'])
  })

  it('ends with an error when its deadline has passed, and goes on in the next run', async () => {
    const world = createWorld({ faults: [parseFault('transcripts.upload: latency; ms=400')] })
    const run = world.process().run(uploads(50), { deadlineMs: 1_000, concurrency: 1 })
    await expect(world.collect(run)).rejects.toMatchObject({ code: 'deadline_passed' })
    expect(run.summary().not_sent).not.toBe(0)
    await world.collect(world.process().run(uploads(50)))
    expect(new Set(world.stored()).size).toBe(50)
    expect(world.stored()).toHaveLength(50)
  })

  it.each([
    ['client', { client: undefined }],
    ['project', { project: '' }],
    ['ledger', { ledger: '' }],
    ['transcripts', { transcripts: 'conversation.json' }],
  ])('refuses an option that is missing or of another type: %s', (name, given) => {
    const usable = { client: createClient({ environment: {} }), project: 'hp-…', ledger: './ledger', transcripts: [] }
    const call = () => uploadAll({ ...usable, ...given } as unknown as UploadAllOptions)
    expect(call).toThrow(`uploadAll: expected ${name} to be `)
  })

  it.each<[string, unknown]>([
    ['a number', 7],
    ['nothing', { upload: null }],
    ['turns that are a text', { ...upload('b'), turns: 'x' }],
    ['a turn that is null', { ...upload('b'), turns: [null] }],
    ['a toJSON that gives null', { ...upload('b'), toJSON: () => null }],
    [
      'a getter that throws',
      {
        ...upload('b'),
        get language() {
          throw new Error('of the caller')
        },
      },
    ],
  ])('an upload that is %s fails alone', async (_, wrong) => {
    const { process, collect, stored } = createWorld()
    const results = await collect(process().run([upload('a'), wrong as TranscriptUpload, upload('c')]))
    expect(kinds(results).sort()).toEqual(['failed', 'uploaded', 'uploaded'])
    expect(results.find(({ result }) => result === 'failed')).toMatchObject({ error: { name: 'InputError' } })
    expect(stored().sort()).toEqual(['a', 'c'])
  })

  it('throws an error with a code and a hint if there is no folder for the ledger, or goes on if it is told so', async () => {
    const { process, collect, stored } = createWorld()
    await expect(collect(process().run([upload('a')], { ledger: undefined }))).rejects.toMatchObject({
      code: 'no_ledger_folder',
      hint: expect.any(String),
    })
    const options = { ledger: undefined, onLedgerError: (error: BulkError) => error instanceof BulkError }
    expect(kinds(await collect(process().run([upload('a')], options)))).toEqual(['uploaded'])
    expect(stored()).toEqual(['a'])
  })
})

describe('a crash at any operation of the disk', () => {
  const few = () => uploads(3)

  async function operationsOfARun(): Promise<number> {
    const world = createWorld()
    world.storage.crashAt(Number.POSITIVE_INFINITY)
    await world.collect(world.process().run(few(), { concurrency: 2 }))
    return world.storage.operations()
  }

  it.each(['never', 'at the crash', 'after the next run'])(
    'a run that is started again stores nothing twice and loses nothing, with a loss of power %s',
    async (powerLoss) => {
      const operations = await operationsOfARun()
      expect(operations).toBeGreaterThan(20)
      for (let nth = 1; nth <= operations; nth++) {
        const world = createWorld()
        const first = world.process()
        world.storage.crashAt(nth)
        const run = first.run(few(), { concurrency: 2 })
        const reported: UploadResult[] = []
        const iterate = async () => {
          for await (const result of run) reported.push(result)
        }
        const outcome = await world.clock.until(iterate()).then(
          () => undefined,
          (error: unknown) => error,
        )
        first.kill()
        // The operations of the end of a run may all fail without an effect on its results.
        if (outcome) expect(outcome instanceof Crash || outcome instanceof BulkError, String(outcome)).toBe(true)
        world.storage.restart({ powerLoss: powerLoss === 'at the crash' })
        if (powerLoss === 'after the next run') {
          const next = world.process()
          await world.collect(next.run(few(), { concurrency: 2 }))
          next.kill()
          world.storage.restart({ powerLoss: true })
        }
        const results = await world.collect(world.process().run(few(), { concurrency: 2 }))
        const label = `crash at operation ${nth}`
        expect([label, world.stored().sort()]).toEqual([label, few().map(({ name }) => name)])
        expect([label, results.length]).toEqual([label, 3])
        expect([label, kinds(results).filter((kind) => !/uploaded$/.test(kind))]).toEqual([label, []])
      }
    },
  )

  it.each([
    ['of an earlier run, although its own is shorter', 30_000, {}, { timeoutMs: 1_000, settleMs: 1_000 }],
    ['that the client was created with', 150_000, { timeoutMs: 200_000 }, {}],
  ])('waits for the time-out of an upload %s', async (_, lateMs, client, options) => {
    const world = createWorld()
    const { clock, server } = world
    // The service stores it later, and the process ends before.
    const late: Fetch = (...given) => {
      const request = new Request(...given)
      if (request.method !== 'POST') return server.fetch(request)
      clock.after(lateMs, () => void server.fetch(request))
      first.kill()
      return new Promise(() => {})
    }
    const first = world.process(late, client)
    const hanging = first
      .run([upload('a')])
      [Symbol.asyncIterator]()
      .next()
    hanging.catch(() => {})
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    const next = world.process(server.fetch, client).run([upload('a')], options)
    expect(kinds(await world.collect(next))).toEqual(['already_uploaded'])
    await clock.advance(lateMs)
    expect(world.stored()).toEqual(['a'])
  })

  /** A process stored the upload `a`, and ended before its answer. `hiding`: a service that shows nothing. */
  async function afterLostAnswer() {
    const world = createWorld()
    const first = world.process(async (...given) => {
      const response = await world.server.fetch(...given)
      if (new Request(...given).method === 'POST') first.kill()
      return response
    })
    const hanging = first
      .run([upload('a')])
      [Symbol.asyncIterator]()
      .next()
    hanging.catch(() => {})
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(world.stored()).toEqual(['a'])
    const hiding: Fetch = async (...given) => {
      const request = new Request(...given)
      return request.method === 'GET' ? new Response('{}', { status: 403 }) : world.server.fetch(request)
    }
    return { world, hiding }
  }

  it('counts an upload of an earlier run that may be stored and is not in its input', async () => {
    const { world, hiding } = await afterLostAnswer()
    const other = world.process(hiding).run([upload('b')])
    expect(kinds(await world.collect(other))).toEqual(['uploaded'])
    expect(other.summary()).toMatchObject({ uploaded: 1, unknown: 0, earlier_unknown: 1, not_sent: 0 })
    const both = world.process(hiding).run([upload('a'), upload('b')])
    await world.collect(both)
    expect(both.summary()).toMatchObject({ already_uploaded: 1, unknown: 1, earlier_unknown: 0 })
    const last = world.process().run([upload('b')])
    await world.collect(last)
    expect(last.summary()).toMatchObject({ already_uploaded: 1, earlier_unknown: 0 })
  })

  it('reports an upload as unknown if its answer is lost and the service lists nothing, and sends it once', async () => {
    const { world, hiding } = await afterLostAnswer()
    const results = await world.collect(world.process(hiding).run([upload('a')]))
    expect(results).toMatchObject([{ result: 'unknown', error: { code: 'possibly_stored' } }])
    expect(world.stored()).toEqual(['a'])
    expect(await world.collect(world.process().run([upload('a')]))).toMatchObject([{ result: 'already_uploaded' }])
  })
})
