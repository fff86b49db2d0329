import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const all = ['json', 'junit', 'sarif', 'md', 'html']
const files = (...ids: string[]) => ids.flatMap((id) => ['--report', `${id}=out/report.${id}`])
const words = ['strong', 'poor loop', '422', 'indeterminate', 'critical rude']
const read = (cwd: string, name: string) => readFileSync(join(cwd, name), 'utf8')

describe('svc check --report', () => {
  it('writes every report of one run, makes their folder, and still shows one to the person', async () => {
    const shell = scriptedShell()
    const { code, out } = await shell.check(words, files(...all))
    expect(code).toBe(100)
    expect(readdirSync(join(shell.cwd, 'out')).sort()).toEqual(all.map((id) => `report.${id}`).sort())
    expect(out).toContain('conversations/1.json:1:')
    const line = out.trimEnd().split('\n').at(-1) ?? ''
    expect(line).toMatch(/^failed: 2 of 5 transcripts are poor or worse; 2 of 5 not judged/)
    for (const id of all) expect(read(shell.cwd, `out/report.${id}`)).toContain(line)
  })

  it('writes the same bytes of the same transcripts, however many are asked about at a time', async () => {
    const written = async (concurrency: string) => {
      const shell = scriptedShell()
      const { out } = await shell.check(words, [...files(...all), '-j', concurrency])
      return [out, ...all.map((id) => read(shell.cwd, `out/report.${id}`))]
    }
    expect(await written('8')).toEqual(await written('1'))
  })

  it('shows the turns in HTML, and in no other report', async () => {
    const shell = scriptedShell()
    await shell.check(['poor'], [...files(...all), '--forbid', 'x'])
    const holds = all.filter((id) => read(shell.cwd, `out/report.${id}`).includes('"Well."'))
    expect(holds).toEqual(['html'])
  })

  it('keeps the turns in JSON with --with-turns, so a merged page shows them', async () => {
    const shell = scriptedShell()
    await shell.check(['poor'], [...files('json'), '--with-turns'])
    expect(JSON.parse(read(shell.cwd, 'out/report.json')).cases[0].turns).toEqual([
      { role: 'user', content: 'poor', line: 1, column: 2 },
      { role: 'assistant', content: 'Well.', line: 1, column: 35 },
    ])
    const { code } = await shell.svc(['report', 'merge', 'out/report.json', '--report', 'html=out/all.html'])
    expect([code, read(shell.cwd, 'out/all.html').includes('"Well."')]).toEqual([100, true])
  })

  it('gives standard output to the one that asks for it, and the verdict to stderr', async () => {
    const shell = scriptedShell()
    const { out, err } = await shell.check(['poor'], ['--report', 'junit=-', ...files('md')])
    expect(out).toMatch(/^<\?xml/)
    expect(err).toMatch(/^failed: 1 of 1 transcript is poor or worse/)
    expect(read(shell.cwd, 'out/report.md')).toContain('failed:')
  })

  it.each([
    [['--json', '--report', 'md=-'], '--json and --report md=-'],
    [['--report', 'md=-', '--report', 'github'], '--report md=- and --report github'],
    [['--report', 'md=-', '--report', 'json=-'], '--report md=- and --report json=-'],
    [['--report', 'md=a.md', '--report', 'json=a.md'], 'a.md'],
    [['--report', 'pdf=a.pdf'], 'json, junit, sarif, gitlab, md, html'],
    [['--report', 'md'], 'FORMAT=FILE'],
  ])('refuses %j before anything is asked', async (flags, said) => {
    const { check, asked } = scriptedShell()
    const { code, err, out } = await check(['strong'], flags)
    expect([code, asked]).toEqual([2, []])
    expect(err + out).toContain(said)
  })

  it('svc check --report goes through a pipe, also in a folder that takes no other file, and leaves it a pipe', async () => {
    const shell = scriptedShell()
    const [pipe, closed] = [join(shell.cwd, 'pipe'), join(shell.cwd, 'closed')]
    for (const path of [pipe, closed]) execFileSync('mkfifo', [path])
    const tryWrite = async (path: string) => {
      if (path !== 'pipe') throw Object.assign(new Error('denied'), { code: 'EACCES' })
    }
    const [read, { code }] = await Promise.all([
      readFile(pipe, 'utf8'),
      shell.check(['poor'], ['--report', 'json=pipe'], { io: { tryWrite } }),
    ])
    expect([code, JSON.parse(read).verdict, lstatSync(pipe).isFIFO()]).toEqual([100, 'failed', true])
    const refused = await shell.check(['poor'], ['--report', 'json=closed'], { io: { tryWrite } })
    expect([refused.code, shell.asked.length, lstatSync(closed).isFIFO()]).toEqual([3, 1, true])
  })

  it('takes /dev/stdout for standard output, which has one owner', async () => {
    const shell = scriptedShell()
    const { code, json, err } = await shell.check(['poor'], ['--report', 'json=/dev/stdout'])
    expect([code, json().verdict, err]).toEqual([100, 'failed', expect.stringMatching(/^failed: /)])
    expect((await shell.check(['poor'], ['--json', '--report', 'md=/dev/stdout'])).code).toBe(2)
  })

  it('svc check --report goes where a link leads, which stays one', async () => {
    const shell = scriptedShell()
    mkdirSync(join(shell.cwd, 'real'))
    writeFileSync(join(shell.cwd, 'real/a.md'), '')
    symlinkSync('real/a.md', join(shell.cwd, 'a.md'))
    await shell.check(['poor'], ['--report', 'md=a.md'])
    expect([lstatSync(join(shell.cwd, 'a.md')).isSymbolicLink(), read(shell.cwd, 'real/a.md')]).toEqual([
      true,
      expect.stringContaining('failed'),
    ])
  })

  it('refuses a place that cannot be written before anything is asked', async () => {
    const { check, asked, cwd } = scriptedShell()
    mkdirSync(join(cwd, 'taken'))
    writeFileSync(join(cwd, 'file'), '')
    for (const [place, code] of Object.entries({ taken: 'EISDIR', 'file/report.md': 'ENOTDIR' })) {
      const refused = await check(['strong'], ['--report', `md=${place}`])
      expect([refused.code, asked]).toEqual([3, []])
      expect(refused.err).toContain(`${place}: cannot write the report (${code}).`)
    }
  })

  describe('that cannot be written in the end', () => {
    const full = {
      async writeFile() {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      },
    }

    it.each([
      ['passed', ['strong'], [], 1],
      ['failed', ['poor'], [], 100],
      ['failed and has another exit code for it', ['poor'], ['--gate-exit-code', '9'], 9],
      ['failed and has 0 for it', ['poor'], ['--gate-exit-code', '0'], 1],
      ['could not judge', ['422', 'strong'], [], 101],
      ['could not judge for now', ['503', 'strong'], [], 75],
    ])('ends a check that %s with its own exit code, or 1 instead of 0', async (_, words, flags, expected) => {
      const { check } = scriptedShell()
      const { code, err, out } = await check(words, ['--report', 'md=a.md', ...flags], { io: full })
      expect([code, out]).toEqual([expected, expect.stringMatching(/^(passed|failed|could not judge): /m)])
      expect(err).toContain('svc: a.md: cannot write the report (ENOSPC).\nhint: ')
    })

    it('leaves one document on standard output with --json', async () => {
      const { check } = scriptedShell()
      const { code, json, err } = await check(['strong'], ['--json', '--report', 'md=a.md'], { io: full })
      expect([code, json()]).toEqual([1, expect.objectContaining({ schema: 'svc/check@2', verdict: 'passed' })])
      expect(err).toContain('a.md: cannot write the report (ENOSPC).')
    })

    it('ends a merge of reports likewise', async () => {
      const shell = scriptedShell()
      await shell.check(['strong'], files('json'))
      const { code, err } = await shell.svc(['report', 'merge', 'out/report.json', '--report', 'md=a.md'], { io: full })
      expect([code, err]).toEqual([1, expect.stringContaining('a.md: cannot write the report (ENOSPC).')])
    })

    it.each([
      ['strong', 1, 'passed: '],
      ['poor', 100, 'failed: '],
    ])('a check that cannot write its baseline accepts nothing: %s ends with %i', async (words, exit, line) => {
      const { check } = scriptedShell()
      const { code, out, err } = await check([words], ['--baseline', 'b.json', '--update-baseline'], { io: full })
      expect([code, out]).toEqual([exit, expect.stringContaining(line)])
      expect(err).toContain('b.json: cannot write the baseline (ENOSPC).')
    })
  })

  it('writes GitHub annotations, and appends to the step summary', async () => {
    const shell = scriptedShell()
    writeFileSync(join(shell.cwd, 'summary.md'), '# Before\n')
    const { code, out, err } = await shell.check(['poor loop', '422'], ['--report', 'github'], {
      env: { GITHUB_STEP_SUMMARY: join(shell.cwd, 'summary.md') },
    })
    expect(code).toBe(100)
    expect(out).toMatch(/^::error file=conversations\/0\.json,line=1,/)
    expect(out).toMatch(/^::warning /m)
    expect(err).toContain('failed: 1 of 2')
    expect(read(shell.cwd, 'summary.md')).toMatch(/^# Before\n[\s\S]*failed: 1 of 2/)
  })

  it.each(['missing/summary.md', 'conversations'])(
    'ends as the check does where the summary cannot be written: %s',
    async (to) => {
      const shell = scriptedShell()
      const env = { GITHUB_STEP_SUMMARY: join(shell.cwd, to) }
      const { code, err } = await shell.check(['poor', 'strong'], ['--report', 'github'], { env })
      expect([code, err]).toEqual([
        100,
        expect.stringMatching(/^note: the summary of the step cannot be written to .*\n/m),
      ])
      expect(err).toContain('failed: 1 of 2')
    },
  )
})
