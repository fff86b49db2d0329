import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliOptions } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

/** The time of a new shell is the beginning of 2026. */
const expires = '2026-03-01'
const baseline = ['--baseline', 'baseline.json']
const update = [...baseline, '--update-baseline']

const ofJo: Record<string, string> = { 'user.name': 'Jo Doe\n', 'user.email': 'jo@example.org\n' }
const author = 'Jo Doe <jo@example.org>'
const jo: NonNullable<CliOptions['io']> = {
  capture: async (command, args) => (command === 'git' ? ofJo[args[1] ?? ''] : undefined),
}

interface Entry {
  path: string
  findings: Record<string, string>[]
}

/** A shell with three transcripts of which two are poor, in which Jo works with git. */
function shellOfJo(io = jo) {
  const shell = scriptedShell()
  const files = {
    't/1.json': conversation('poor one'),
    't/2.json': conversation('poor two'),
    't/3.json': conversation('strong three'),
  }
  const check = (...argv: string[]) => shell.svc(['check', '--annotator', 'structural', ...argv], { files, io })
  /** The accepted findings by path. */
  const findings = () => {
    const { transcripts } = JSON.parse(readFileSync(join(shell.cwd, 'baseline.json'), 'utf8'))
    return Object.fromEntries((transcripts as Entry[]).map(({ path, findings }) => [path, findings]))
  }
  return { ...shell, check, findings, passDays: (days: number) => shell.clock.jumpWall(days * 86_400_000) }
}

describe('svc check --update-baseline --reason', () => {
  it('accepts the findings of the named file with reason, author and expiry, and lists them', async () => {
    const { check, findings } = shellOfJo()
    const { code, err } = await check('t/1.json', ...update, '--reason', 'a known bug', '--expires', expires)
    expect([code, err]).toEqual([0, 'accepting 1 new finding: t/1.json: the outcome is poor\n'])
    expect(findings()).toEqual({ 't/1.json': [{ rule: 'outcome', reason: 'a known bug', author, expires }] })
    const { code: failed, json } = await check('t', ...baseline, '--json')
    expect([failed, json()]).toMatchObject([
      100,
      {
        line: 'failed: 1 of 3 transcripts is poor or worse; 1 known from the baseline',
        cases: [
          { result: 'known', reasons: [{ known: true, accepted: { reason: 'a known bug', author, expires } }] },
          { result: 'failed' },
          { result: 'passed' },
        ],
      },
    ])
  })

  it('records nothing for a transcript without a finding, and no author without a reason', async () => {
    const { check, findings } = shellOfJo()
    await check('t/1.json', 't/3.json', ...update)
    expect(findings()).toEqual({ 't/1.json': [{ rule: 'outcome' }], 't/3.json': [] })
  })

  it('an unchanged finding keeps its reason, author and expiry, and other entries are untouched', async () => {
    const { check, findings } = shellOfJo()
    await check('t/1.json', ...update, '--reason', 'a known bug', '--expires', expires)
    const one = findings()['t/1.json']
    const { err } = await check('t/2.json', ...update, '--reason', 'will not be fixed')
    expect(err).toBe(
      'accepting 1 new finding: t/2.json: the outcome is poor\nnote: the baseline keeps 1 transcript outside of what was checked\n',
    )
    await check('t', ...update, '--reason', 'something else')
    expect(findings()).toEqual({
      't/1.json': one,
      't/2.json': [{ rule: 'outcome', reason: 'will not be fixed', author }],
      't/3.json': [],
    })
    const again = await check('t', ...update, '--reason', 'nothing')
    expect(again.err).toBe('note: no finding is new: no reason or expiry was recorded\n')
  })

  it('gives a reason to the new finding of a transcript alone', async () => {
    const { svc, findings, check } = shellOfJo()
    await check('t/1.json', ...update, '--reason', 'a known bug')
    const files = { 't/1.json': conversation('poor one') }
    const argv = ['check', 't/1.json', '--annotator', 'structural', ...update, '--require', 'greeting']
    const { err } = await svc([...argv, '--reason', 'no greeting here'], {
      files,
      io: { capture: async () => undefined },
    })
    expect(err.split('\n')[0]).toBe(
      'accepting 1 new finding: t/1.json: the signal greeting is required and did not fire (outcome poor)',
    )
    expect(findings()['t/1.json']).toEqual([
      { rule: 'outcome', reason: 'a known bug', author },
      { rule: 'required', signal: 'greeting', reason: 'no greeting here' },
    ])
  })

  it('takes the author from the git of the folder, and none without it', async () => {
    const { cwd, check, findings } = shellOfJo({})
    execFileSync('git', ['init', '--quiet', cwd])
    execFileSync('git', ['-C', cwd, 'config', 'user.name', 'Kim'])
    execFileSync('git', ['-C', cwd, 'config', 'user.email', ''])
    await check('t/1.json', ...update, '--reason', 'x')
    expect(findings()['t/1.json']).toMatchObject([{ author: 'Kim' }])
  })
})

describe('an acceptance with an expiry', () => {
  it('an acceptance with an expiry is named in every report from fourteen days before, and waives to its last day', async () => {
    const { check, passDays } = shellOfJo()
    await check('t/1.json', ...update, '--reason', 'a known bug', '--expires', '2026-01-31')
    passDays(15)
    const early = await check('t/1.json', ...baseline)
    expect([early.code, early.err]).toEqual([0, ''])
    passDays(1)
    const note = 'this finding is accepted until 2026-01-31, and fails after it: t/1.json: the outcome is poor'
    const near = await check('t/1.json', ...baseline, '--report', 'md=r.md', '--json')
    expect([near.code, near.json().notes]).toEqual([0, [note]])
    expect(near.err).toContain(`note: ${note}\n`)
    passDays(14)
    expect((await check('t/1.json', ...baseline)).code).toBe(0)
  })

  it('an acceptance with an expiry waives nothing after it, and the report says why', async () => {
    const { check, findings, passDays } = shellOfJo()
    await check('t/1.json', ...update, '--reason', 'a known bug', '--expires', '2026-01-31')
    passDays(31)
    const { code, out, err } = await check('t/1.json', ...baseline)
    expect([code, err]).toEqual([
      100,
      'note: this finding was accepted until 2026-01-31: t/1.json: the outcome is poor\n',
    ])
    expect(out).toContain(`the outcome is poor, accepted until 2026-01-31 (a known bug; ${author})`)
    const again = await check('t/1.json', ...update, '--reason', 'still known')
    expect(again.err).toBe('accepting 1 new finding: t/1.json: the outcome is poor\n')
    expect(findings()['t/1.json']).toEqual([{ rule: 'outcome', reason: 'still known', author }])
  })

  it('names ten findings, and how many there are besides', async () => {
    const { svc } = shellOfJo()
    const many = Array.from({ length: 12 }, (_, n) => JSON.stringify(conversation(`poor ${n}`)))
    const files = { 'm.jsonl': `${many.join('\n')}\n` }
    const argv = ['check', 'm.jsonl', '--annotator', 'structural']
    const { err } = await svc([...argv, ...update, '--expires', '2026-01-03'], { files, io: jo })
    const lines = err.trimEnd().split('\n')
    expect(lines.slice(0, 3)).toEqual([
      'accepting 12 new findings:',
      '  m.jsonl: the outcome is poor',
      '  m.jsonl record 2: the outcome is poor',
    ])
    expect(lines.slice(11)).toEqual(['  and 2 more'])
    const notes = (await svc([...argv, ...baseline], { io: jo })).err.trimEnd().split('\n')
    expect([notes.length, notes.at(-1)]).toEqual([11, 'note: 2 more acceptances ended, or will end by 2026-01-15'])
  })
})

describe('the flags of an acceptance', () => {
  it.each([
    [['--reason', 'x'], '--reason requires --update-baseline.'],
    [['--expires', expires], '--expires requires --update-baseline.'],
    [['--update-baseline', '--reason', ' '], 'Expected a text.'],
    [['--update-baseline', '--expires', '2026-02-30'], 'Expected a day such as 2026-12-31.'],
    [['--update-baseline', '--expires', 'tomorrow'], 'Expected a day such as 2026-12-31.'],
    [['--update-baseline', '--expires', '2025-12-31'], '--expires 2025-12-31 is in the past.'],
  ])('are refused before anything is asked: %j', async (flags, said) => {
    const { check, asked, cwd } = shellOfJo()
    const { code, err } = await check('t/1.json', '--baseline', 'baseline.json', ...flags)
    expect([code, asked, existsSync(join(cwd, 'baseline.json'))]).toEqual([2, [], false])
    expect(err).toContain(said)
  })

  it('a day of a baseline that does not exist is refused with its place', async () => {
    const { check, cwd } = shellOfJo()
    await check('t/1.json', ...update, '--expires', expires)
    const path = join(cwd, 'baseline.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace(expires, '2026-02-31'))
    const { code, err } = await check('t/1.json', ...baseline)
    expect(code).toBe(3)
    expect(err).toMatch(/baseline\.json:\d+:\d+ \/transcripts\/0\/findings\/0\/expires expected a day/)
  })
})
