import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Baseline, type BaselineWriter, type CheckInput, type CheckReport, check } from '@svc/checks'
import { parse, type Transcript } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import type { CliOptions } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const ofJo: Record<string, string> = { 'user.name': 'Jo Doe\n', 'user.email': 'jo@example.org\n' }
const author = 'Jo Doe <jo@example.org>'
const io: NonNullable<CliOptions['io']> = {
  capture: async (command, args) => (command === 'git' ? ofJo[args[1] ?? ''] : undefined),
}

const baseline = ['--baseline', 'baseline.json']
const update = [...baseline, '--update-baseline']

/** Conversations by their outcome: twice in version 1.0.0, and then in the next. */
const [kept, known, flip, loop, mended] = [
  ...[
    'strong kept',
    'poor known',
    'strong|strong|poor flip',
    'strong|strong|poor loop flip',
    'poor|poor|strong mended',
  ],
] as [string, string, string, string, string]
const words = [kept, known, flip, loop, mended]

/** A shell whose baseline and report are of version 1.0.0; `late` failed only in the report. Its service has 1.1.0 now. */
async function shellWithNewVersion({ late = [] as string[], flags = [] as string[], all = words } = {}) {
  const shell = scriptedShell({ annotator_version: '1.0.0', taxonomy_version: '1' })
  const run = (of: readonly string[], more: readonly string[]) => shell.check(of, ['--no-cache', ...more], { io })
  await run(all, [...update, '--reason', 'bug 7', ...flags])
  await run([...all, ...late], [...baseline, '--report', 'json=main.json', ...flags])
  shell.versions.annotator_version = '1.1.0'
  const asked = shell.asked.length
  const read = <Kind>(path: string): Kind => JSON.parse(readFileSync(join(shell.cwd, path), 'utf8'))
  return {
    ...{ ...shell, run },
    /** The conversations that were asked about since. */
    askedNow: () => shell.asked.slice(asked),
    report: () => read<CheckReport>('report.json'),
    main: () => read<CheckReport>('main.json'),
    baseline: () => read<Baseline>('baseline.json'),
    /** The accepted findings by path. */
    entries: () =>
      Object.fromEntries(
        read<Baseline>('baseline.json').transcripts.map(({ path, findings }) => [path.slice(14, -5), findings]),
      ),
    write: (path: string, value: unknown) => writeFileSync(join(shell.cwd, path), JSON.stringify(value)),
    accept: (of: readonly string[] = all, more: readonly string[] = []) =>
      run(of, [
        ...[...update, '--accept', 'judge', '--against', 'main.json', '--report', 'json=report.json'],
        ...[...flags, ...more],
      ]),
  }
}

describe('svc check --update-baseline --accept judge', () => {
  const acceptance = { reason: 'annotator 1.0.0 → 1.1.0', author }

  it('accepts the findings that another version makes on unchanged transcripts, with this reason and an author', async () => {
    const { accept, run, entries, report } = await shellWithNewVersion()
    const refused = await run(words, baseline)
    expect([refused.code, refused.err]).toEqual([101, expect.stringContaining('--update-baseline --accept judge')])
    const { code, err } = await accept()
    expect(code).toBe(0)
    expect(err).toContain('accepting 2 new findings:\n')
    expect(err).toContain('\nof 2 flips it is not known how many are expected from noise: check both versions with ')
    expect(entries()).toEqual({
      ...{ 0: [], 4: [] },
      ...{ 1: [{ rule: 'outcome', reason: 'bug 7', author }] },
      ...{ 2: [{ rule: 'outcome', ...acceptance }], 3: [{ rule: 'outcome', ...acceptance }] },
    })
    expect(report()).toMatchObject({ results: { known: 3, passed: 2 }, baseline: { updated: true } })
    expect(report().cases[2]?.reasons).toEqual([
      { rule: 'outcome', outcome: 'poor', known: true, accepted: acceptance },
    ])
    expect((await run(words, baseline)).code).toBe(0)
  })

  it('keeps failing what changed, what is new, and what failed before and was not accepted', async () => {
    const { accept, entries, run, report } = await shellWithNewVersion({ late: ['poor late'] })
    const now = [kept, known, 'poor changed', loop, mended, 'poor late', 'poor new']
    const { code, err } = await accept(now)
    expect([code, err]).toEqual([100, expect.stringContaining('accepting 1 new finding: ')])
    const failed = ({ cases }: CheckReport) => cases.flatMap(({ result }, at) => (result === 'failed' ? at : []))
    expect(failed(report())).toEqual([2, 5, 6])
    expect(report().line).toMatch(
      /^failed: 3 of 7 transcripts are poor or worse; 2 known from the baseline; cannot tell: judge and transcripts both changed\./,
    )
    expect(entries()).toEqual({
      ...{ 0: [], 4: [], 1: [{ rule: 'outcome', reason: 'bug 7', author }] },
      3: [{ rule: 'outcome', ...acceptance }],
    })
    expect((await run(now, [...baseline, '--report', 'json=report.json'])).code).toBe(100)
    expect(failed(report())).toEqual([2, 5, 6])
  })

  it('keeps the entry of a transcript that still fails, as the earlier version made it', async () => {
    const worse = 'poor|poor|critical known'
    const { accept, baseline: read } = await shellWithNewVersion({ all: [kept, worse, flip] })
    const [, entry] = read().transcripts
    expect((await accept()).code).toBe(100)
    expect(read()).toMatchObject({ annotator_version: '1.1.0', transcripts: [{}, entry, { outcome: 'poor' }] })
  })

  it('says how many of the flips are expected from noise, if both versions were asked three times or more', async () => {
    // The words before the last bar are said in the twelve attempts of version 1.0.0.
    const six = (outcome: string) => Array.from({ length: 6 }, () => outcome).join('|')
    const all = [
      ...Array.from({ length: 9 }, (_, at) => `strong ${at}`),
      ...Array.from({ length: 3 }, (_, at) => `${six('strong')}|poor unsure ${at}`),
    ]
    const { accept, report } = await shellWithNewVersion({ all, flags: ['--attempts', '3'] })
    const { code, err } = await accept()
    expect([code, err]).toEqual([0, expect.stringContaining('\nof 3 flips none is expected from noise\n')])
    expect(report().reference?.comparison).toMatchObject({ causes: { judge: { pairs: 12, now_fail: 3 } } })
  })

  it('puts the words of --reason after its own, and names a change of the attempts', async () => {
    const { accept, entries } = await shellWithNewVersion()
    const { code } = await accept(words, ['--reason', 'reviewed', '--expires', '2026-12-31', '--attempts', '2'])
    expect(code).toBe(0)
    const reason = 'annotator 1.0.0 → 1.1.0, attempts 1 → 2: reviewed'
    expect(entries()[2]).toEqual([{ rule: 'outcome', reason, author, expires: '2026-12-31' }])
  })

  it('writes nothing and accepts nothing if a transcript is not judged', async () => {
    const { accept, baseline: read, report } = await shellWithNewVersion()
    const before = read()
    const { code, err } = await accept([...words, '422'])
    expect([code, err]).toEqual([100, expect.stringContaining('the baseline was not written: 1 of 6 transcripts')])
    expect(read()).toEqual(before)
    expect(report().results).toMatchObject({ failed: 3, known: 0, 'not judged': 1 })
  })

  it('names a new taxonomy, too', async () => {
    const { accept, versions, entries } = await shellWithNewVersion()
    versions.taxonomy_version = '2'
    expect((await accept()).code).toBe(0)
    expect(entries()[2]).toEqual([{ rule: 'outcome', reason: 'annotator 1.0.0 → 1.1.0, taxonomy 1 → 2', author }])
  })

  type Shell = Awaited<ReturnType<typeof shellWithNewVersion>>
  it.each<[string, (shell: Shell) => unknown, string]>([
    [
      'the baseline has the version of the service',
      ({ versions }) => {
        versions.annotator_version = '1.0.0'
      },
      'baseline.json: the baseline has this version already: annotator version 1.0.0, taxonomy version 1.',
    ],
    [
      'the report is of another version than the baseline',
      ({ write, main }) => {
        const cases = main().cases.map((each) => ({ ...each, annotator_version: '0.9.0' }))
        write('main.json', { ...main(), cases, versions: [{ annotator_version: '0.9.0', taxonomy_version: '1' }] })
      },
      'main.json is not of the version and the options of the baseline.',
    ],
    [
      'the report has only what failed before',
      ({ write, main }) => {
        const selection = { sample: null, seed: null, only_failed: 'old.json', where: {}, not_selected: 3 }
        write('main.json', { ...main(), selection })
      },
      'main.json cannot show what the annotator changed.',
    ],
    [
      'the report is of other options than the baseline',
      ({ write, main }) => write('main.json', { ...main(), options: { language: 'de' } }),
      'the report has structural, annotator version 1.0.0, taxonomy version 1, the options {"language":"de"}',
    ],
    [
      'the baseline is of other options',
      ({ write, baseline: read }) => write('baseline.json', { ...read(), options: { language: 'de' } }),
      'baseline.json: the baseline is not comparable; nothing was sent.',
    ],
    [
      'the baseline is of another annotator',
      ({ write, baseline: read }) => write('baseline.json', { ...read(), annotator: 'patterns' }),
      'baseline.json: the baseline is of annotator "patterns", not "structural".',
    ],
  ])('asks nothing and says why if %s', async (_, change, message) => {
    const shell = await shellWithNewVersion()
    change(shell)
    const before = shell.baseline()
    const { code, err } = await shell.accept()
    expect([code === 0, err, shell.askedNow()]).toEqual([false, expect.stringContaining(message), []])
    expect(shell.baseline()).toEqual(before)
  })

  it('asks nothing without a baseline or a report', async () => {
    const { accept, askedNow, run } = await shellWithNewVersion()
    const gone = await accept(words, ['--against', 'gone.json', '--allow-missing'])
    expect([gone.code, gone.err]).toEqual([101, expect.stringContaining('gone.json: there is no such report.')])
    const none = await accept(words, ['--baseline', 'none.json'])
    expect([none.code, none.err]).toEqual([101, expect.stringContaining('none.json: there is no baseline yet.')])
    for (const [flags, message] of [
      [[...baseline, '--accept', 'judge', '--against', 'main.json'], '--accept requires --update-baseline.'],
      [[...update, '--accept', 'judge'], '--accept requires --against.'],
    ] as const) {
      const { code, err } = await run(words, flags)
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
    }
    expect(askedNow()).toEqual([])
  })
})

const transcriptOf = (each: string): Transcript =>
  parse(JSON.stringify(conversation(each))).transcripts[0] as Transcript

describe('check() with accept', () => {
  it('accepts what the command does, and also without writing it', async () => {
    const shell = await shellWithNewVersion()
    const client = shell.client({ fetch: shell.fetch })
    const transcripts = words.map(
      (each, at): CheckInput => ({ path: `conversations/${at}.json`, transcript: transcriptOf(each) }),
    )
    const before = shell.baseline()
    const against = { from: 'main', report: shell.main() }
    const updateBaseline: BaselineWriter = async (next) => next(before, { author })
    const options = { client, annotator: 'structural', transcripts, baseline: before, clock: shell.clock }
    const result = await shell.clock.until(check({ ...options, against, updateBaseline, accept: 'judge' }))
    expect(result.report).toMatchObject({ verdict: 'passed', results: { known: 3 } })
    expect((await shell.accept()).code).toBe(0)
    expect(result.updated?.baseline).toEqual(shell.baseline())
    expect(result.nextBaseline({ author })).toEqual(result.updated?.baseline)
    const alone = check({ ...options, against, accept: 'judge' })
    await expect(alone).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('accepts nothing if another check changed the baseline meanwhile', async () => {
    const shell = await shellWithNewVersion()
    const client = shell.client({ fetch: shell.fetch })
    const transcripts = [{ path: 'conversations/2.json', transcript: transcriptOf(flip) }]
    const before = shell.baseline()
    const updateBaseline: BaselineWriter = async (next) => next({ ...before, annotator_version: '1.1.0' })
    const { report, updated, baselineFailure } = await shell.clock.until(
      check({
        ...{ client, annotator: 'structural', transcripts, baseline: before, clock: shell.clock },
        ...{ against: { from: 'main', report: shell.main() }, updateBaseline, accept: 'judge' },
      }),
    )
    expect(baselineFailure).toMatchObject({ message: 'main is not of the version and the options of the baseline.' })
    expect([updated, report.verdict]).toEqual([undefined, 'failed'])
  })
})
