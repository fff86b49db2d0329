import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createReferenceServer, referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { opencodeSession } from '../../helpers/opencode-files.js'
import { bin, cleanEnv, runProcess } from '../../helpers/own-service.js'
import { createShell } from '../../helpers/run-cli.js'
import type { RequestHandler } from '../../helpers/session.js'
import { claudeSession } from '../../helpers/session-files.js'

const folder = '.claude/projects/-home-me-app'
const at = '2025-12-31T20:00:00Z'
const session = (id: string, said = ['Where is it?', 'Here.']) => claudeSession(id, at, { said })
const minute = 60_000

/** A run of `svc upload --follow` on a clock that stands still until it is moved on. */
function following(
  flags: string[] = ['--ended-after', '1m'],
  { tool = 'claude-code', pauseMs = 15_000, fetch = undefined as RequestHandler | undefined } = {},
) {
  const shell = createShell()
  const { cwd, clock, server, project } = shell
  const stop = new AbortController()
  let changes = 0
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content))
    // A change is seen by its time, even if it comes within the resolution of the file system.
    const time = Date.parse(at) / 1_000 + ++changes
    utimesSync(join(cwd, path), time, time)
  }
  let isPaused = false
  let paused = () => {}
  const watched = {
    ...clock,
    after(ms: number, callback: () => void) {
      if (ms !== pauseMs) return clock.after(ms, callback)
      isPaused = true
      paused()
      return clock.after(ms, () => {
        isPaused = false
        callback()
      })
    },
  }
  const start = () =>
    shell.svc(['upload', '--sessions', tool, '--follow', ...flags], {
      env: { HOME: cwd },
      signal: stop.signal,
      io: { clock: watched, ...(fetch && { fetch }) },
    })
  /** Moves time on until the command waits between two rounds. */
  const idle = async () => {
    if (!isPaused) await clock.until(new Promise<void>((resolve) => (paused = resolve)))
  }
  const pass = async (ms: number) => {
    for (const until = clock.now() + ms; clock.now() < until; ) {
      await idle()
      await clock.advance(Math.min(pauseMs, until - clock.now()))
    }
    await idle()
  }
  const stored = () => server.world.transcripts(project).map(({ record }) => record.external_id)
  const ended = async (run: ReturnType<typeof start>, signal = 'SIGINT') => {
    stop.abort(signal)
    return clock.until(run)
  }
  return { ...shell, write, start, pass, stored, ended }
}

describe('svc upload --follow', () => {
  it('uploads a session once it is unchanged for ten minutes, and not before', async () => {
    const { write, start, pass, stored, ended } = following([], { pauseMs: 30_000 })
    write(`${folder}/a.jsonl`, session('a'))
    const run = start()
    await pass(8 * minute)
    write(`${folder}/a.jsonl`, session('a', ['Where is it?', 'Here.', 'Thanks']))
    await pass(9 * minute)
    expect(stored()).toEqual([])
    await pass(2 * minute)
    expect(stored()).toEqual(['a'])
    const { code, err } = await ended(run)
    expect([code, err]).toEqual([130, expect.stringContaining('1 transcript uploaded')])
  })

  it('uploads in any round what ended since, from folders that appear later', async () => {
    const { write, start, pass, stored, ended } = following(['--ended-after', '1m'])
    const run = start()
    await pass(5 * minute)
    write(`${folder}/a.jsonl`, session('a'))
    await pass(2 * minute)
    write('.claude/projects/-srv/b.jsonl', session('b'))
    await pass(2 * minute)
    expect(stored().sort()).toEqual(['a', 'b'])
    const { code, err } = await ended(run, 'SIGTERM')
    expect([code, err.match(/1 transcript uploaded/g)?.length]).toEqual([143, 2])
  })

  it.each([
    ['uploads a grown session again', [], ['a', 'a'], 'same external id as'],
    [
      'skips a grown session with --skip changed',
      ['--skip', 'changed'],
      ['a'],
      '1 changed since they were stored, skipped',
    ],
  ])('%s', async (_, flags, expected, note) => {
    const { write, start, pass, stored, ended } = following(['--ended-after', '1m', ...flags])
    write(`${folder}/a.jsonl`, session('a'))
    const run = start()
    await pass(2 * minute)
    write(`${folder}/a.jsonl`, session('a', ['Where is it?', 'Here.', 'Thanks']))
    await pass(2 * minute)
    expect([stored(), (await ended(run)).err]).toEqual([expected, expect.stringContaining(note)])
  })

  it('sends nothing again of a file that was only touched, and nothing after a restart', async () => {
    const { write, start, pass, stored, ended, svc, cwd } = following(['--ended-after', '1m'])
    write(`${folder}/a.jsonl`, session('a'))
    const run = start()
    await pass(2 * minute)
    write(`${folder}/a.jsonl`, session('a'))
    await pass(2 * minute)
    expect([stored(), (await ended(run)).err]).toEqual([['a'], expect.stringContaining('1 already stored')])
    const again = await svc(['upload', '--sessions', 'claude-code'], { env: { HOME: cwd } })
    expect(again.err).toContain('0 transcripts uploaded')
  })

  it('goes on after files that vanish, cannot be read or are no transcripts', async () => {
    const { write, start, pass, stored, ended, cwd } = following(['--ended-after', '1m'])
    write(`${folder}/gone.jsonl`, session('gone'))
    write(`${folder}/locked.jsonl`, session('locked'))
    write(`${folder}/notes.jsonl`, '{"note":1}\n')
    chmodSync(join(cwd, `${folder}/locked.jsonl`), process.getuid?.() === 0 ? 0o600 : 0)
    const run = start()
    await pass(minute / 2)
    rmSync(join(cwd, `${folder}/gone.jsonl`))
    write(`${folder}/a.jsonl`, session('a'))
    await pass(3 * minute)
    expect(stored()).toContain('a')
    expect(stored()).not.toContain('gone')
    expect((await ended(run)).code).toBe(130)
  })

  it('tries a round again that failed for a time, and ends when it cannot succeed', async () => {
    let status: number | undefined = 503
    const shell = following(['--ended-after', '1m'], {
      fetch: async (request) =>
        status !== undefined && request.method === 'POST' ? new Response('{}', { status }) : shell.fetch(request),
    })
    const { write, start, pass, clock, stored } = shell
    write(`${folder}/a.jsonl`, session('a'))
    const run = start()
    await pass(30 * minute)
    expect(stored()).toEqual([])
    status = undefined
    await pass(10 * minute)
    expect(stored()).toEqual(['a'])
    status = 401
    write(`${folder}/b.jsonl`, session('b'))
    expect((await clock.until(run)).code).toBe(4)
  })

  it('leaves a ledger without open entries when it is stopped between rounds', async () => {
    const { write, start, pass, ended, cwd } = following(['--ended-after', '1m'])
    write(`${folder}/a.jsonl`, session('a'))
    const run = start()
    await pass(2 * minute)
    await ended(run)
    const ledgers = join(cwd, '.state/uploads')
    const names = readdirSync(ledgers)
    expect(names.filter((name) => !name.endsWith('.jsonl'))).toEqual([])
    expect(readFileSync(join(ledgers, names[0] ?? ''), 'utf8')).toMatch(/"done"/)
  })

  it('waits until all files of a session of opencode are quiet', async () => {
    const { write, start, pass, stored, ended } = following(['--ended-after', '1m'], { tool: 'opencode' })
    const storage = '.local/share/opencode/storage'
    const files = opencodeSession(storage)
    for (const [path, content] of Object.entries(files)) write(path, content)
    const answer = `${storage}/part/msg_ses_1_2/prt_3.json`
    const run = start()
    for (const text of ['Done. ', 'Done. All', 'Done. All of it.']) {
      await pass(minute / 2)
      write(answer, { ...(files[answer] as object), text })
    }
    expect(stored()).toEqual([])
    await pass(2 * minute)
    expect(stored()).toEqual(['ses_1'])
    await ended(run)
  })

  it('requires --sessions and no files, and sends nothing else', async () => {
    const { svc } = createShell()
    for (const more of [['a.json'], []]) {
      const { code, err } = await svc(['upload', '--follow', ...more])
      expect([code, err]).toEqual([2, expect.stringContaining('svc: --follow requires --sessions and takes no files.')])
    }
    for (const flag of ['--dry-run', '--rejects=x', '--retry-rejects'])
      expect((await svc(['upload', '--sessions', 'codex', '--follow', flag])).code).toBe(2)
  })
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'ends as a process at %s with %d and a ledger that knows what is stored',
  async (signal, expected) => {
    const { child, env, close, cwd } = await followingProcess()
    const code = await new Promise((resolve) => {
      child.stderr.on('data', (chunk) => String(chunk).includes('1 transcript uploaded') && child.kill(signal))
      child.on('close', resolve)
    })
    expect(code).toBe(expected)
    const { err } = await runProcess(['upload', '--sessions', 'claude-code'], env, cwd)
    await close()
    expect(err).toContain('0 transcripts uploaded')
    expect(err).toContain('1 already stored')
  },
  60_000,
)

/** The built command, which follows a folder with one session, against a server of its own. */
async function followingProcess() {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-follow-'))
  mkdirSync(join(cwd, folder), { recursive: true })
  writeFileSync(join(cwd, folder, 'a.jsonl'), session('a'))
  const server = createReferenceServer()
  const { record } = server.world.createProject({ name: 'Test project' })
  const { baseUrl, publicBaseUrl, close } = await server.listen()
  const env = {
    ...cleanEnv,
    HOME: cwd,
    SVC_API_KEY: referenceKey,
    SVC_BASE_URL: baseUrl,
    SVC_PUBLIC_BASE_URL: publicBaseUrl,
    SVC_PROJECT: record.id,
    SVC_STATE_DIR: join(cwd, 'state'),
  }
  const argv = ['upload', '--sessions', 'claude-code', '--follow', '--ended-after', '50ms']
  const child = spawn(process.execPath, [bin, ...argv], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closeAll = async () => {
    await close()
    rmSync(cwd, { recursive: true })
  }
  return { child, env, close: closeAll, cwd }
}
