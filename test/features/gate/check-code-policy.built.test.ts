import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type PolicyJson, policyChecks, policySchema } from '../../../packages/checks/src/policy/index.js'
import type { Checks } from '../../../packages/checks/src/rules/index.js'
import { blocksOf } from '../../helpers/blocks.js'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const policy = (rules: string, more = '') => `import { defineChecks } from '@svc/cli/checks'

export default defineChecks({
  failOn: 'poor',
  ${more}
  rules: { ${rules} },
})
`

const finding = `'no-well': ({ transcript }) =>
  transcript.turns.flatMap(({ role, content }, at) =>
    role === 'assistant' && content.startsWith('Well') ? [{ message: 'says well', turn: at + 1, evidence: 'Well' }] : [],
  )`

/** Checks with a policy in code, which `--policy` names. */
const checked = (words: string[], rules: string, flags: string[] = [], more = '') => {
  const shell = scriptedShell()
  const files = { 'svc.checks.ts': policy(rules, more) }
  const run = (again: string[] = []) => shell.check(words, ['--policy', 'svc.checks.ts', ...flags, ...again], { files })
  return { shell, run }
}
const read = (cwd: string, file: string) => readFileSync(join(cwd, file), 'utf8')

describe('a policy in TypeScript', () => {
  it('fails a transcript by what its functions find, with the place in every report', async () => {
    const ids = ['json', 'junit', 'sarif', 'md', 'html', 'gitlab']
    const reports = ids.flatMap((id) => ['--report', `${id}=out.${id}`])
    const { shell, run } = checked(['strong'], finding, reports)
    const { code, out } = await run()
    expect([code, out]).toEqual([
      100,
      expect.stringContaining(
        '    the rule no-well is broken\n    conversations/0.json:1:37  no-well  says well: “Well”\n\nfailed: 1 of 1 transcript breaks a rule\n',
      ),
    ])
    const report = JSON.parse(read(shell.cwd, 'out.json'))
    expect(report).toMatchObject({
      policy: { custom: { rules: ['no-well'], sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      signals: { 'no-well': 1 },
      cases: [
        {
          reasons: [{ rule: 'custom', signal: 'no-well', known: false }],
          signals: [{ key: 'no-well', message: 'says well', evidence: 'Well', turn: 2, line: 1, column: 37 }],
        },
      ],
    })
    const [result] = JSON.parse(read(shell.cwd, 'out.sarif')).runs[0].results
    expect(result).toMatchObject({
      ruleId: 'signal/no-well',
      locations: [{ physicalLocation: { region: { startLine: 1, startColumn: 37 } } }],
    })
    for (const id of ids) expect(read(shell.cwd, `out.${id}`), id).toContain('no-well')
    for (const id of ['junit', 'sarif', 'md', 'html', 'gitlab'])
      expect(read(shell.cwd, `out.${id}`)).toContain('says well')
  })

  it('does not judge a transcript for which one of them throws, even if its outcome is poor, and shows where', async () => {
    const rules = `bad: () => { throw new Error('cannot say') }`
    const { shell, run } = checked(['strong', 'poor'], rules, ['--report', 'json=r.json'])
    const { code, out } = await run()
    expect([code, out]).toEqual([101, expect.stringContaining('rule failed: bad: Error: cannot say at ')])
    const gap = {
      ...{ why: 'rule failed', temporary: false },
      detail: expect.stringMatching(/^bad: Error: cannot say\nat bad \(.*svc\.checks\.ts:6:\d+\)$/),
    }
    const { cases } = JSON.parse(read(shell.cwd, 'r.json')) as { cases: { gap: unknown }[] }
    expect(cases.map((each) => each.gap)).toEqual([gap, gap])
  })

  it('does not pass by a rule that fails for bad transcripts, however few must be judged', async () => {
    const rules = `hides: ({ annotation }) => { if (annotation.outcome === 'poor') process.exit(0) }`
    const { code, out } = await checked(['strong', 'poor'], rules, [], `minJudged: 0,`).run()
    expect([code, out]).toEqual([101, expect.stringContaining('could not judge: 1 of 2 not judged')])
  })

  it('waits for those that are async', async () => {
    const rules = `late: async ({ annotation }) => { await new Promise((done) => setTimeout(done, 1)); return annotation.outcome }`
    const { code, out } = await checked(['strong'], rules).run()
    expect([code, out]).toEqual([100, expect.stringContaining('late  strong')])
  })

  it('does not judge by a function that returns no finding, or has the name of a signal', async () => {
    const wrong: [name: string, rule: string, reason: string][] = [
      ['promise', 'async () => { throw new Error("no model") }', 'Error: no model'],
      ['func', '() => () => []', 'could not be cloned'],
      ['many', '() => Array(2000).fill("x")', 'TypeError: returned more than 1000 findings'],
      ['long', '() => { const a = []; a.length = 2 ** 32 - 1; return a }', 'more than 1000 findings'],
      ['large', '() => ["x".repeat(2 ** 24)]', 'TypeError: returned more than 8388608 characters'],
      ['number', '() => 7', 'TypeError: returned 7; expected a finding, a list of findings, a text or nothing'],
      ['silent', '() => ({ turn: 1 })', 'TypeError: returned a finding without a message'],
      ['turn', '() => ({ message: "x", turn: 0 })', 'turn is not a whole number from 1'],
      ['evidence', '() => ({ message: "x", evidence: 1 })', 'whose evidence is not a text'],
      ['loop', '() => []', 'the annotator has a signal with the name of this rule'],
    ]
    // Each has a transcript of its own, whose signal it looks for.
    const rules = wrong.map(
      ([name, rule]) =>
        `${name}: (checked) => ('on-${name}' in checked.annotation.signals ? (${rule})() : []) as never`,
    )
    const words = wrong.map(([name]) => (name === 'loop' ? 'strong loop' : `strong on-${name}`))
    const { shell, run } = checked(words, rules.join(', '), ['--report', 'json=r.json'])
    expect((await run()).code).toBe(101)
    const { cases } = JSON.parse(read(shell.cwd, 'r.json')) as { cases: { gap: { detail: string } }[] }
    expect(cases.map(({ gap }) => gap?.detail)).toEqual(wrong.map(([, , reason]) => expect.stringContaining(reason)))
  })

  it('passes a transcript in which they find nothing, and keeps them from changing what others see', async () => {
    const rules = `a: () => [], b: () => undefined, c: () => null,
      first: (checked) => { checked.annotation.outcome = 'critical'; (checked.transcript.turns as unknown[]).length = 0 },
      second: ({ annotation, transcript }) => annotation.outcome === 'strong' && transcript.turns.length === 2 ? [] : 'changed'`
    const { code, out } = await checked(['strong'], rules).run()
    expect([code, out]).toEqual([
      0,
      'judged: 1 transcript from 1 file by structural 1.0.0; rules: failOn poor, 5 rules in code\npassed: no transcript breaks a rule (1 judged)\n',
    ])
  })

  it('waives a finding that the baseline has, and fails by a new one', async () => {
    const shell = scriptedShell()
    const check = (rules: string, ...flags: string[]) =>
      shell.check(['strong'], ['--policy', 'svc.checks.ts', '--baseline', 'b.json', ...flags], {
        files: { 'svc.checks.ts': policy(rules) },
      })
    expect((await check(finding, '--update-baseline')).code).toBe(0)
    const { code, out } = await check(finding)
    expect([code, out]).toEqual([0, expect.stringContaining('1 known from the baseline')])
    const more = await check(`${finding}, other: () => 'is never good'`)
    expect([more.code, more.out]).toEqual([100, expect.stringContaining('the rule other is broken')])
    expect(more.out).toContain('the rule no-well is broken, known from the baseline')
  })

  it('limits the share of what they find', async () => {
    const rates = `rates: [{ signal: 'no-well', max: '50%' }],`
    const { code, out } = await checked(['strong', 'strong'], finding, [], rates).run()
    expect([code, out]).toEqual([100, expect.stringContaining('no-well: 2 of 2, 100 %, at most 50 %')])
  })

  it('repeats a transcript that they fail, with --confirm-on-fail', async () => {
    const { shell, run } = checked(['strong'], finding, ['--attempts', '3', '--confirm-on-fail', '--no-cache'])
    expect((await run()).code).toBe(100)
    expect(shell.asked.length).toBe(2)
  })

  it('is not merged with a report of another policy in code', async () => {
    const shell = scriptedShell()
    const check = (rules: string, report: string) =>
      shell.check(['strong'], ['--policy', 'svc.checks.ts', '--report', `json=${report}`], {
        files: { 'svc.checks.ts': policy(rules) },
      })
    await check('a: () => []', 'before.json')
    await check('a: () => null', 'after.json')
    const { code, err } = await shell.svc(['report', 'merge', 'before.json', 'after.json'])
    expect([code, err]).toEqual([101, expect.stringContaining('policy.custom')])
  })

  it.each([
    [
      'export default { failOn: "por", rulse: {} }',
      '/failOn expected one of strong, mixed, poor, critical, none, found "por"; did you mean poor?',
      '/rulse unknown name; did you mean rules?',
    ],
    ['export default { rules: { a: 1 } }', '/rules/a expected a function'],
    ['export default { rules: [] }', '/rules expected an object of functions by name'],
    ['export default () => 1', 'expected plain data as in JSON, found a function'],
    ['export default {', 'the policy could not be run.\n  Error: ParseError'],
    ['import "nowhere"', "the policy could not be run.\n  Error: Cannot find module 'nowhere'"],
  ])('is refused where it is %j', async (text, ...said) => {
    const shell = scriptedShell()
    const { code, err } = await shell.check(['strong'], ['--policy', 'p.ts'], { files: { 'p.ts': text } })
    expect([code, shell.asked]).toEqual([3, []])
    for (const each of said) expect(err).toContain(each)
  })
})

describe('the page of the policy', () => {
  it('shows a policy in code that works', async () => {
    const [text = ''] = blocksOf(
      readFileSync(new URL('../../../docs/reference/checks.md', import.meta.url), 'utf8'),
      'ts',
    )
    const shell = scriptedShell()
    const refund = [
      { role: 'user', content: 'strong' },
      { role: 'assistant', content: 'Of course we will refund you.' },
    ]
    const files = { 'svc.checks.ts': text, 'conversations/refund.json': refund }
    const { code, out } = await shell.check(['strong'], ['--policy', 'svc.checks.ts'], { files })
    expect([code, out]).toEqual([
      100,
      expect.stringContaining('no-refund-promise  promises a refund: “we will refund”'),
    ])
  })

  it('has types for every key', () => {
    const all: Required<Omit<Checks, 'rules'>> = {
      ...{ extends: './base.json', ruleTimeout: '30s' },
      ...{ annotator: 'patterns', options: { depth: 2 }, paths: ['a'], exclude: ['b'], baseline: 'c.json' },
      ...{ failOn: 'poor', forbidden: ['x'], allowed: ['y'], required: [], indeterminate: 'fail' },
      ...{
        tags: { team: 'team' },
        rates: [
          { outcome: 'poor', max: '5%', by: 'team' },
          { signal: 'x', max: 0 },
        ],
      },
      ...{ confidence: 0.9, minJudged: '90%', maxTokens: 1, maxCost: 1, maxFailures: 1, deadline: '5m', attempts: 2 },
      ...{ prices: { currency: 'EUR', in: 1, out: 2 }, confirmOnFail: true },
      ...{ against: 'd.json', allowMissing: true, maxDrop: '5%', cluster: 'scenario' },
      overrides: [{ files: ['a/**'], failOn: 'none' }],
      reading: [{ files: ['*.csv'], map: { id: 'ticket' } }],
    }
    // The shape gives the type of the JSON file, which each value must fit, too.
    const json: Omit<PolicyJson, '$schema'> = all
    expect(Object.keys(json).sort()).toEqual(
      Object.keys(policySchema.shape)
        .filter((key) => key !== '$schema')
        .sort(),
    )
    expect(policyChecks.safeParse(json).success).toBe(true)
  })
})

describe('a policy in TypeScript that is found', () => {
  const mark = `import { writeFileSync } from 'node:fs'
writeFileSync(new URL('ran', import.meta.url), '')
export default { failOn: 'poor', rules: { all: () => 'never good' } }
`
  const env = { SVC_CONFIG: 'c.json' }
  const found = (shell: ReturnType<typeof scriptedShell>, flags: string[] = [], files = {}) =>
    shell.check(['strong'], flags, { env, files })

  it('is not run before it is trusted, and is never taken for none', async () => {
    const shell = scriptedShell()
    const ran = () => existsSync(join(shell.cwd, 'ran'))
    const refused = await found(shell, [], { 'svc.checks.ts': mark })
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringMatching(/svc\.checks\.ts is a program, but is not trusted\.\nhint: .*svc config trust/),
    ])
    expect([ran(), shell.asked]).toEqual([false, []])
    const trusted = await shell.svc(['config', 'trust', '--yes'], { env })
    expect([trusted.code, trusted.err]).toEqual([0, expect.stringContaining('svc.checks.ts is a program\n')])
    expect(ran()).toBe(false)
    expect((await found(shell)).code).toBe(100)
    expect(ran()).toBe(true)
    const changed = await found(shell, [], { 'svc.checks.ts': `${mark}// changed` })
    expect([changed.code, changed.err]).toEqual([3, expect.stringContaining('has changed since it was trusted')])
    expect((await found(shell, ['--no-policy'])).code).toBe(0)
  })

  it('stands alone in its folder', async () => {
    const shell = scriptedShell()
    const { code, err } = await found(shell, [], { 'svc.checks.ts': mark, 'svc.checks.json': {} })
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/has several policies\.\n {2}.*svc\.checks\.json\n {2}.*svc\.checks\.ts\n/),
    ])
  })

  it.each(['svc.checks.mts', 'svc.checks.js', 'svc.checks.mjs'])('may have the name %s', async (name) => {
    const shell = scriptedShell()
    const { code, err } = await found(shell, [], { [name]: 'export default {}' })
    expect([code, err]).toEqual([3, expect.stringContaining(`${name} is a program`)])
  })
})
