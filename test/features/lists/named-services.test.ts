import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { AmbiguousWriteError, type CallOptions } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { type DrawnService, type PostFault, run } from './drawn-service.js'

type Ambiguities = DrawnService['ambiguities']

/** Uploads one transcript to a project with three others, and gives its result beside what is stored. */
async function upload(ambiguities: Ambiguities, faults: PostFault[], options: CallOptions = {}) {
  const { svc, clock, project, storedAs } = run({ ambiguities, faults, others: 3 })
  const sent = { name: 'Mine', turns: [{ role: 'user', content: 'mine' }], externalId: 'e-1', modelName: 'm' }
  const result = await clock.until(
    svc.transcripts.upload(project, sent, options).then(
      ({ id }) => id,
      (error: unknown) => error,
    ),
  )
  return { result, stored: storedAs('e-1') }
}

describe('an upload whose answer is lost', () => {
  it.each<[string, Ambiguities, CallOptions?]>([
    ['that lists it after 8 s', { listLagMs: 8_000 }],
    ['that lists it after 25 s, with a settle time of 30 s', { listLagMs: 25_000 }, { settleMs: 30_000 }],
    ['whose filters find it after a minute', { filters: 'lagging', filterLagMs: 60_000 }],
    ['that refuses filters', { filters: 'refused' }],
    ['whose database is an hour slow', { databaseSkewMs: -3_600_000 }],
    [
      'whose rows have no metadata and whose database is an hour slow',
      { rowFields: 'no metadata', databaseSkewMs: -3_600_000 },
    ],
    [
      'that counts more than it lists and answers 404 past the end',
      { listLagMs: 8_000, totalLags: false, pastEnd: 404, pageCap: 1 },
    ],
    ['whose rows have an id only', { rowFields: 'id' }],
    ['that counts nothing', { pagination: 'none' }],
    ['that counts -1', { total: 'minus one' }],
    ['that counts in text', { pagination: 'text' }],
    ['that sends no date', { dateHeader: false }],
    ['that answers with an empty 201', { created: 'empty' }],
    ['that answers 202', { created: 202 }],
  ])('is found at a service %s', async (_, ambiguities, options) => {
    const { result, stored } = await upload(ambiguities, ['stored, then 503'], options)
    expect([result]).toEqual(stored)
  })

  it.each<[string, Ambiguities, CallOptions?]>([
    ['keeps no metadata', { metadata: 'stripped' }],
    ['keeps metadata as texts', { metadata: 'strings' }],
    ['keeps flat metadata', { metadata: 'flat' }],
    ['has a database that is five minutes slow', { databaseSkewMs: -300_000 }, { stamp: false }],
    ['hides the content', { turns: 'none' }, { stamp: false }],
  ])('is ambiguous and names the record if the service %s', async (_, ambiguities, options) => {
    const { result, stored } = await upload(ambiguities, ['stored, then 503'], options)
    expect(result).toBeInstanceOf(AmbiguousWriteError)
    expect(stored).toEqual((result as AmbiguousWriteError).candidates)
  })

  it.each<[string, Ambiguities]>([
    ['counts more than it lists', { listLagMs: 60_000, totalLags: false }],
    ['refuses to read past the end with 400', { pastEnd: 400, pagination: 'none' }],
  ])('is ambiguous if the service %s', async (_, ambiguities) => {
    const { result, stored } = await upload(ambiguities, ['stored, then 503', '503'])
    if (typeof result === 'string') expect([result]).toEqual(stored)
    else expect(result).toBeInstanceOf(AmbiguousWriteError)
    expect(stored).toHaveLength(1)
  })

  it('is ambiguous if the service answers 409 to the second attempt', async () => {
    const { result, stored } = await upload({ listLagMs: 60_000, externalIdUnique: true }, ['stored, then 503'])
    expect(result).toBeInstanceOf(AmbiguousWriteError)
    expect((result as AmbiguousWriteError).cause).toMatchObject({ status: 409 })
    expect(stored).toHaveLength(1)
  })

  it('is refused if the service answers 409 to the first attempt', async () => {
    const service = run({ ambiguities: { externalIdUnique: true }, faults: [], others: 0 })
    service.storeOther('Mine', 'mine', 'e-1')
    const sent = { name: 'Mine', turns: [{ role: 'user', content: 'mine' }], externalId: 'e-1' }
    const refused = service.svc.transcripts.upload(service.project, sent)
    await expect(service.clock.until(refused)).rejects.toMatchObject({ name: 'ServiceError', status: 409 })
  })
})

describe('an upload that was not stored', () => {
  it.each<[string, Ambiguities]>([
    ['counts nothing', { pagination: 'none' }],
    ['counts -1', { total: 'minus one' }],
    ['counts in text', { pagination: 'text' }],
    ['counts the rows of the page', { total: 'of the page' }],
    ['answers 404 past the end', { pastEnd: 404 }],
    ['caps pages silently', { pageCap: 2, pageCapReported: false }],
    ['refuses filters', { filters: 'refused' }],
    ['ignores filters', { filters: 'ignored' }],
    ['lists the oldest first', { order: 'ascending' }],
  ])('is sent again to a service that %s', async (_, ambiguities) => {
    const { result, stored } = await upload(ambiguities, ['503'])
    expect([result]).toEqual(stored)
  })
})

describe('svc with a service that hides what it stored', () => {
  const transcripts = [0, 1, 2].map((n) => ({ name: `Mine ${n}`, turns: [{ role: 'user', content: `mine ${n}` }] }))
  const files = { 'mine.json': transcripts }

  /** Uploads three transcripts, loses the ledger, and rebuilds it. */
  async function rebuilt(ambiguities: Ambiguities) {
    const shell = createShell(run({ ambiguities, faults: [], others: 0 }))
    const { svc, clock, cwd, server, project } = shell
    const uploadAll = (...flags: string[]) => clock.until(svc(['upload', 'mine.json', '--json', ...flags], { files }))
    expect((await uploadAll()).code).toBe(0)
    rmSync(join(cwd, '.state'), { recursive: true })
    const { code, err } = await clock.until(svc(['uploads', 'rebuild']))
    return { ...shell, uploadAll, code, err, stored: () => server.world.transcripts(project).length }
  }

  it('svc uploads rebuild recognizes uploads by their turns if the service shows no stamp', async () => {
    const { uploadAll, code, err, stored, svc } = await rebuilt({ metadata: 'stripped' })
    expect([code, err]).toEqual([0, expect.stringContaining('3 without a stamp')])
    expect((await svc(['uploads', 'list', '--state', 'unidentified', '--json'])).lines()).toHaveLength(4)
    const again = await uploadAll()
    expect([again.code, stored()]).toEqual([0, 3])
    expect(
      again
        .lines()
        .slice(0, 3)
        .map(({ result }) => result),
    ).toEqual(Array(3).fill('already_uploaded'))
  })

  it('svc upload reports what looks like a transcript without a stamp and without turns, and sends it only with --again', async () => {
    const { uploadAll, stored } = await rebuilt({ metadata: 'stripped', turns: 'none' })
    const again = await uploadAll()
    expect([again.code, stored()]).toEqual([10, 3])
    expect(again.err).toContain('1 transcript of the project without a stamp looks the same')
    expect((await uploadAll('--again')).code).toBe(0)
    expect(stored()).toBe(6)
  })

  it('svc uploads rebuild exits 75 if the service counts more transcripts than it lists', async () => {
    const { code, err } = await rebuilt({ listLagMs: 60_000, totalLags: false })
    expect([code, err]).toEqual([75, expect.stringContaining('may not be complete')])
  })

  it('svc transcripts list says that more may follow, and svc transcripts list --all exits 6 if some are missing', async () => {
    const full = run({ ambiguities: {}, faults: [], others: 20 })
    const plain = await createShell(full).svc(['transcripts', 'list'], { env: { SVC_PROJECT: full.project } })
    expect(plain.err).toContain('20 items (page 1); more may follow: --all shows all')
    const lagging = run({ ambiguities: { listLagMs: 60_000, totalLags: false }, faults: [], others: 3 })
    const all = ['transcripts', 'list', '--all']
    const { code, err } = await createShell(lagging).svc(all, { env: { SVC_PROJECT: lagging.project } })
    expect([code, err]).toEqual([
      6,
      expect.stringContaining('The list is incomplete: the service counts 3 transcripts and lists 0.'),
    ])
  })

  it('svc upload goes on with other transcripts while one waits for the service to list it', async () => {
    const service = run({ ambiguities: {}, faults: ['503'], others: 0 })
    const sentAt: number[] = []
    const startedAt = service.clock.now()
    const fetch = async (request: Request) => {
      if (request.method === 'POST') sentAt.push(service.clock.now() - startedAt)
      return service.fetch(request)
    }
    const { svc, clock } = createShell({ ...service, fetch })
    const { code } = await clock.until(svc(['upload', 'mine.json', '-j', '1'], { files }))
    expect([code, sentAt]).toEqual([0, [0, 0, 0, 15_000]])
  })

  it('svc upload leaves an upload unknown if the service says that it has it', async () => {
    const service = run({
      ambiguities: { externalIdUnique: true, listLagMs: 600_000 },
      faults: ['stored, then 503'],
      others: 0,
    })
    const { svc, clock, server, project } = createShell(service)
    const one = { 'one.json': { ...transcripts[0], externalId: 'e-1' } }
    const uploadOne = () => clock.until(svc(['upload', 'one.json', '--json'], { files: one }))
    expect((await uploadOne()).code).toBe(10)
    expect((await uploadOne()).code).toBe(10)
    expect(server.world.transcripts(project)).toHaveLength(1)
    await clock.advance(600_000)
    expect((await uploadOne()).code).toBe(0)
  })

  it('svc upload and svc uploads reconcile survive a lag as long as --list-lag says', async () => {
    const service = run({ ambiguities: { listLagMs: 50_000 }, faults: ['stored, then 503'], others: 0 })
    const { svc, clock, server, project } = createShell(service)
    const { code } = await clock.until(svc(['upload', 'mine.json', '--list-lag', '1m'], { files }))
    expect([code, server.world.transcripts(project).length]).toEqual([0, 3])
  })
})
