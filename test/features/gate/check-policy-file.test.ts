import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliOptions } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

/** A shell whose annotator does what conversations ask for, on files of their own; with the requests that it was sent. */
function shell() {
  const { svc, cwd, bodies } = scriptedShell()
  const check = (files: CliOptions['files'], ...argv: string[]) => svc(['check', ...argv], { files: { ...files } })
  return { check, cwd, sent: bodies }
}

const policy = { annotator: 'structural', paths: ['conversations'] }
const conversations = {
  'conversations/new.json': conversation('poor loop'),
  'conversations/old/a.json': conversation('critical loop greeting'),
}

describe('svc check with a policy file', () => {
  it('svc check with a policy file needs nothing on the command line', async () => {
    const { check, sent } = shell()
    const file = { ...policy, options: { depth: 2 }, failOn: 'critical' }
    const { code, out } = await check({ 'svc.checks.json': file, ...conversations })
    expect([code, out]).toEqual([100, expect.stringContaining('failed: 1 of 2 transcripts is critical\n')])
    expect(sent).toMatchObject([
      { annotator: 'structural', options: { depth: 2 } },
      { annotator: 'structural', options: { depth: 2 } },
    ])
  })

  it('prefers flags and paths of the command line over the file', async () => {
    const { check } = shell()
    const files = { 'svc.checks.json': { ...policy, failOn: 'mixed', forbidden: ['loop'] }, ...conversations }
    expect((await check(files, '--fail-on', 'critical', '--forbid', 'other', 'conversations/new.json')).code).toBe(0)
    expect((await check(files, '--fail-on', 'critical', 'conversations/new.json')).code).toBe(100)
  })

  it('holds some files to other rules', async () => {
    const { check } = shell()
    const overrides = [{ files: ['conversations/old/**'], failOn: 'none', required: ['greeting'] }]
    const files = { 'svc.checks.json': { ...policy, failOn: 'critical', overrides }, ...conversations }
    expect((await check(files)).code).toBe(0)
    expect((await check(files, '--fail-on', 'critical')).code).toBe(100)
    const { code, out } = await check({ ...files, 'conversations/old/a.json': conversation('critical') })
    expect([code, out]).toEqual([100, expect.stringContaining('1 of 2 transcripts breaks a signal rule')])
  })

  it('finds the file in a parent folder, or reads the one of --policy, or none with --no-policy', async () => {
    const { check, cwd } = shell()
    const files = {
      'svc.checks.json': { forbidden: ['loop'] },
      'ci/strict.json': { paths: ['../conversations'], failOn: 'poor' },
    }
    mkdirSync(join(cwd, '.git'))
    const argv = ['--annotator', 'structural']
    expect((await check({ ...files, ...conversations }, ...argv, '--fail-on', 'none', 'conversations')).code).toBe(100)
    expect((await check(files, ...argv, '--fail-on', 'none', '--no-policy', 'conversations')).code).toBe(0)
    expect((await check(files, ...argv, '--policy', 'ci/strict.json')).code).toBe(100)
    const missing = await check(files, ...argv, '--policy', 'ci/other.json', 'conversations')
    expect([missing.code, missing.err]).toEqual([
      3,
      expect.stringContaining('ci/other.json: there is no such policy file.'),
    ])
  })

  it.each<[string, string]>([
    ['{ "failOn": "poor",\n}', 'svc.checks.json:2:1 expected'],
    ['{\n  "failon": "poor" }', 'svc.checks.json:2:13 /failon unknown name; did you mean failOn?'],
    ['{ "minJudged": 2 }', 'svc.checks.json:1:16 /minJudged expected a share'],
    ['{ "overrides": [{ "files": ["a["] }] }', 'svc.checks.json:1:29 /overrides/0/files/0 is not a valid pattern'],
  ])('refuses %j before anything is sent', async (text, expected) => {
    const { check, sent } = shell()
    const { code, err } = await check(
      { 'svc.checks.json': text, ...conversations },
      '--annotator',
      'structural',
      'conversations',
    )
    expect([code, err]).toEqual([3, expect.stringContaining(expected)])
    expect(sent).toEqual([])
  })

  it('refuses flags that contradict it before anything is sent', async () => {
    const { check, sent } = shell()
    const { code, err } = await check(
      { 'svc.checks.json': { ...policy, required: ['loop'] }, ...conversations },
      '--forbid',
      'loop',
    )
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/the signal "loop" is required \(.*svc.checks.json\) and forbidden \(--forbid\)/),
    ])
    expect(sent).toEqual([])
  })

  it('refuses overrides that cannot be kept together before anything is sent', async () => {
    const { check, sent } = shell()
    const overrides = [
      { files: ['conversations/**'], required: ['loop'] },
      { files: ['**/a.json'], forbidden: ['loop'] },
    ]
    const { code, err } = await check({ 'svc.checks.json': { ...policy, overrides }, ...conversations })
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('conversations/old/a.json: the overrides of the policy contradict'),
    ])
    expect(sent).toEqual([])
  })

  it('decides a rate only at the confidence of the file', async () => {
    const { check } = shell()
    const file = { ...policy, rates: [{ outcome: 'poor', max: '5%' }] }
    const many = { 'conversations/a.json': Array(12).fill(conversation('strong')) }
    expect((await check({ 'svc.checks.json': file, ...many })).code).toBe(0)
    const { code, out } = await check({ 'svc.checks.json': { ...file, confidence: '95%' }, ...many })
    expect([code, out]).toEqual([
      101,
      expect.stringContaining('poor or worse: 0 of 12, 0 %, too few to compare with 5 %'),
    ])
  })
})
