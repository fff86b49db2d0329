import { existsSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import type { RequestHandler } from '../../helpers/session.js'

const total = 120
const transcripts = Array.from({ length: total }, (_, n) => ({
  name: `${n}`,
  turns: [{ role: 'user', content: `This is ${n}.` }],
}))

/** A project with two pages of uploads and a ledger of them, of which so many bytes are left, or none at all. */
async function lostLedger(bytes?: number) {
  const shell = createShell()
  const upload = () => shell.svc(['upload', 'many.json'])
  const first = await shell.svc(['upload', 'many.json'], { files: { 'many.json': transcripts } })
  expect(first.code).toBe(0)
  const folder = join(shell.cwd, '.state', 'uploads')
  const file = join(folder, readdirSync(folder)[0] ?? '')
  if (bytes === undefined) rmSync(folder, { recursive: true })
  else truncateSync(file, bytes)
  const entries = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
      .filter((line) => line !== '' && !/^\{"schema"|"event":"rebuilt"/.test(line)).length
  const stored = () => shell.server.world.transcripts(shell.project).length
  /** A fetch that ends the rebuild on its second page. */
  const secondPage =
    (end: () => Response): RequestHandler =>
    async (request) =>
      /[?&]page=2\b/.test(request.url) ? end() : shell.fetch(request)
  return { ...shell, upload, folder, file, entries, stored, secondPage }
}

describe('svc uploads rebuild that does not end', () => {
  it('leaves no ledger when a page cannot be read, and no upload begins until it has ended', async () => {
    const { svc, upload, folder, file, entries, stored, secondPage, project, server } = await lostLedger()
    const rebuilt = await svc(['uploads', 'rebuild'], {
      io: { fetch: secondPage(() => Response.json({}, { status: 403 })) },
    })
    expect([rebuilt.code, rebuilt.err]).toEqual([
      4,
      expect.stringContaining(`the ledger is not rebuilt; what was found is in ${file}.rebuild`),
    ])
    expect(readdirSync(folder)).toEqual([`${file.slice(folder.length + 1)}.rebuild`])
    const command = `SVC_PUBLIC_BASE_URL=${server.publicBaseUrl} svc uploads rebuild --ledger ${folder} --project ${project}`
    for (const argv of [
      ['upload', 'many.json'],
      ['upload', 'many.json', '--dry-run'],
    ]) {
      const { code, err } = await svc(argv)
      expect([code, err]).toEqual([3, expect.stringContaining(`interrupted, or still runs: ${file}.rebuild.`)])
      expect(err).toContain(command)
    }
    for (const verb of ['list', 'reconcile']) {
      const { code, err } = await svc(['uploads', verb, '--project', project])
      expect([code, err]).toEqual([0, expect.stringContaining(`note: not read: ${file}.rebuild, of a rebuild`)])
      expect(err).toContain(command)
    }
    expect(stored()).toBe(total)
    expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
    expect([readdirSync(folder).length, entries()]).toEqual([1, total])
    expect(await upload()).toMatchObject({ code: 0 })
    expect(stored()).toBe(total)
  })

  it('svc uploads rebuild leaves nothing behind when it fails before it has read a page', async () => {
    const { svc, folder, file, upload, stored } = await lostLedger()
    for (const status of [401, 403, 404]) {
      const { code } = await svc(['uploads', 'rebuild'], { io: { fetch: async () => Response.json({}, { status }) } })
      expect([code > 0, readdirSync(folder)]).toEqual([true, []])
    }
    expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
    expect([existsSync(file), (await upload()).code, stored()]).toEqual([true, 0, total])
  })

  it('svc uploads rebuild that does not end blocks no upload whose ledger has all that was found', async () => {
    const { svc, folder, secondPage, upload, stored } = await lostLedger()
    expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
    const fetch = secondPage(() => Response.json({}, { status: 403 }))
    expect((await svc(['uploads', 'rebuild'], { io: { fetch } })).code).toBe(4)
    expect(readdirSync(folder)).toHaveLength(2)
    expect([(await upload()).code, stored()]).toEqual([0, total])
  })

  it('svc uploads rebuild of another address blocks no command, and svc says how to end it', async () => {
    const { svc, folder, secondPage, upload, stored, server, project, fetch } = await lostLedger()
    expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
    const mistyped = `${server.publicBaseUrl}/v9`
    const other: RequestHandler = (request) =>
      secondPage(() => Response.json({}, { status: 403 }))(new Request(request.url.replace('/v9', ''), request))
    const env = { SVC_PUBLIC_BASE_URL: mistyped }
    expect((await svc(['uploads', 'rebuild'], { env, io: { fetch: other } })).code).toBe(4)
    expect(readdirSync(folder)).toHaveLength(2)
    expect([(await upload()).code, stored()]).toEqual([0, total])
    for (const argv of [['list'], ['reconcile'], ['list', '--project', project]]) {
      const { code, err } = await svc(['uploads', ...argv])
      expect([code, err]).toEqual([0, expect.stringContaining(`SVC_PUBLIC_BASE_URL=${mistyped} svc uploads rebuild`)])
    }
    // As the note says.
    const ended: RequestHandler = (request) => fetch(new Request(request.url.replace('/v9', ''), request))
    expect((await svc(['uploads', 'rebuild'], { env, io: { fetch: ended } })).code).toBe(0)
    expect((await svc(['uploads', 'list'])).err).not.toContain('note:')
  })

  it('leaves a ledger as it was when it is stopped', async () => {
    const { svc, file, secondPage, entries, stored, upload } = await lostLedger(20_000)
    const before = readFileSync(file)
    const stop = new AbortController()
    const fetch = secondPage(() => {
      stop.abort('SIGINT')
      throw stop.signal.reason
    })
    expect((await svc(['uploads', 'rebuild'], { signal: stop.signal, io: { fetch } })).code).toBe(130)
    expect(readFileSync(file)).toEqual(before)
    expect(await upload()).toMatchObject({ code: 3 })
    expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
    expect(entries()).toBeGreaterThanOrEqual(total)
    expect(await upload()).toMatchObject({ code: 0 })
    expect(stored()).toBe(total)
  })

  it('is given up with the file that it left', async () => {
    const { svc, file, upload, stored, secondPage, project } = await lostLedger()
    const fetch = secondPage(() => Response.json({}, { status: 403 }))
    await svc(['uploads', 'rebuild'], { io: { fetch } })
    const { code, err } = await svc(['uploads', 'forget', '--all', '--project', project, '--yes'])
    expect([code, err]).toEqual([0, expect.stringContaining(`removed the damaged ledger ${file}.rebuild`)])
    expect([existsSync(`${file}.rebuild`), (await upload()).code, stored()]).toEqual([false, 0, 2 * total])
  })
})

describe('an upload right after a rebuild', () => {
  const ofListLag = async () => {
    const shell = createShell()
    shell.server.ambiguities.set({ listLagMs: 8_000 })
    const files = { 'many.json': transcripts.slice(0, 5), 'more.json': transcripts.slice(0, 6) }
    expect((await shell.svc(['upload', 'many.json'], { files })).code).toBe(0)
    rmSync(join(shell.cwd, '.state'), { recursive: true })
    const rebuilt = await shell.svc(['uploads', 'rebuild'])
    expect([rebuilt.code, rebuilt.err]).toEqual([0, expect.stringContaining('0 transcripts of the project')])
    return { ...shell, stored: () => shell.server.world.transcripts(shell.project).length }
  }

  it('reads the project again once the list must show what was stored before, and sends only what is new', async () => {
    const { svc, clock, stored } = await ofListLag()
    const { code, err } = await clock.until(svc(['upload', 'more.json']))
    expect([code, stored()]).toEqual([0, 6])
    expect(err).toContain(
      'the ledger was rebuilt just now; reading the project again in 75 s, before anything new is sent',
    )
  })

  it('waits for longer if the list may lag for longer, and not at all when that time is over', async () => {
    const { svc, clock, stored, server } = await ofListLag()
    await clock.advance(80_000)
    const before = server.requests.length
    expect((await clock.until(svc(['upload', 'more.json', '--list-lag', '60s']))).err).toContain('again in 40 s')
    expect([stored(), server.requests.length - before > 1]).toEqual([6, true])
    await clock.advance(40_000)
    expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
    await clock.advance(75_000)
    const { code, err } = await svc(['upload', 'more.json', '--again'])
    expect([code, err, stored()]).toEqual([0, expect.not.stringContaining('reading the project again'), 12])
  })

  it('sends nothing if it is stopped while it waits, or if the list stays incomplete', async () => {
    const { svc, stored, clock, fetch } = await ofListLag()
    const stop = new AbortController()
    const stopped = svc(['upload', 'more.json'], { signal: stop.signal })
    await clock.advance(10_000)
    stop.abort('SIGINT')
    expect([(await stopped).code, stored()]).toEqual([130, 5])
    const partial: RequestHandler = async (request) => {
      const response = await fetch(request)
      if (request.method !== 'GET') return response
      const body = (await response.json()) as { data: unknown[] }
      return Response.json({ ...body, data: body.data.slice(1) })
    }
    const { code, err } = await clock.until(svc(['upload', 'more.json'], { io: { fetch: partial } }))
    expect([code, stored(), err]).toEqual([
      75,
      5,
      expect.stringContaining('the list of the project may not be complete'),
    ])
  })
})

describe('svc uploads rebuild where the service masks the stamps', () => {
  const mine = Array.from({ length: 6 }, (_, n) => ({ name: `mine ${n}`, turns: [{ role: 'user', content: `${n}` }] }))
  const more = [{ name: 'new', turns: [{ role: 'user', content: 'new' }] }]

  /** How a service may show a stamp so that it does not say whose it is. */
  const masks: Record<string, (svc: Record<string, string>) => unknown> = {
    'replaces each value': (svc) => Object.fromEntries(Object.keys(svc).map((name) => [name, 'REDACTED'])),
    'masks the key': (svc) => ({ ...svc, key: '***' }),
    'cuts the values': (svc) => ({ ...svc, key: svc.key?.slice(0, 12), write: svc.write?.slice(0, 12) }),
    'shows none': () => undefined,
  }

  async function masked(mask: (svc: Record<string, string>) => unknown, showsTurns: boolean) {
    const shell = createShell()
    const files = { 'mine.json': mine, 'all.json': [...mine, ...more] }
    expect((await shell.svc(['upload', 'mine.json'], { files })).code).toBe(0)
    rmSync(join(shell.cwd, '.state'), { recursive: true })
    const show = ({ turns, ...row }: Record<string, unknown>) => {
      const { svc, ...others } = row.metadata as { svc: Record<string, string> }
      return { ...row, metadata: { ...others, svc: mask(svc) }, ...(showsTurns && { turns }) }
    }
    let isMasked = true
    const fetch: RequestHandler = async (request) => {
      const response = await shell.fetch(request)
      if (!isMasked || request.method !== 'GET' || !response.ok) return response
      const body = (await response.json()) as { data: Record<string, unknown> | Record<string, unknown>[] }
      return Response.json({ ...body, data: Array.isArray(body.data) ? body.data.map(show) : show(body.data) })
    }
    const svc = (...argv: string[]) => shell.svc(argv, { io: { fetch } })
    const stored = () => shell.server.world.transcripts(shell.project).length
    const { clock } = shell
    return { svc, clock, stored, unmask: () => (isMasked = false) }
  }

  it.each(Object.keys(masks))('sends only what cannot be one of the transcripts of a service that %s', async (name) => {
    for (const showsTurns of [true, false]) {
      const { svc, clock, stored, unmask } = await masked(masks[name] ?? expect.unreachable(), showsTurns)
      const isAmbiguous = name !== 'shows none' || !showsTurns
      const rebuilt = await svc('uploads', 'rebuild')
      expect([rebuilt.code, rebuilt.err.includes('6 transcripts of the project may be uploads')]).toEqual(
        isAmbiguous ? [10, true] : [0, false],
      )
      if (!showsTurns) expect((await svc('uploads', 'reconcile')).code).toBe(10)
      const first = await clock.until(svc('upload', 'all.json'))
      expect([first.code, stored()]).toEqual([showsTurns ? 0 : 10, 7])
      unmask()
      expect((await svc('uploads', 'reconcile')).code).toBe(0)
      expect([(await svc('upload', 'all.json')).code, stored()]).toEqual([0, 7])
    }
  })

  it('sends what may be one of the transcripts with --again', async () => {
    const { svc, stored } = await masked(() => 'hidden', false)
    expect((await svc('uploads', 'rebuild')).code).toBe(10)
    const held = await svc('upload', 'mine.json')
    expect([held.code, held.err]).toEqual([10, expect.stringContaining('--again (the option again) uploads it anyway')])
    expect([(await svc('upload', 'mine.json', '--again')).code, stored()]).toEqual([0, 12])
  })
})
