import { type Fetch, InputError } from '@svc/client'
import { parseFault, referenceKey } from '@svc/reference-server/core'
import { describe, expect, it } from 'vitest'
import { createWorld, upload, uploads } from '../../test/fixtures/world.js'
import type { Disk } from '../environment/index.js'
import { createUploader, type UploaderOptions, type UploaderResult } from '../index.js'

const timed = { sourceTimestamp: '2025-12-31T10:00:00Z' }
const kinds = (results: readonly UploaderResult[]) => results.map(({ result }) => result)
const waitingFiles = ({ storage }: ReturnType<typeof createWorld>) =>
  storage.paths().filter((path) => path.endsWith('.waiting'))

/** The service of a world, which refuses connections while it is down. */
function outagesOf({ server }: ReturnType<typeof createWorld>) {
  const fetch: Fetch = (...given) => {
    if (service.isDown) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    return server.fetch(...given)
  }
  const service = { isDown: false, fetch }
  return service
}

describe('an uploader', () => {
  it('stores what is added in the background, and gives a result for each add', async () => {
    const world = createWorld()
    const { uploader, results } = world.process().start()
    await Promise.all(uploads(20).map((each) => uploader.add(each)))
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(kinds(results)).toEqual(Array.from({ length: 20 }, () => 'uploaded'))
    expect(new Set(world.stored()).size).toBe(20)
    expect(uploader.stats()).toEqual({ waiting: 0, open: 0, stored: 20, failed: 0, waitingBytes: 0, oldestMs: 0 })
    await world.clock.until(uploader.close())
    expect(waitingFiles(world)).toEqual([])
  })

  it('flushes also what is still being added, and says that nothing is done while another process has the folder', async () => {
    const world = createWorld()
    const { uploader, results } = world.process().start()
    const adding = uploads(3).map((each) => uploader.add(each))
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(kinds(results)).toEqual(['uploaded', 'uploaded', 'uploaded'])
    await Promise.all(adding)
    const second = world.process().start()
    const refused = second.uploader.add(upload('late')).catch(({ code }) => code)
    expect(await world.clock.until(second.uploader.flush({ timeoutMs: 30_000 }))).toBe(false)
    expect(await refused).toBe('ledger_locked')
    await world.clock.until(uploader.close())
  })

  it('says of equal content that it is already uploaded, with the stored id, also while the first is sent', async () => {
    const world = createWorld()
    const { uploader, results } = world.process().start()
    await Promise.all([1, 2, 3].map(() => uploader.add(upload('a'))))
    await world.clock.until(uploader.flush())
    await uploader.add(upload('a', { name: 'renamed' }))
    await world.clock.until(uploader.flush())
    expect(kinds(results)).toEqual(['uploaded', 'already_uploaded', 'already_uploaded', 'already_uploaded'])
    const [first, ...others] = results
    const id = first?.result === 'uploaded' && first.transcript.id
    expect(others.map((each) => each.result === 'already_uploaded' && each.id)).toEqual([id, id, id])
    expect(world.stored()).toEqual(['a'])
  })

  it('goes on after a kill with what was added, without being given it again', async () => {
    const world = createWorld()
    const first = world.process(() => new Promise(() => {}))
    const { uploader } = first.start()
    await Promise.all(uploads(30).map((each) => uploader.add(each)))
    first.kill()
    world.storage.restart({ powerLoss: true })
    const second = world.process().start()
    expect(await world.clock.until(second.uploader.flush())).toBe(true)
    expect(new Set(second.results.map(({ item }) => item.name)).size).toBe(30)
    expect(world.stored().sort()).toEqual(
      uploads(30)
        .map(({ name }) => name)
        .sort(),
    )
    expect(second.uploader.stats()).toMatchObject({ waiting: 0, open: 0, waitingBytes: 0 })
    await world.clock.until(second.uploader.close())
    expect(waitingFiles(world)).toEqual([])
  })

  it('sends after a kill what was under way once the service must show it, all at the same time', async () => {
    const world = createWorld()
    const first = world.process(() => new Promise(() => {}))
    const { uploader } = first.start({ concurrency: 4 })
    await Promise.all(uploads(4).map((each) => uploader.add(each)))
    await world.clock.advance(1_000)
    first.kill()
    const startedAt = world.clock.now()
    const second = world.process().start({ timeoutMs: 60_000, settleMs: 15_000 })
    await world.clock.advance(1_000)
    expect(second.events).toEqual([{ type: 'searching', uploads: 4, ms: 75_000 }])
    expect(await world.clock.until(second.uploader.flush())).toBe(true)
    expect(world.clock.now() - startedAt).toBeLessThan(80_000)
    expect(world.stored()).toHaveLength(4)
    await world.clock.until(second.uploader.close())
  })

  it('sends what was under way once 75 s have passed, however short each process lives', async () => {
    const world = createWorld()
    const first = world.process(() => new Promise(() => {}))
    await first.start().uploader.add(upload('a'))
    await world.clock.advance(1_000)
    first.kill()
    let lives = 0
    for (; world.stored().length === 0; lives++) {
      const next = world.process()
      next.start()
      await world.clock.advance(20_000)
      next.kill()
    }
    expect(lives).toBe(4)
    const last = world.process().start()
    await world.clock.until(last.uploader.flush())
    expect(world.stored()).toEqual(['a'])
  })

  it('keeps what is not sent when it is closed, and gives no result twice', async () => {
    const world = createWorld()
    const all: UploaderResult[] = []
    let isHeld = false
    const first = world.process((...given) => (isHeld ? new Promise(() => {}) : world.server.fetch(...given))).start()
    await first.uploader.add(upload('a'))
    await world.clock.until(first.uploader.flush())
    isHeld = true
    await Promise.all(uploads(9).map((each) => first.uploader.add(each)))
    await world.clock.until(first.uploader.close())
    all.push(...first.results)
    await expect(first.uploader.add(upload('b'))).rejects.toMatchObject({ code: 'uploader_closed' })
    const second = world.process().start()
    await world.clock.until(second.uploader.flush())
    await world.clock.until(second.uploader.close())
    all.push(...second.results)
    expect(all.map(({ item }) => item.name).sort()).toEqual(['a', ...uploads(9).map(({ name }) => name)].sort())
    expect(world.stored()).toHaveLength(10)
    const third = world.process().start()
    await world.clock.until(third.uploader.flush())
    expect(third.results).toEqual([])
  })

  it('pauses in an outage and goes on by itself', async () => {
    const world = createWorld()
    const service = outagesOf(world)
    service.isDown = true
    const { uploader, results, events } = world.process(service.fetch).start()
    await Promise.all(uploads(50).map((each) => uploader.add(each)))
    expect(await world.clock.until(uploader.flush({ timeoutMs: 120_000 }))).toBe(false)
    expect(uploader.stats()).toMatchObject({ stored: 0, failed: 0 })
    expect(uploader.stats().waiting + uploader.stats().open).toBe(50)
    expect(uploader.stats().oldestMs).toBeGreaterThanOrEqual(120_000)
    service.isDown = false
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(kinds(results)).toEqual(Array.from({ length: 50 }, () => 'uploaded'))
    expect(events.filter(({ type }) => type === 'resumed')).toHaveLength(1)
    expect(events[0]).toMatchObject({ type: 'paused' })
    expect(world.stored()).toHaveLength(50)
  })

  it('pauses at once and goes on while an upload hangs, and sends no more at the same time', async () => {
    const world = createWorld()
    const service = outagesOf(world)
    let [posts, underWay, most] = [0, 0, 0]
    const hanging: Fetch = async (...given) => {
      if (given[1]?.method !== 'POST') return service.fetch(...given)
      most = Math.max(most, ++underWay)
      // The first one has no answer before its time-out.
      if (posts++ === 0) return new Promise(() => {})
      try {
        return await service.fetch(...given)
      } finally {
        underWay--
      }
    }
    const { uploader, events } = world.process(hanging).start({ concurrency: 2 })
    await uploader.add(upload('hangs'))
    await world.clock.advance(100)
    service.isDown = true
    await Promise.all(uploads(20).map((each) => uploader.add(each)))
    await world.clock.advance(20_000)
    expect(events.map(({ type }) => type)).toContain('paused')
    expect(events.map(({ type }) => type)).not.toContain('resumed')
    service.isDown = false
    await world.clock.advance(25_000)
    expect(world.stored()).toHaveLength(20)
    expect(events.at(-1)).toEqual({ type: 'resumed' })
    expect(most).toBeLessThanOrEqual(2)
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(world.stored()).toHaveLength(21)
  })

  it('stays paused in an outage although the ledger knows that some of what is added is stored', async () => {
    const world = createWorld()
    const service = outagesOf(world)
    const { uploader, results, events } = world.process(service.fetch).start()
    await uploader.add(upload('a'))
    await world.clock.until(uploader.flush())
    service.isDown = true
    await uploader.add(upload('b'))
    await world.clock.until(uploader.flush({ timeoutMs: 60_000 }))
    await uploader.add(upload('a'))
    await world.clock.until(uploader.flush({ timeoutMs: 60_000 }))
    expect(kinds(results)).toEqual(['uploaded', 'already_uploaded'])
    expect(events.map(({ type }) => type)).not.toContain('resumed')
    service.isDown = false
    await world.clock.until(uploader.flush())
    expect(events.at(-1)).toEqual({ type: 'resumed' })
  })

  it('resumes once a search finds the upload whose answer was lost at the beginning of the outage', async () => {
    const world = createWorld()
    const service = outagesOf(world)
    const losing: Fetch = async (...given) => {
      const response = await service.fetch(...given)
      if (!service.isDown && response.status === 201) {
        service.isDown = true
        throw new TypeError('terminated')
      }
      return response
    }
    const { uploader, results, events } = world.process(losing).start()
    await uploader.add(upload('a'))
    expect(await world.clock.until(uploader.flush({ timeoutMs: 300_000 }))).toBe(false)
    service.isDown = false
    await world.clock.until(uploader.flush())
    expect(kinds(results)).toEqual(['uploaded'])
    expect(events.map(({ type }) => type)).toEqual(['paused', 'resumed'])
    expect(world.stored()).toEqual(['a'])
  })

  it('resumes once the service answers, also if it refuses what waits', async () => {
    const world = createWorld({ faults: [parseFault('transcripts.upload: status; code=422; times=1')] })
    const service = outagesOf(world)
    service.isDown = true
    const { uploader, results, events } = world.process(service.fetch).start()
    await uploader.add(upload('a'))
    await world.clock.until(uploader.flush({ timeoutMs: 1_000 }))
    service.isDown = false
    await world.clock.until(uploader.flush())
    expect(kinds(results)).toEqual(['failed'])
    expect(events.at(-1)).toEqual({ type: 'resumed' })
  })

  it('pauses with an event while its key is refused, and goes on once it works', async () => {
    const world = createWorld()
    const { uploader, results, events } = world.process().start()
    world.server.world.revoke(referenceKey)
    await Promise.all(uploads(5).map((each) => uploader.add(each)))
    await world.clock.until(uploader.flush({ timeoutMs: 300_000 }))
    expect(results).toEqual([])
    expect(events.length).toBeLessThan(8)
    expect(events[0]).toMatchObject({ type: 'paused', step: 'check_key', ms: 60_000, error: { status: 401 } })
    world.server.world.restore(referenceKey)
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(kinds(results)).toEqual(Array.from({ length: 5 }, () => 'uploaded'))
  })

  it('waits as long as a 429 asks, and loses nothing', async () => {
    const world = createWorld({ limits: { requests: 3, windowMs: 100_000 } })
    const { uploader, results } = world.process().start()
    await Promise.all(uploads(10).map((each) => uploader.add(each)))
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(kinds(results)).toEqual(Array.from({ length: 10 }, () => 'uploaded'))
  })

  it('reports what the service refuses, and sends the others', async () => {
    const world = createWorld({ faults: [parseFault('transcripts.upload: status; code=422; times=1')] })
    const { uploader, results } = world.process().start({ concurrency: 1 })
    await Promise.all(uploads(5).map((each) => uploader.add(each)))
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(kinds(results).sort()).toEqual(['failed', 'uploaded', 'uploaded', 'uploaded', 'uploaded'])
    expect(uploader.stats()).toMatchObject({ stored: 4, failed: 1, waitingBytes: 0 })
  })

  it('finds an upload whose answer was lost, while it sends the others', async () => {
    const world = createWorld({ faults: [parseFault('transcripts.upload: lost; times=4')] })
    const { uploader, results } = world.process().start()
    await Promise.all(uploads(12).map((each) => uploader.add(each)))
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(kinds(results).filter((kind) => kind === 'uploaded' || kind === 'already_uploaded')).toHaveLength(12)
    expect(world.stored()).toHaveLength(12)
  })

  it('keeps no results for a listener that is missing, and survives one that throws', async () => {
    const world = createWorld()
    const silent = world.process().start({
      onResult: () => {
        throw new Error('a mistake of the app')
      },
    })
    await silent.uploader.add(upload('a'))
    expect(await world.clock.until(silent.uploader.flush())).toBe(true)
    expect(silent.events).toMatchObject([{ type: 'callback_failed', error: { message: 'a mistake of the app' } }])
    await world.clock.until(silent.uploader.close())
    const { uploader } = world.process().start({ onResult: undefined })
    await uploader.add(upload('b'))
    expect(await world.clock.until(uploader.flush())).toBe(true)
    expect(world.stored().sort()).toEqual(['a', 'b'])
  })

  it('is closed by await using', async () => {
    const world = createWorld()
    const { uploader } = world.process().start()
    await uploader.add(upload('a'))
    await world.clock.until(uploader.flush())
    await world.clock.until(uploader[Symbol.asyncDispose]() as Promise<void>)
    await expect(uploader.add(upload('b'))).rejects.toMatchObject({ code: 'uploader_closed' })
  })

  it('shares one ledger with uploadAll, one process at a time', async () => {
    const world = createWorld()
    await world.collect(world.process().run(uploads(3)))
    const one = world.process()
    const { uploader, results } = one.start()
    await Promise.all(uploads(4).map((each) => uploader.add(each)))
    await world.clock.until(uploader.flush())
    expect(kinds(results).sort()).toEqual(['already_uploaded', 'already_uploaded', 'already_uploaded', 'uploaded'])
    await expect(world.collect(world.process().run(uploads(3)))).rejects.toMatchObject({ code: 'ledger_locked' })
    await world.clock.until(uploader.close())
    expect(kinds((await world.collect(world.process().run(uploads(4)))) as UploaderResult[])).toEqual(
      Array.from({ length: 4 }, () => 'already_uploaded'),
    )
  })
})

describe('an uploader that was paused and replaced', () => {
  it('takes nothing more that its successor would not see, and goes on once that has ended', async () => {
    const world = createWorld()
    const old = world.process(undefined, {}, 'elsewhere')
    const first = old.start()
    await first.uploader.add(upload('early'))
    await world.clock.until(first.uploader.flush())
    old.pause()
    const second = world.process().start()
    await world.clock.until(second.uploader.add(upload('of its successor')))
    expect(second.events).toEqual([{ type: 'locked', ms: 60_000 }])
    old.resume()
    await expect(first.uploader.add(upload('late'))).rejects.toMatchObject({ code: 'ledger_lost', step: 'try_later' })
    await world.clock.until(second.uploader.flush())
    await world.clock.until(second.uploader.close())
    await world.clock.until(first.uploader.add(upload('late')))
    await world.clock.until(first.uploader.flush())
    await world.clock.until(first.uploader.close())
    expect(world.stored()).toEqual(['late', 'of its successor', 'early'])
  })

  it('does not call an upload stored that its successor has stored, too', async () => {
    const world = createWorld()
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    let pause = () => {}
    const late: Fetch = async (input, init) => {
      if (new Request(input, init).method === 'POST') {
        pause()
        await gate
      }
      return world.server.fetch(input, init)
    }
    const old = world.process(late, {}, 'elsewhere')
    pause = old.pause
    const first = old.start()
    await first.uploader.add(upload('a'))
    const second = world.process().start()
    expect(await world.clock.until(second.uploader.flush())).toBe(true)
    open()
    await world.clock.advance(0)
    old.resume()
    await world.clock.advance(1_000)
    expect([world.stored(), kinds(second.results)]).toEqual([['a', 'a'], ['uploaded']])
    expect(first.results).toMatchObject([{ result: 'unknown', candidates: [expect.stringMatching(/^tr_/)] }])
  })
})

describe('an id of add', () => {
  it('stores two conversations with equal content, and one conversation once, in any process', async () => {
    const world = createWorld()
    const one = world.process().start()
    await one.uploader.add(upload('a', timed), { id: 'one' })
    await one.uploader.add(upload('a', timed), { id: 'two' })
    await one.uploader.add(upload('a', timed), { id: 'one' })
    await world.clock.until(one.uploader.flush())
    expect(kinds(one.results).sort()).toEqual(['already_uploaded', 'uploaded', 'uploaded'])
    const other = world.process().start({ ledger: '/other' })
    await other.uploader.add(upload('a', timed), { id: 'two' })
    await world.clock.until(other.uploader.flush())
    const stored = world.server.world.transcripts(world.project).map(({ record }) => record.id)
    expect(other.results).toMatchObject([{ result: 'already_uploaded', by: 'id', item: { once: { id: 'two' } } }])
    expect(stored).toHaveLength(2)
    // The client makes the same stamp.
    const { id } = await one.uploader
      .close()
      .then(() => world.process().client.transcripts.upload(world.project, upload('a', timed), { once: 'two' }))
    expect(stored).toContain(id)
  })

  it.each([
    ['one ledger', '/ledger', {}],
    ['one ledger, without a time', '/ledger', { sourceTimestamp: undefined }],
    ['two processes', '/other', {}],
  ])('is refused with the stored id for other content, in %s', async (_, ledger, more) => {
    const world = createWorld()
    const one = world.process().start()
    await one.uploader.add(upload('a', { ...timed, ...more } as object), { id: 'x' })
    await world.clock.until(one.uploader.flush())
    const [first] = world.server.world.transcripts(world.project)
    if (ledger === '/ledger') await world.clock.until(one.uploader.close())
    const other = world.process().start({ ledger })
    await other.uploader.add(upload('b', { ...timed, ...more } as object), { id: 'x' })
    await world.clock.until(other.uploader.flush())
    expect(other.results).toMatchObject([
      {
        result: 'failed',
        error: {
          name: 'InputError',
          reason: 'id_reused',
          storedId: first?.record.id,
          message: expect.stringContaining(`${first?.record.id} has this id with other content`),
        },
      },
    ])
    expect(world.stored()).toEqual(['a'])
  })

  it('reports both ids if two processes store it at the same moment', async () => {
    const world = createWorld({ ambiguities: { listLagMs: 5_000 } })
    const results: UploaderResult[] = []
    const reported = new Promise<void>((resolve) => {
      const onResult = (result: UploaderResult) => {
        results.push(result)
        if (result.result === 'duplicate') resolve()
      }
      for (const ledger of ['/ledger', '/other'])
        void world.process().start({ ledger, onResult }).uploader.add(upload('a', timed), { id: 'x' })
    })
    await world.clock.until(reported)
    const stored = world.server.world.transcripts(world.project).map(({ record }) => record.id)
    expect(stored).toHaveLength(2)
    expect(kinds(results).slice(0, 2)).toEqual(['uploaded', 'uploaded'])
    const last = results.at(-1)
    expect(last?.result === 'duplicate' && [...last.ids].sort()).toEqual([...stored].sort())
  })

  it('reports a copy also if it was restarted before it could look', async () => {
    const world = createWorld()
    const first = world.process()
    const { uploader, results } = first.start()
    await uploader.add(upload('a', timed), { id: 'x' })
    await world.clock.until(uploader.flush())
    expect(kinds(results)).toEqual(['uploaded'])
    const { record } = world.server.world.transcripts(world.project)[0] ?? expect.unreachable()
    const project = world.server.world.project(world.project) ?? expect.unreachable()
    const copy = world.server.world.createTranscript(project, {
      ...upload('a', timed),
      metadata: record.metadata,
    } as never)
    first.kill()
    const second = world.process().start()
    await world.clock.advance(120_000)
    expect(second.results.at(-1)).toMatchObject({
      result: 'duplicate',
      ids: expect.arrayContaining([record.id, copy.record.id]),
    })
    await world.clock.until(second.uploader.close())
    expect(waitingFiles(world)).toEqual([])
  })

  it('is an InputError without a stamp', async () => {
    const world = createWorld()
    const { uploader } = world.process().start({ stamp: false })
    await expect(uploader.add(upload('a'), { id: 'x' })).rejects.toThrow('leave out stamp: false')
    const other = world.process().start({ ledger: '/other' })
    const taken = upload('a', { metadata: { svc: 'mine' } })
    await expect(other.uploader.add(taken, { id: 'x' })).rejects.toThrow('metadata.svc')
    await expect(other.uploader.add(upload('a'), { id: '' })).rejects.toThrow('add: expected id to be a text')
  })
})

describe('an add that is refused', () => {
  it('rejects with the violations of an invalid upload', async () => {
    const world = createWorld()
    const { uploader } = world.process().start()
    await expect(uploader.add(upload('a', { language: 'x'.repeat(11) }))).rejects.toMatchObject({
      name: 'InputError',
      violations: [{ pointer: '/language' }],
    })
    await expect(uploader.add(null as never)).rejects.toBeInstanceOf(InputError)
    await world.clock.until(uploader.close())
    expect(waitingFiles(world)).toEqual([])
  })

  it('rejects once more bytes wait than allowed, and takes more after some are stored', async () => {
    const world = createWorld()
    let isHeld = true
    const waits: (() => void)[] = []
    const { uploader } = world
      .process(async (...given) => {
        if (isHeld) await new Promise<void>((go) => waits.push(go))
        return world.server.fetch(...given)
      })
      .start({ maxWaitingBytes: 3_000 })
    const results = await Promise.allSettled(uploads(9).map((each) => uploader.add(each)))
    const refused = results.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]).toMatchObject({ reason: { code: 'too_much_waiting', step: 'try_later' } })
    isHeld = false
    for (const go of waits) go()
    await world.clock.until(uploader.flush())
    await uploader.add(upload('later'))
    await world.clock.until(uploader.flush())
    expect(world.stored()).toHaveLength(9 - refused.length + 1)
  })

  it('rejects on a full disk, records nothing of it, and works again afterwards', async () => {
    const world = createWorld()
    const process = world.process()
    let isFull = false
    const full = () => {
      if (isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    }
    const disk: Disk = {
      ...process.environment.disk,
      create(...given) {
        full()
        process.environment.disk.create(...given)
      },
      open(...given) {
        const file = process.environment.disk.open(...given)
        return {
          ...file,
          write(...bytes) {
            full()
            return file.write(...bytes)
          },
          async sync() {
            full()
            await file.sync()
          },
        }
      },
    }
    const { uploader, results } = process.start({ disk })
    await uploader.add(upload('a'))
    await world.clock.until(uploader.flush())
    isFull = true
    await expect(uploader.add(upload('b'))).rejects.toMatchObject({ code: 'ledger_write_failed' })
    isFull = false
    await uploader.add(upload('c'))
    await world.clock.until(uploader.flush())
    await world.clock.until(uploader.close())
    expect(results.map(({ item }) => item.name)).toEqual(['a', 'c'])
    const later = world.process().start()
    await world.clock.until(later.uploader.flush())
    expect(world.stored().sort()).toEqual(['a', 'c'])
  })

  it('names the project or the version of a folder that is of another one, and records nothing', async () => {
    const world = createWorld()
    const first = world.process().start()
    await first.uploader.add(upload('a'))
    await world.clock.until(first.uploader.flush())
    await world.clock.until(first.uploader.close())
    const other = world.server.world.createProject({ name: 'Other' }).record.id
    const foreign = world.process().start({ project: other })
    await expect(foreign.uploader.add(upload('b'))).rejects.toMatchObject({
      code: 'ledger_other_target',
      message: expect.stringContaining(world.project),
    })
    await world.clock.advance(0)
    expect(foreign.events).toMatchObject([{ type: 'paused', step: 'fix_input' }])
    const elsewhere = world.process().start({ baseUrl: 'https://other.test/api' })
    await expect(elsewhere.uploader.add(upload('b'))).rejects.toThrow(world.server.publicBaseUrl)
    const { disk } = world.process().environment
    const [ledger = ''] = world.storage.paths().filter((path) => path.endsWith('.jsonl'))
    const newer = ledger.replace('.jsonl', '.00000009.waiting')
    disk.create(newer, `${JSON.stringify({ schema: 'svc/waiting@2', project: world.project })}\n`)
    await expect(world.process().start().uploader.add(upload('b'))).rejects.toMatchObject({
      code: 'ledger_other_version',
      message: expect.stringContaining('svc/waiting@2'),
    })
    expect(world.stored()).toEqual(['a'])
  })

  it.each<[string, Partial<UploaderOptions>]>([
    ['client', { client: {} as never }],
    ['project', { project: '' }],
    ['project', { project: 'hp-7' }],
    ['ledger', { ledger: undefined as never }],
    ['maxWaitingBytes', { maxWaitingBytes: 0 }],
    ['concurrency', { concurrency: 1.5 }],
  ])('createUploader throws an InputError that names the option %s', (name, wrong) => {
    const world = createWorld()
    const { project } = world
    const { client, environment } = world.process()
    const options = { client, project, ledger: '/x', ...environment, ...wrong } as UploaderOptions
    expect(() => createUploader(options)).toThrow(`createUploader: expected ${name}`)
  })

  it('add and flush reject with an InputError for an unknown option, such as once in place of id', async () => {
    const { uploader } = createWorld().process().start()
    const upload = { name: 'Call 7', turns: [{ role: 'user' as const, content: 'Hello' }] }
    await expect(uploader.add(upload, { once: 'call-7' } as never)).rejects.toThrow('add: unknown option once')
    await expect(uploader.flush({ timeout: 5 } as never)).rejects.toThrow(
      'unknown option timeout; did you mean timeoutMs?',
    )
    expect(uploader.stats()).toMatchObject({ waiting: 0, open: 0 })
  })

  it.each([[null], [5], ['text']])('add(%j) is refused as no object, also with an id', async (value) => {
    const { uploader } = createWorld().process().start()
    for (const options of [{}, { id: 'x' }])
      await expect(uploader.add(value as never, options)).rejects.toThrow('expected an object')
  })
})

describe('the numbers of an uploader', () => {
  it('are those of what is left on disk after it is closed', async () => {
    const world = createWorld()
    const { uploader } = world.process(() => new Promise(() => {})).start({ concurrency: 1 })
    await Promise.all(uploads(30).map((each) => uploader.add(each)))
    await world.clock.until(uploader.close())
    expect(uploader.stats()).toMatchObject({ waiting: 30, open: 0, stored: 0 })
    expect(uploader.stats().waitingBytes).toBeGreaterThan(0)
  })

  it('are given also if a line cannot be read, which stops the sending with an event and loses nothing', async () => {
    const world = createWorld()
    const first = world.process(() => new Promise(() => {}))
    await first.start().uploader.add(upload('a'))
    first.kill()
    const [file = ''] = waitingFiles(world)
    const { disk } = world.process().environment
    const reading = disk.open(file, 'read')
    const bytes = Buffer.alloc(reading.size())
    reading.read(bytes, 0, bytes.length, 0)
    reading.close()
    const lines = bytes.toString('utf8')
    disk.remove(file)
    disk.create(file, lines.replace('\n{', '\n#'))
    const second = world.process().start()
    await second.uploader.add(upload('b'))
    await world.clock.advance(1_000)
    expect(second.uploader.stats().waiting + second.uploader.stats().open).toBeGreaterThan(0)
    expect(second.events).toMatchObject([{ type: 'paused', error: { code: 'ledger_damaged' } }])
    expect(second.events[0]).toMatchObject({ error: { hint: expect.not.stringContaining('rebuild') } })
    await world.clock.until(second.uploader.close())
    const [left = ''] = waitingFiles(world)
    disk.remove(left)
    disk.create(left, lines)
    const third = world.process().start()
    expect(await world.clock.until(third.uploader.flush())).toBe(true)
    expect(world.stored().sort()).toContain('a')
  })
})

describe('the disk of an uploader', () => {
  it('syncs once for adds that come together, and never more than once for one add', async () => {
    const world = createWorld()
    const process = world.process(() => new Promise(() => {}))
    let syncs = 0
    const disk: Disk = {
      ...process.environment.disk,
      open(path, mode) {
        const file = process.environment.disk.open(path, mode)
        if (!path.endsWith('.waiting')) return file
        return {
          ...file,
          async sync() {
            syncs++
            await file.sync()
          },
        }
      },
    }
    const { uploader } = process.start({ disk })
    await uploader.add(upload('first'))
    syncs = 0
    await Promise.all(uploads(200).map((each) => uploader.add(each)))
    expect(syncs).toBeLessThanOrEqual(2)
    syncs = 0
    for (const each of uploads(10)) await uploader.add(each)
    expect(syncs).toBe(10)
  })

  it('loses no add that has resolved, wherever a crash ends the process, and stores none twice', async () => {
    for (let nth = 1; nth < 90; nth += 3) {
      const world = createWorld()
      const first = world.process()
      const { uploader } = first.start()
      world.storage.crashAt(nth)
      const recorded: string[] = []
      const adding = uploads(6).map(async (each) => {
        await uploader.add(each)
        recorded.push(each.name)
      })
      await Promise.allSettled([...adding, world.clock.until(uploader.flush({ timeoutMs: 1_000 }))])
      first.kill()
      world.storage.restart({ powerLoss: nth % 2 === 0 })
      const second = world.process().start()
      await world.clock.until(second.uploader.flush())
      const stored = world.stored()
      expect({ nth, missing: recorded.filter((name) => !stored.includes(name)) }).toEqual({ nth, missing: [] })
      expect({ nth, stored: new Set(stored).size }).toEqual({ nth, stored: stored.length })
      await world.clock.until(second.uploader.close())
    }
  })
})
