import { describe, expect, it } from 'vitest'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const checking =
  () =>
  (words: string[], ...flags: string[]) =>
    scriptedShell().check(words, flags)

describe('svc check', () => {
  const policies: [string[], string[], number, string][] = [
    [['strong', 'mixed'], [], 0, 'passed: no transcript is poor or worse (2 judged)'],
    [['strong', 'poor'], [], 100, 'failed: 1 of 2 transcripts is poor or worse'],
    [
      ['strong', 'poor'],
      ['--max-rate', 'poor=50%'],
      0,
      'passed: no transcript breaks a rule (2 judged); poor or worse: 1 of 2, 50 %, at most 50 %',
    ],
    [['poor', 'critical'], ['--max-rate', 'poor=0.5'], 100, 'failed: poor or worse: 2 of 2, 100 %, at most 50 %'],
    [
      ['poor', 'strong'],
      ['--max-rate', 'poor=50%', '--fail-on', 'poor'],
      100,
      'failed: 1 of 2 transcripts is poor or worse',
    ],
    [['strong loop'], ['--forbid', 'loop'], 100, 'failed: 1 of 1 transcript breaks a signal rule'],
    [['strong loop'], ['--allow', 'other'], 100, 'failed: 1 of 1 transcript breaks a signal rule'],
    [['strong'], ['--require', 'loop'], 100, 'failed: 1 of 1 transcript breaks a signal rule'],
    [['strong loop', 'strong'], ['--max-rate', 'signal:loop=10%'], 100, 'failed: loop: 1 of 2, 50 %, at most 10 %'],
    [
      Array(12).fill('strong'),
      ['--max-rate', 'poor=5%', '--confidence', '0.95'],
      101,
      'could not judge: poor or worse: 0 of 12, 0 %, too few to compare with 5 %',
    ],
    [['indeterminate'], [], 101, 'could not judge: 1 of 1 not judged'],
    [['indeterminate'], ['--indeterminate', 'warn'], 0, 'passed: no transcript is poor or worse (1 judged)'],
    [['indeterminate'], ['--indeterminate', 'fail'], 100, 'failed: 1 of 1 transcript is indeterminate'],
    [
      ['indeterminate', 'strong'],
      ['--min-judged', '50%'],
      0,
      'passed: no transcript is poor or worse (1 judged); 1 of 2 not judged',
    ],
  ]
  const named = policies.map(
    ([words, ...rest]) =>
      [words.length > 3 ? `${words.length} ${words[0]}` : words.join(', '), ...rest, words] as const,
  )
  it.each(named)('svc check of %s with %j ends with %i', async (_, flags, expected, verdict, words) => {
    const { code, out } = await checking()(words, ...flags)
    expect([code, out.trimEnd().split('\n').at(-1)]).toEqual([expected, verdict])
  })

  it('names each rule of signals that a transcript breaks', async () => {
    const { out } = await checking()(['strong loop'], '--forbid', 'loop', '--require', 'greeting')
    expect(out).toContain('  the signal loop is forbidden\n')
    expect(out).toContain('  the signal greeting is required and did not fire\n')
  })

  it('gives policy, rates and reasons as JSON', async () => {
    const { json } = await checking()(['poor loop', 'strong'], '--json', '--max-rate', 'poor=5%', '--forbid', 'loop')
    expect(json()).toMatchObject({
      verdict: 'failed',
      policy: { forbidden: ['loop'], minJudged: 1 },
      rates: [{ hits: 1, n: 2, max: 0.05, verdict: 'exceeded' }],
      cases: [{ reasons: [{ rule: 'forbidden', signal: 'loop', known: false }] }, { result: 'passed' }],
    })
  })

  it.each([
    ['--max-rate', 'bad=5%'],
    ['--max-rate', 'poor=150%'],
    ['--max-rate', 'poor'],
    ['--confidence', '1'],
    ['--confidence', '0.5'],
    ['--confidence', '0.95'],
    ['--min-judged', '-1'],
    ['--indeterminate', 'pass'],
    ['--fail-on', 'indeterminate'],
  ])('refuses %s %s before anything is asked', async (...flags) => {
    expect((await checking()(['strong'], ...flags)).code).toBe(2)
  })
})
