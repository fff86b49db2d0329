import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptedShell, unlisted } from '../../helpers/scripted-annotator.js'

describe('svc check', () => {
  it('asks once about transcripts that say the same', async () => {
    const { check, asked } = scriptedShell()
    const { code, json } = await check(['strong', 'poor', 'strong'], ['--json'])
    expect([code, asked.sort()]).toEqual([100, ['poor', 'strong']])
    expect(json()).toMatchObject({
      requests: { sent: 2, cached: 0, same: 1 },
      usage: { tokens_in: 6, tokens_out: 2, latency_ms: 4 },
      cases: [{ answer: 'asked' }, { answer: 'asked' }, { answer: 'same', outcome: 'strong' }],
    })
  })

  it('repeats only failed transcripts, keeps every vote, and lists flaky ones', async () => {
    const { check, asked } = scriptedShell()
    const { code, json } = await check(
      ['strong', 'poor|strong|strong', 'poor'],
      ['--attempts', '3', '--confirm-on-fail', '--json'],
    )
    expect([code, asked.length]).toEqual([100, 6])
    expect(json()).toMatchObject({
      flaky: 1,
      results: { failed: 1, passed: 2 },
      cases: [
        { votes: ['strong'], flaky: false },
        { votes: ['poor', 'strong', 'strong'], flaky: true, result: 'passed', outcome: 'strong' },
        { votes: ['poor', 'poor'], flaky: false, result: 'failed' },
      ],
    })
  })

  it('annotates each transcript --attempts times, and takes the majority', async () => {
    const { check, asked } = scriptedShell()
    const { code, out } = await check(['poor|poor|strong', 'strong'], ['--attempts', '3'])
    expect([code, asked.length]).toEqual([100, 6])
    expect(out).toContain('flaky: attempts gave poor, poor, strong')
  })

  it.each([
    [['poor|strong|400'], ['--confirm-on-fail'], 101],
    [['strong|poor|400'], [], 101],
    [['poor|503'], ['--confirm-on-fail'], 75],
    [['poor|poor|400'], [], 100],
    [['strong|strong|400'], [], 0],
    [['strong|400'], ['--confirm-on-fail'], 0],
  ])(
    'svc check of %j in 3 attempts with %j ends with %i: a missing one decides nothing',
    async (words, flags, code) => {
      expect((await scriptedShell().check(words, ['--attempts', '3', ...flags])).code).toBe(code)
    },
  )

  it('uses the majority of attempts for a rate, too, and confirms failures that count for one', async () => {
    const rate = async (words: string[], ...flags: string[]) => {
      const shell = scriptedShell()
      const { code } = await shell.check(words, ['--attempts', '3', '--max-rate', 'mixed=10%', ...flags])
      return [code, shell.asked.length]
    }
    expect(await rate(['mixed|strong|strong'])).toEqual([0, 3])
    expect(await rate(['mixed|strong|strong'], '--confirm-on-fail')).toEqual([0, 3])
    expect(await rate(['mixed|mixed|strong'], '--confirm-on-fail')).toEqual([100, 2])
  })

  it('does not ask again where nothing would be confirmed by it', async () => {
    const { check } = scriptedShell()
    const { code, err } = await check(['strong'], ['--confirm-on-fail'])
    expect(code).toBe(2)
    expect(err).toContain('--attempts')
  })

  it.each([
    [
      ['strong', 'poor'],
      [],
      '2 requests (4 messages, about 61 tokens in) would be made for 2 transcripts with structural; nothing was sent\n',
    ],
    [
      ['strong', 'strong'],
      [],
      '1 request (2 messages, about 31 tokens in) would be made for 2 transcripts with structural; nothing was sent\n',
    ],
    [
      ['strong', 'poor'],
      ['--attempts', '3'],
      '6 requests (12 messages, about 183 tokens in) would be made for 2 transcripts with structural; nothing was sent\n',
    ],
    [
      ['strong', 'poor'],
      ['--attempts', '3', '--confirm-on-fail'],
      '2 to 6 requests (12 messages, about 183 tokens in) would be made for 2 transcripts with structural; nothing was sent\n',
    ],
  ])('svc check of %j with %j says how many requests it takes', async (words, flags, said) => {
    const { check, asked } = scriptedShell()
    const { code, err } = await check(words, [...flags, '--dry-run'])
    expect([code, err, asked]).toEqual([0, said, []])
  })

  it('refuses an annotator that neither the registry nor the service knows, with the nearest', async () => {
    const { svc, asked } = scriptedShell()
    const argv = ['check', 'conversation.json', '--annotator', 'structual']
    const { code, err } = await svc(argv, { files: { 'conversation.json': [{ role: 'user', content: 'strong' }] } })
    expect([code, asked]).toEqual([2, []])
    expect(err).toContain('There is no annotator "structual".')
    expect(err).toContain('did you mean structural?')
    const policy = '{\n  "annotator": "structual"\n}'
    const named = await svc(['check', 'conversation.json'], { files: { 'svc.checks.json': policy } })
    expect([named.code, asked]).toEqual([3, []])
    expect(named.err).toContain('svc.checks.json:2:16 /annotator\n')
  })

  it('asks an annotator that the registry does not list, and says so in the report', async () => {
    const { check, asked, versions } = scriptedShell({ annotator_version: '9', taxonomy_version: '4' })
    const words = ['strong', 'mixed']
    const { code, json, err } = await check(words, ['--annotator', unlisted, '--json', '--cache', 'cache'])
    const note =
      'the registry does not list the annotator "structural-2" (did you mean structural? the registry has structural, patterns), so the service decides; its answers are not cached'
    expect([code, err]).toEqual([0, `warning: ${note}\npassed: no transcript is poor or worse (2 judged)\n`])
    expect(json()).toMatchObject({ annotator: unlisted, judged: 2, versions: [versions], notes: [note] })
    const again = await check(words, ['--annotator', unlisted, '--json', '--cache', 'cache'])
    expect([again.json().requests, asked.length]).toEqual([{ sent: 2, cached: 0, same: 0 }, 4])
  })

  it('compares the answers of an annotator that the registry does not list with the baseline', async () => {
    const of = (annotator_version: string) => scriptedShell({ annotator_version, taxonomy_version: '4' })
    const flags = ['--annotator', unlisted, '--baseline', 'baseline.json']
    const first = of('9')
    expect((await first.check(['poor'], [...flags, '--update-baseline'])).code).toBe(0)
    expect((await first.check(['poor'], flags)).code).toBe(0)
    const baseline = JSON.parse(readFileSync(join(first.cwd, 'baseline.json'), 'utf8'))
    const later = await of('10').check(['poor'], [...flags, '--json'], { files: { 'baseline.json': baseline } })
    expect(later.code).toBe(101)
    expect(later.json()).toMatchObject({ cases: [{ gap: { why: 'not comparable' } }] })
  })

  it('stops at the first 404 for an annotator that the registry does not list, and writes the reports', async () => {
    const { check, cwd } = scriptedShell()
    const words = Array.from({ length: 20 }, (_, at) => `strong ${at}`)
    const { code, err } = await check(words, ['--annotator', 'other', '-j', '1', '--report', 'json=report.json'])
    expect([code, err]).toEqual([2, expect.stringContaining('svc: There is no annotator "other".\n')])
    const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
    expect(report).toMatchObject({ exit: 2, judged: 0, total: 20, requests: { sent: 1 } })
  })

  it('plans a check with an annotator that the registry does not list', async () => {
    const { check } = scriptedShell()
    await check(['strong'], ['--cache', 'cache'])
    const { code, err } = await check(['strong'], ['--annotator', unlisted, '--cache', 'cache', '--dry-run'])
    expect([code, err]).toEqual([0, expect.stringContaining('warning: the registry does not list the annotator')])
  })

  it('svc annotate asks an annotator that the registry does not list', async () => {
    const { svc } = scriptedShell()
    const files = { 'c.json': [{ role: 'user', content: 'strong' }] }
    const { code, json } = await svc(['annotate', 'c.json', '--annotator', unlisted, '--json'], { files })
    expect([code, json()]).toMatchObject([0, { annotation: { outcome: 'strong', annotator: unlisted } }])
  })

  it('judges the others if some cannot be annotated, writes reports, and lists the missing ones', async () => {
    const { check } = scriptedShell()
    const { code, out } = await check(['strong', '422', 'mixed'])
    expect(code).toBe(101)
    expect(out).toContain('not judged: 1 transcript\n')
    expect(out).toContain('could not judge: 1 of 3 not judged\n')
  })

  it('ends with 75 where all that is missing may be there the next time', async () => {
    const { check } = scriptedShell()
    const { code } = await check(['strong', '503'])
    expect(code).toBe(75)
  })

  it('ends only a failed gate with the code of --gate-exit-code', async () => {
    const gate = async (...words: string[]) => (await scriptedShell().check(words, ['--gate-exit-code', '1'])).code
    expect([await gate('poor'), await gate('strong'), await gate('422')]).toEqual([1, 0, 101])
  })

  it.each([
    ['75', 'could not judge now, run again'],
    ['101', 'could not judge'],
    ['130', 'stopped by SIGINT'],
    ['143', 'stopped by SIGTERM'],
  ])('refuses the exit code %s, which is reserved', async (code, meaning) => {
    const { code: ended, err } = await scriptedShell().check(['strong'], ['--gate-exit-code', code])
    expect([ended, err]).toEqual([2, expect.stringContaining(`${code} is reserved: ${meaning}.`)])
  })

  it.each(['-1', '256', '1.5', 'x'])('refuses the exit code %s', async (code) => {
    expect((await scriptedShell().check(['strong'], ['--gate-exit-code', code])).code).toBe(2)
  })
})
