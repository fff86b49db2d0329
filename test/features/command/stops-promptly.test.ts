import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Io, realIo } from '@svc/cli'
import type { Fetch } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HandClock } from '../../helpers/hand-clock.js'
import { createShell } from '../../helpers/run-cli.js'

const total = 12
const files = Object.fromEntries(
  Array.from({ length: total }, (_, n) => [`in/${n}.json`, [{ role: 'user', content: `This is ${n}.` }]]),
)
const annotator = ['--annotator', 'structural']

const commands: string[][] = [
  ['upload', 'in'],
  ['upload', 'in', '--dry-run'],
  ['upload', 'in', '--dry-run', '--json'],
  ['annotate', 'in', ...annotator],
  ['annotate', 'in', ...annotator, '--dry-run'],
  ['check', 'in', ...annotator, '--no-cache'],
  ['check', 'in', ...annotator, '--no-cache', '--dry-run'],
  ['convert', 'in'],
  ['convert', 'in', '--out', 'out.jsonl', '--force'],
  ['convert', 'in', '--detect'],
]

/** Runs a command; `act` is called before it opens its file number `at`. */
async function runUntil(
  argv: readonly string[],
  at: number,
  act: (stop: AbortController, clock: HandClock) => unknown,
) {
  const shell = createShell()
  const stop = new AbortController()
  const real = realIo(process, shell.cwd, { signal: stop.signal, onSignal: () => () => {} })
  let opened = 0
  const openFile: Io['openFile'] = async (path) => {
    if (++opened === at) await act(stop, shell.clock)
    return real.openFile(path)
  }
  const given = { ...files, 'out.jsonl': 'before' }
  const result = await shell.svc([...argv], { files: given, signal: stop.signal, io: { openFile, clock: shell.clock } })
  const sent = shell.server.requests.filter(({ method }) => method === 'POST').length
  const read = (path: string) => readFileSync(join(shell.cwd, path), 'utf8')
  const isLedger = existsSync(join(shell.cwd, '.state', 'uploads'))
  return { ...result, opened, sent, file: read('out.jsonl'), isLedger, read }
}

/** Standard output holds nothing of a result; with --json the error. */
const hasNoResult = ({ out }: { out: string }, argv: readonly string[]) =>
  argv.includes('--json') ? JSON.parse(out).schema === 'svc/error@1' : out === '' || argv[0] === 'check'

describe('a command that reads its input', () => {
  it('ends with 130 or 143 before it opens another file, and prints, sends and writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...commands),
        fc.integer({ min: 1, max: total }),
        fc.constantFrom('SIGINT', 'SIGTERM'),
        async (argv, at, signal) => {
          const ended = await runUntil(argv, at, (stop) => stop.abort(signal))
          const { code, opened, sent, file, isLedger } = ended
          expect([code, opened, sent, file, isLedger]).toEqual([
            signal === 'SIGINT' ? 130 : 143,
            at,
            0,
            'before',
            false,
          ])
          expect(hasNoResult(ended, argv)).toBe(true)
        },
      ),
      { numRuns: 40 },
    )
  })

  it.each(commands)('ends with 75 at its deadline before it opens another file: svc %s %s %s %s', async (...argv) => {
    const ended = await runUntil([...argv, '--deadline', '5s'], 3, (_, clock) => clock.advance(6_000))
    const { code, opened, sent, file, isLedger } = ended
    expect([code, opened, sent, file, isLedger]).toEqual([75, 3, 0, 'before', false])
    expect(ended.err).toContain('The deadline of this run has passed.')
    expect(hasNoResult(ended, argv)).toBe(true)
  })

  it('writes into the reports of a check that it was stopped', async () => {
    const argv = ['check', 'in', ...annotator, '--no-cache', '--report', 'json=report.json']
    const { code, read } = await runUntil(argv, 2, (stop) => stop.abort('SIGINT'))
    const { error } = JSON.parse(read('report.json')) as { error: { message: string } }
    expect([code, error.message]).toEqual([130, 'Stopped by SIGINT.'])
  })
})

describe('a command that waits for standard input', () => {
  it.each([
    [['upload', '-']],
    [['upload', '-', '--dry-run']],
    [['convert', '-']],
    [['check', '-', ...annotator]],
    [['annotate', '-', ...annotator]],
  ])('ends with 75 at its deadline: svc %j', async (argv) => {
    const shell = createShell()
    async function* never() {
      yield '[{"role":"user","content":"Hello?"}]\n'
      await shell.clock.advance(6_000)
      await new Promise(() => {})
    }
    const { code, err } = await shell.svc([...argv, '--deadline', '5s'], { stdin: never() })
    expect([code, err]).toEqual([75, expect.stringContaining('The deadline of this run has passed.')])
  })

  it('ends with 75 at its deadline while it asks', async () => {
    const { svc, clock } = createShell()
    const ask = async () => {
      await clock.advance(6_000)
      return new Promise<string>(() => {})
    }
    const options = { tty: true, answers: [], io: { ask }, env: { SVC_CONFIG: 'config.json', SVC_API_KEY: undefined } }
    expect((await svc(['auth', 'login', '--deadline', '5s'], options)).code).toBe(75)
  })
})

describe('a list that has no end', () => {
  const row = (n: number) => ({ id: `hp-${n}`, name: `project ${n}`, created_at: '2026-01-01T00:00:00Z' })
  const rows = (page: number, limit: number) => Array.from({ length: limit }, (_, n) => row(page * limit + n))

  /** A service whose lists have no end; `onPage` is called before it answers. */
  const endless =
    (onPage: (page: number) => unknown): Fetch =>
    async (...given) => {
      const [input] = given as [Request | URL | string]
      const { searchParams } = new URL(input instanceof Request ? input.url : input)
      const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))]
      await onPage(page)
      const pagination = { page, limit, total: 1_000_000 }
      return Response.json({ data: rows(page, limit), pagination, processing_time_ms: 1 })
    }

  it.each([[['projects', 'list']], [['transcripts', 'list']]])(
    'svc %j prints each page as it comes and ends with 75 at its deadline',
    async (argv) => {
      const { svc, clock } = createShell()
      const fetch = endless(() => clock.advance(300))
      const { code, out, err } = await svc([...argv, '--all', '--limit', '10', '--deadline', '1s'], { io: { fetch } })
      expect([code, err]).toEqual([75, expect.stringContaining('The deadline of this run has passed.')])
      expect(
        out
          .trim()
          .split('\n')
          .map((line) => line.split('\t')[0]),
      ).toEqual([...rows(1, 10), ...rows(2, 10), ...rows(3, 10)].map(({ id }) => id))
    },
  )

  it('is one JSON document that says why it is not complete', async () => {
    const { svc } = createShell()
    const stop = new AbortController()
    const fetch = endless((page) => page === 3 && stop.abort('SIGINT'))
    const { code, json } = await svc(['projects', 'list', '--all', '--json'], { signal: stop.signal, io: { fetch } })
    const { schema, data, error } = json() as { schema: string; data: object[]; error: object }
    expect([code, schema, data.length]).toEqual([130, 'svc/projects@1', 200])
    expect(error).toMatchObject({ exit: 130, message: expect.stringContaining('SIGINT') })
  })

  it('keeps --fields and the form for a terminal', async () => {
    const { svc } = createShell()
    const lastPage = endless(() => {})
    const fetch: Fetch = async (...given) => {
      const answer = (await (await lastPage(...given)).json()) as { data: object[]; pagination: { page: number } }
      const data = answer.pagination.page > 2 ? [] : answer.data
      return Response.json({ ...answer, data, pagination: { ...answer.pagination, total: 40 } })
    }
    const argv = ['projects', 'list', '--all', '--limit', '20']
    const fields = await svc([...argv, '--fields', 'name'], { io: { fetch } })
    const terminal = await svc([...argv, '--json'], { io: { fetch }, tty: true })
    const table = await svc(argv, { io: { fetch }, tty: true })
    expect(fields.json().data).toHaveLength(40)
    expect((fields.json().data as object[])[39]).toEqual({ name: 'project 59' })
    expect(terminal.out).toBe(`${JSON.stringify(terminal.json(), null, 2)}\n`)
    expect(table.out.split('\n').filter((line) => line.startsWith('ID'))).toHaveLength(1)
    expect(table.out.trim().split('\n')).toHaveLength(41)
  })
})
