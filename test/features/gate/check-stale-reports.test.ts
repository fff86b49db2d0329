import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Io, realIo } from '@svc/cli'
import { describe, expect, it } from 'vitest'
import type { CliOptions } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const ids = ['json', 'junit', 'sarif', 'gitlab', 'md', 'html'] as const
const reports = ids.flatMap((id) => ['--report', `${id}=out/report.${id}`])
const read = (cwd: string, id: string) => readFileSync(join(cwd, `out/report.${id}`), 'utf8')

/** A shell in which a check has passed, with its reports. */
async function passedShell() {
  const shell = scriptedShell()
  const { code } = await shell.check(['strong'], ['--no-cache', ...reports])
  expect(code).toBe(0)
  return shell
}

/** Every report says that nothing was judged, and why, in the form that its readers take for an error. */
function expectReason(cwd: string, code: number, why: string) {
  const json = JSON.parse(read(cwd, 'json'))
  expect(json).toMatchObject({ schema: 'svc/check@2', verdict: 'not judged', exit: code, judged: 0 })
  expect(json.error.message).toContain(why)
  const junit = read(cwd, 'junit')
  expect(junit).toMatch(/<testsuites [^>]* errors="[1-9]/)
  expect(junit).toMatch(/<error type="[^"]+" message="could not judge: /)
  const [run] = JSON.parse(read(cwd, 'sarif')).runs
  expect(run.invocations[0]).toMatchObject({ executionSuccessful: false, exitCode: code })
  expect(run.invocations[0].toolExecutionNotifications[0]).toMatchObject({ level: 'error' })
  expect(read(cwd, 'md')).toMatch(/^## svc check: not judged\n/)
  expect(read(cwd, 'html')).toContain('<header class="top verdict-not-judged">')
  expect(JSON.parse(read(cwd, 'gitlab'))[0]).toMatchObject({ check_name: 'svc/error', severity: 'blocker' })
  for (const id of ids) {
    expect(read(cwd, id), id).toContain(why)
    expect(read(cwd, id), id).not.toContain('passed: ')
  }
}

const answering = (shell: ReturnType<typeof scriptedShell>, status: number) => async (request: Request) =>
  request.url.includes('/v1/annot')
    ? Response.json({ error: 'x', detail: 'refused' }, { status })
    : shell.fetch(request)

type Ends = [
  name: string,
  code: number,
  why: string,
  options: (shell: ReturnType<typeof scriptedShell>) => CliOptions,
  flags?: string[],
]

describe('a check that ends before it could judge leaves no report of an earlier run', () => {
  const stopped = AbortSignal.abort('SIGINT')
  it.each<Ends>([
    ['a policy that cannot be used', 3, 'the policy cannot be used', () => ({ files: { 'svc.checks.json': '{' } })],
    ['an input that is not there', 3, 'gone.json', () => ({}), ['gone.json']],
    ['a baseline that is not there', 3, 'no such baseline', () => ({}), ['--baseline', 'none.json']],
    ['no key', 4, 'No API key is set.', () => ({ env: { SVC_API_KEY: undefined } })],
    ['a key that is refused', 4, '401', (shell) => ({ io: { fetch: answering(shell, 401) } })],
    ['no address', 3, 'The base URL of the service is not set.', () => ({ env: { SVC_BASE_URL: undefined } })],
    ['an unknown annotator', 2, 'There is no annotator', () => ({}), ['--annotator', 'other']],
    ['flags that go against each other', 2, 'attempt', () => ({}), ['--confirm-on-fail']],
    [
      'a signal while it reads',
      130,
      'Stopped by SIGINT',
      () => ({
        signal: stopped,
        io: {
          kindOf: () => {
            throw 'SIGINT'
          },
        },
      }),
    ],
    [
      'a bug',
      1,
      'boom',
      () => ({
        io: {
          kindOf: () => {
            throw new Error('boom')
          },
        },
      }),
    ],
  ])(
    'a check that ends before it could judge leaves no report of an earlier run by %s',
    async (_, code, why, optionsOf, flags = []) => {
      const shell = await passedShell()
      const result = await shell.check(['strong'], ['--no-cache', ...reports, ...flags], optionsOf(shell))
      expect(result.code, result.err).toBe(code)
      expectReason(shell.cwd, code, why)
    },
  )

  it('nor a pass where all of it is missing: 75 and 101 are errors for their readers too', async () => {
    for (const [words, code] of [
      ['503', 75],
      ['422', 101],
    ] as const) {
      const shell = scriptedShell()
      const { out } = await shell.check([words], ['--no-cache', '--report', 'github', ...reports])
      expect(out).toMatch(/^::error title=svc check%3A could not judge::could not judge: /)
      const json = JSON.parse(read(shell.cwd, 'json'))
      expect(json).toMatchObject({ verdict: 'not judged', exit: code, error: null })
      expect(read(shell.cwd, 'junit')).toMatch(/<testsuites [^>]* errors="[1-9]/)
      const [run] = JSON.parse(read(shell.cwd, 'sarif')).runs
      expect(run.invocations[0].executionSuccessful).toBe(false)
    }
  })

  it('a check that ends before it could judge leaves no report of an earlier run and names the transcripts that it knew of', async () => {
    const shell = await passedShell()
    await shell.check(['strong', 'mixed'], ['--no-cache', ...reports], { io: { fetch: answering(shell, 401) } })
    const { total, cases } = JSON.parse(read(shell.cwd, 'json'))
    expect([total, cases[1]]).toMatchObject([
      2,
      { path: 'conversations/1.json', result: 'not judged', gap: { why: 'not annotated' } },
    ])
  })

  it('writes the reason to GitHub annotations and the step summary', async () => {
    const shell = scriptedShell()
    const env = { SVC_API_KEY: undefined, GITHUB_STEP_SUMMARY: join(shell.cwd, 'summary.md') }
    const { code, out } = await shell.check(['strong'], ['--report', 'github'], { env })
    expect([code, out]).toEqual([
      4,
      expect.stringMatching(
        /^::error title=svc check%3A could not judge::could not judge: No API key is set\.%0Ahint: /,
      ),
    ])
    expect(readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8')).toContain(
      '## svc check: not judged\n\n`could not judge: No API key',
    )
  })

  it('a check that ends before it could judge gives the reason to the report that owns standard output', async () => {
    const { check } = scriptedShell()
    const { out } = await check(['strong'], ['--report', 'junit=-'], { env: { SVC_API_KEY: undefined } })
    expect(out).toMatch(/^<\?xml[\s\S]*<error type="[^"]+" message="could not judge: No API key is set\."/)
  })

  it.each([
    ['two reports in one file', ['--report', 'md=out/report.json']],
    ['a baseline in the place of a report', ['--baseline', 'out/report.json', '--update-baseline']],
    ['a flag that does not parse', ['--attempts', 'many']],
    ['a dry run', ['--dry-run']],
  ])('but %s touches no file', async (_, flags) => {
    const shell = await passedShell()
    const before = ids.map((id) => read(shell.cwd, id))
    await shell.check(['strong'], ['--no-cache', ...reports, ...flags])
    expect(ids.map((id) => read(shell.cwd, id))).toEqual(before)
  })

  it('keeps a file that is not a report of svc while the inputs are not known yet', async () => {
    const shell = scriptedShell()
    const files = { 'svc.checks.json': '{', 'conversations/t.json': conversation('strong') }
    const { code, err } = await shell.check(['strong'], ['--report', 'json=conversations/t.json'], { files })
    expect([code, err]).toEqual([3, expect.stringContaining('note: kept conversations/t.json: not written by svc')])
    expect(JSON.parse(readFileSync(join(shell.cwd, 'conversations/t.json'), 'utf8'))).toEqual(conversation('strong'))
  })

  it('removes only its own reports that it cannot overwrite', async () => {
    const shell = await passedShell()
    writeFileSync(join(shell.cwd, 'out/notes.md'), '# Mine\n')
    const full = async () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }
    const argv = ['--no-cache', ...reports, '--report', 'md=out/notes.md']
    const { code, err } = await shell.check(['poor'], argv, { io: { writeFile: full } })
    expect([code, err]).toEqual([100, expect.stringContaining('cannot write the report (ENOSPC)')])
    expect(ids.filter((id) => existsSync(join(shell.cwd, `out/report.${id}`)))).toEqual([])
    expect(readFileSync(join(shell.cwd, 'out/notes.md'), 'utf8')).toBe('# Mine\n')
  })

  it('writes the other reports if one cannot be written, and reports it once', async () => {
    const shell = await passedShell()
    mkdirSync(join(shell.cwd, 'taken'))
    const { code, err } = await shell.check(['poor'], ['--no-cache', ...reports, '--report', 'md=taken'])
    expect(code).toBe(3)
    expect(err.match(/taken: cannot write the report \(EISDIR\)/g)).toHaveLength(1)
    expectReason(shell.cwd, 3, 'taken: cannot write the report (EISDIR)')
  })
})

describe('svc report', () => {
  it('merges no report of a check that ended before it could judge', async () => {
    const shell = await passedShell()
    await shell.check(['strong'], ['--report', 'json=bad.json'], { env: { SVC_API_KEY: undefined } })
    const { code, err } = await shell.svc(['report', 'merge', 'out/report.json', 'bad.json', '--report', 'md=all.md'])
    expect([code, err]).toEqual([
      101,
      expect.stringContaining('bad.json: the check that wrote this ended before it could'),
    ])
    expect(err).toContain('No API key is set.')
    expect(readFileSync(join(shell.cwd, 'all.md'), 'utf8')).toMatch(/^## svc check: not judged\n/)
    expect((await shell.svc(['report', 'compare', 'out/report.json', 'bad.json'])).code).toBe(101)
  })

  it('writes why it failed over an earlier merge and comparison, and over no other file', async () => {
    const shell = await passedShell()
    const good = read(shell.cwd, 'json')
    const other = JSON.stringify({ ...JSON.parse(good), annotator: 'patterns' })
    const argv = ['out/report.json', 'other.json']
    const files = { 'other.json': other }
    const merge = await shell.svc(['report', 'merge', ...argv, '--report', 'md=all.md'], { files })
    expect(merge.code).toBe(101)
    expect(readFileSync(join(shell.cwd, 'all.md'), 'utf8')).toContain(
      'could not judge: The reports are not comparable.',
    )
    writeFileSync(join(shell.cwd, 'notes.md'), '# Notes\n')
    await shell.svc(['report', 'merge', ...argv, '--report', 'md=notes.md'])
    expect(readFileSync(join(shell.cwd, 'notes.md'), 'utf8')).toBe('# Notes\n')
    writeFileSync(join(shell.cwd, 'compared.md'), '## svc report compare: worse\n')
    const twice = ['out/report.json', 'out/report.json']
    const compared = await shell.svc(['report', 'compare', ...twice, '--report', 'md=compared.md'])
    expect(compared.code).toBe(101)
    expect(readFileSync(join(shell.cwd, 'compared.md'), 'utf8')).toMatch(/^## svc report compare: not compared\n/)
  })
})

it('a check that is stopped while it writes its reports leaves none of them, because they tell of another end', async () => {
  const { cwd, check } = await passedShell()
  const stop = new AbortController()
  const real = realIo(process, cwd, { signal: stop.signal, onSignal: () => () => {} })
  const writeFile: Io['writeFile'] = async (...file) => {
    await real.writeFile(...file)
    stop.abort('SIGTERM')
  }
  const { code } = await check(['strong'], ['--no-cache', ...reports], { signal: stop.signal, io: { writeFile } })
  expect(code).toBe(143)
  expect(ids.filter((id) => existsSync(join(cwd, `out/report.${id}`)))).toEqual([])
})

it('a report of an earlier run that cannot be removed is named', async () => {
  const { check } = await passedShell()
  const refused = async () => {
    throw Object.assign(new Error('read-only'), { code: 'EROFS' })
  }
  const io = { writeFile: refused, removeFile: refused }
  const { code, err } = await check(['strong'], ['--no-cache', ...reports], { io })
  expect(code).toBe(1)
  for (const id of ids) expect(err).toContain(`out/report.${id}: cannot remove the report of an earlier run (EROFS)`)
})
