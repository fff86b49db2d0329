import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckInput, type CheckPolicy, check, openCache, readBaseline } from '@svc/checks'
import { locateAll, parse } from '@svc/transcripts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { conversation, scriptedShell } from './cli/scripted-annotator.js'

const files = ['json', 'junit', 'sarif', 'gitlab', 'md', 'html'] as const

/** The content of a file: words that ask for an annotation, or a text that is no transcript. */
const said = fc.constantFrom(
  ...[
    'strong',
    'mixed',
    'poor',
    'poor loop',
    'critical rude',
    'strong loop',
    'indeterminate',
    'splendid',
    '422',
    '503',
  ],
  ...['poor|strong', 'strong|poor|poor', '=1+2', '<b>poor</b>', '::error::x'],
)
const text = fc.oneof(
  {
    weight: 6,
    arbitrary: said.map((words) => JSON.stringify({ name: `T ${words}`, language: 'en', turns: conversation(words) })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '[]',
      '{"some": "thing"}',
      '{"turns": [{',
      '\u0000',
      '{"turns": [{"role": 1}, {"content": 2}]}',
    ),
  },
)

const policies = fc.record<CheckPolicy>(
  {
    failOn: fc.constantFrom('mixed', 'poor', 'critical', 'none'),
    forbidden: fc.subarray(['loop', 'rude', 'absent']),
    required: fc.constant(['greeting']),
    indeterminate: fc.constantFrom('warn', 'fail', 'ignore'),
    minJudged: fc.constantFrom('50%', 0.1),
    rates: fc.subarray([
      { outcome: 'poor' as const, max: '30%' },
      { signal: 'loop', max: 0, by: 'folder' },
    ]),
    tags: fc.constant({ folder: 'folder:2', language: 'language' }),
    overrides: fc.subarray([
      { files: ['t/a/**'], failOn: 'critical' as const },
      { files: ['gone/**'], failOn: 'none' as const },
    ]),
    prices: fc.constant({ currency: 'EUR', in: 3, out: 15 }),
    attempts: fc.integer({ min: 1, max: 3 }),
    options: fc.constant({ depth: 2 }),
  },
  { requiredKeys: ['tags'] },
)

const runs = fc.record({
  texts: fc.array(fc.record({ folder: fc.constantFrom('t', 't/a'), text }), { minLength: 1, maxLength: 5 }),
  policy: policies,
  hasBaseline: fc.boolean(),
  hasCache: fc.boolean(),
  /** HTML shows turns, and reports beside it then know their places. */
  hasHtml: fc.boolean(),
  withTurns: fc.boolean(),
  /** True if standard output is for GitHub, not for a terminal. */
  isOnGitHub: fc.boolean(),
})

/** A run that another one could finish. */
const outage: typeof runs extends fc.Arbitrary<infer Value> ? Value : never = {
  texts: [{ folder: 't', text: JSON.stringify({ name: 'T', turns: conversation('503') }) }],
  policy: { tags: { folder: 'folder:2' } },
  ...{ hasBaseline: false, hasCache: true, hasHtml: true, withTurns: true, isOnGitHub: true },
}

/** A run that passes. */
const pass: typeof outage = {
  texts: [{ folder: 't', text: JSON.stringify({ name: 'T', turns: conversation('strong') }) }],
  policy: { tags: { folder: 'folder:2' }, failOn: 'none' },
  ...{ hasBaseline: false, hasCache: true, hasHtml: true, withTurns: false, isOnGitHub: false },
}

const run = (words: string): typeof outage => ({
  ...pass,
  texts: [{ folder: 't', text: JSON.stringify({ name: 'T', turns: conversation(words) }) }],
  policy: { tags: { folder: 'folder:2' } },
})
/** A run that fails, and one without an answer. */
const [fail, gap] = [run('poor'), run('422')]

it('check gives every report of svc check byte for byte, with its exit code', async () => {
  const exits = new Set<number>()
  await fc.assert(
    fc.asyncProperty(runs, async ({ texts, policy, hasBaseline, hasCache, hasHtml, withTurns, isOnGitHub }) => {
      const paths = texts.map(({ folder }, at) => `${folder}/${at}.json`)
      const forms = files.filter((form) => hasHtml || form !== 'html')
      /** A world of its own, so that a service that changes its answers gives the same ones. */
      const world = async () => {
        const shell = scriptedShell()
        mkdirSync(join(shell.cwd, 't/a'), { recursive: true })
        for (const [at, { text }] of texts.entries()) writeFileSync(join(shell.cwd, paths[at] ?? ''), text)
        writeFileSync(join(shell.cwd, 'svc.checks.json'), JSON.stringify({ annotator: 'structural', ...policy }))
        const argv = ['check', ...paths, '-j', '1', ...(hasCache ? ['--cache', 'cache'] : ['--no-cache'])]
        const accept = [...argv, '--baseline', 'baseline.json', '--update-baseline']
        if (hasBaseline) await shell.clock.until(shell.svc(accept))
        return { ...shell, argv, read: (name: string) => readFileSync(join(shell.cwd, name), 'utf8') }
      }

      const command = await world()
      const baseline = join(command.cwd, 'baseline.json')
      const isHeld = existsSync(baseline)
      const { code, out } = await command.clock.until(
        command.svc(
          [
            ...command.argv,
            ...(isHeld ? ['--baseline', 'baseline.json'] : []),
            ...forms.flatMap((form) => ['--report', `${form}=out.${form}`]),
            ...(withTurns ? ['--with-turns'] : []),
            ...(isOnGitHub ? ['--report', 'github'] : []),
          ],
          { env: { GITHUB_STEP_SUMMARY: join(command.cwd, 'summary.md') } },
        ),
      )
      exits.add(code)

      const { cwd, client, clock, fetch, read } = await world()
      const cache = hasCache ? await openCache(join(cwd, 'cache')) : undefined
      const { ended_at } = JSON.parse(command.read('out.json'))
      const result = await clock.until(
        check({
          client: client({ fetch }),
          transcripts: paths.flatMap((path) => transcriptsOf(path, read(path))),
          policy: { annotator: 'structural', ...policy },
          ...(isHeld && { baseline: await readBaseline(join(cwd, 'baseline.json')), baselinePath: 'baseline.json' }),
          ...{ cache, paths, concurrency: 1, withTurns: hasHtml || withTurns },
          clock: { ...clock, now: () => Date.parse(ended_at) },
        }),
      )
      expect(cache?.close()).toBeUndefined()
      expect(result.report.exit).toBe(code)
      const options = { from: { cwd, root: cwd }, withTurns }
      for (const form of forms) expect(await result.render(form, options), form).toBe(command.read(`out.${form}`))
      expect(await result.render(isOnGitHub ? 'github' : 'terminal', options)).toBe(out)
      if (isOnGitHub) expect(await result.render('summary', options)).toBe(command.read('summary.md'))
      for (const folder of [cwd, command.cwd]) rmSync(join(folder, 't'), { recursive: true })
    }),
    { numRuns: 12, examples: [[outage], [pass], [fail], [gap]] },
  )
  expect([...exits].sort()).toEqual([0, 100, 101, 75])
}, 120_000)

function transcriptsOf(path: string, text: string): CheckInput[] {
  try {
    return parse(text).transcripts.map((transcript) => {
      const places = transcript.turns.map(({ place }) => place)
      return { path, transcript, positions: locateAll([text], places) }
    })
  } catch (error) {
    return [{ path, error, sha256: hash('sha256', text) }]
  }
}
