import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

/** Checks one transcript whose attempts have these outcomes. */
async function voted(outcomes: readonly string[], ...flags: string[]) {
  const { check, asked } = scriptedShell()
  const { code, json } = await check([outcomes.join('|')], ['--attempts', `${outcomes.length}`, '--json', ...flags])
  const [only] = json().cases as { outcome: string; result: string; flaky: boolean; votes: string[] }[]
  return { code, asked: asked.length, ...(only as NonNullable<typeof only>) }
}

describe('svc check of several attempts', () => {
  it.each([
    [['critical', 'strong'], 100, 'critical', true],
    [['strong', 'critical'], 100, 'critical', true],
    [['poor', 'strong', 'strong', 'critical'], 100, 'critical', true],
    [['poor', 'strong', 'strong'], 0, 'strong', true],
    [['poor', 'critical', 'critical', 'strong'], 100, 'critical', true],
    [['poor', 'poor', 'critical', 'strong'], 100, 'poor', true],
    [['strong', 'mixed'], 0, 'mixed', false],
    [['strong', 'mixed', 'mixed'], 0, 'mixed', false],
    [['strong', 'strong', 'mixed'], 0, 'strong', false],
    [['indeterminate', 'strong'], 101, 'indeterminate', true],
    [['strong', 'indeterminate'], 101, 'indeterminate', true],
    [['indeterminate', 'indeterminate', 'strong'], 101, 'indeterminate', true],
    [['indeterminate', 'strong', 'mixed'], 0, 'mixed', true],
    [['indeterminate', 'poor'], 100, 'poor', true],
    [['indeterminate', 'poor', 'indeterminate'], 101, 'indeterminate', true],
    [['superb', 'strong'], 101, 'superb', true],
    [['superb', 'indeterminate', 'strong'], 101, 'superb', true],
    [['indeterminate', 'indeterminate'], 101, 'indeterminate', false],
  ])('svc check of several attempts of %j ends with %i and shows %s', async (outcomes, code, outcome, flaky) => {
    expect(await voted(outcomes)).toMatchObject({ code, outcome, flaky, votes: outcomes })
  })

  it.each([
    ['fail', 100],
    ['ignore', 0],
    ['warn', 0],
  ])('holds a half of indeterminate attempts to --indeterminate %s', async (policy, code) => {
    expect(await voted(['strong', 'indeterminate'], '--indeterminate', policy)).toMatchObject({
      ...{ code, outcome: 'indeterminate', flaky: true },
    })
  })

  it('counts for a rate by the outcome that is shown, and fails no transcript by it', async () => {
    const rate = ['--fail-on', 'poor', '--max-rate', 'mixed=50%']
    expect(await voted(['poor', 'mixed', 'strong'], ...rate)).toMatchObject({
      code: 100,
      outcome: 'mixed',
      result: 'passed',
    })
  })

  it('confirms a failure by one more attempt, also where one of two is half', async () => {
    expect(await voted(['poor', 'strong'], '--confirm-on-fail')).toMatchObject({ code: 100, asked: 2, flaky: true })
    expect(await voted(['poor', 'poor', 'strong', 'strong'], '--confirm-on-fail')).toMatchObject({
      code: 100,
      asked: 2,
    })
  })

  it('ends with 100 where half or more attempts fail, and with 0 only where fewer than half have no outcome on the scale', async () => {
    const outcome = fc.constantFrom('strong', 'mixed', 'poor', 'critical', 'indeterminate', 'superb')
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { minLength: 1, maxLength: 9 }), async (outcomes) => {
        const share = (...of: string[]) => outcomes.filter((each) => of.includes(each)).length / outcomes.length
        const expected = share('poor', 'critical') >= 0.5 ? 100 : share('indeterminate', 'superb') >= 0.5 ? 101 : 0
        expect((await voted(outcomes)).code).toBe(expected)
      }),
      { numRuns: runs(20) },
    )
  })

  it('names flaky transcripts and their votes on a run that passes, in every report for people', async () => {
    const shell = scriptedShell()
    const reports = ['junit', 'md', 'html', 'json'].flatMap((id) => ['--report', `${id}=out.${id}`])
    const { code, out } = await shell.check(['poor|strong|strong', 'strong'], ['--attempts', '3', ...reports])
    expect(code).toBe(0)
    expect(out).toContain('flaky: 1 transcript\n')
    expect(out).toContain('conversations/0.json  (flaky: attempts gave poor, strong, strong)')
    const read = (id: string) => readFileSync(join(shell.cwd, `out.${id}`), 'utf8')
    expect(read('junit')).toContain('flaky: attempts gave poor, strong, strong')
    expect(read('md')).toMatch(/Flaky[\s\S]*conversations\/0\.json[\s\S]*poor`, `strong`, `strong/)
    expect(JSON.parse(read('json')).cases[0]).toMatchObject({ flaky: true, votes: ['poor', 'strong', 'strong'] })
  })
})
