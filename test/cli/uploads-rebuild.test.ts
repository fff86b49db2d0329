import { existsSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../run-cli.js'
import type { RequestHandler } from '../session.js'

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
  const entries = () => readFileSync(file, 'utf8').split('\n').length - 2
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
    const { svc, upload, folder, file, entries, stored, secondPage, project } = await lostLedger()
    const rebuilt = await svc(['uploads', 'rebuild'], {
      io: { fetch: secondPage(() => Response.json({}, { status: 403 })) },
    })
    expect([rebuilt.code, rebuilt.err]).toEqual([4, expect.stringContaining('the ledger is not rebuilt; no upload')])
    expect(readdirSync(folder)).toEqual([`${file.slice(folder.length + 1)}.rebuild`])
    for (const argv of [
      ['upload', 'many.json'],
      ['upload', 'many.json', '--dry-run'],
      ['uploads', 'list'],
    ]) {
      const { code, err } = await svc(argv)
      expect([code, err]).toEqual([3, expect.stringContaining(`interrupted, or still runs: ${file}.rebuild.`)])
      expect(err).toContain(`svc uploads rebuild --ledger ${folder} --project ${project}`)
    }
    expect(stored()).toBe(total)
    expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
    expect([readdirSync(folder).length, entries()]).toEqual([1, total])
    expect(await upload()).toMatchObject({ code: 0 })
    expect(stored()).toBe(total)
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
