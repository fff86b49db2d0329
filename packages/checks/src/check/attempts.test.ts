import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scale } from '../report/index.js'
import { type AttemptResult, decisiveAttempt, isUndecided, needsAnotherAttempt } from './attempts.js'

const bad: AttemptResult = { outcome: 'poor', fails: true, counts: false }
const good: AttemptResult = { outcome: 'strong', fails: false, counts: false }
const said = (outcome: string): AttemptResult => ({ outcome, fails: false, counts: false })

/** The attempts that are made at a transcript if they have these results. */
function asked(answers: readonly AttemptResult[], confirmOnFail: boolean): AttemptResult[] {
  const came: AttemptResult[] = []
  while (needsAnotherAttempt(came, { attempts: answers.length, confirmOnFail })) came.push(answers[came.length] ?? good)
  return came
}

describe('attempts', () => {
  it.each([
    ['one that passes at first is not asked about again', [good, bad, bad], [good]],
    ['two failures of three are enough', [bad, bad, good], [bad, bad]],
    ['a failure that is not confirmed is asked about a third time', [bad, good, bad], [bad, good, bad]],
    ['one failure of two is half, and confirmed all the same', [bad, good], [bad, good]],
    ['three failures of five are enough', [bad, good, bad, bad, good], [bad, good, bad, bad]],
    ['three that pass of five are enough', [bad, good, good, good, bad], [bad, good, good, good]],
  ])('attempts to confirm a failure: %s', (_, answers, expected) => {
    expect(asked(answers, true)).toEqual(expected)
  })

  it('attempts are all made if every transcript has that many attempts', () => {
    expect(asked([good, bad, bad], false)).toEqual([good, bad, bad])
  })

  it('skips only attempts that cannot change the verdict', () => {
    const side = (came: AttemptResult[]) => came[decisiveAttempt(came)]?.fails
    fc.assert(
      fc.property(fc.array(fc.constantFrom(good, bad), { minLength: 1, maxLength: 9 }), (later) => {
        const all = [bad, ...later]
        expect(side(asked(all, true))).toBe(side(all))
      }),
    )
  })

  it.each([
    ['none', true, []],
    ['one bad', true, [bad]],
    ['a bad and a good one', true, [bad, good]],
    ['two bad', false, [bad, bad]],
    ['two good', false, [good, good]],
    ['a good and a bad one', true, [good, bad]],
  ])('the missing of three attempts, after %s, may turn the result: %s', (_, open, came) => {
    expect(isUndecided(came, { attempts: 3, confirmOnFail: false })).toBe(open)
  })

  it('stops after a passed first attempt with confirmOnFail', () => {
    expect(isUndecided([good], { attempts: 3, confirmOnFail: true })).toBe(false)
  })
})

describe('the representative attempt', () => {
  it.each([
    [['mixed', 'strong', 'strong'], 'strong'],
    [['indeterminate', 'strong', 'strong'], 'strong'],
    [['strong', 'indeterminate', 'indeterminate'], 'indeterminate'],
    [['strong', 'mixed', 'poor'], 'mixed'],
    [['mixed', 'strong'], 'mixed'],
    [['indeterminate', 'strong'], 'indeterminate'],
    [['superb', 'strong'], 'superb'],
    [['superb', 'indeterminate', 'strong'], 'superb'],
    [['superb'], 'superb'],
  ])('the representative attempt of %j is the one that says %s', (outcomes, expected) => {
    expect(outcomes[decisiveAttempt(outcomes.map(said))]).toBe(expected)
  })

  it('the representative attempt is a failing one where half or more fail', () => {
    expect([decisiveAttempt([bad]), decisiveAttempt([good, bad, bad]), decisiveAttempt([bad, good])]).toEqual([0, 1, 0])
  })

  it('exists for any attempts, and is the same in any order', () => {
    const one = fc.record({
      outcome: fc.constantFrom(...scale, 'indeterminate', 'superb'),
      fails: fc.boolean(),
      counts: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 9 }), (all) => {
        const spoken = all[decisiveAttempt(all)]
        expect(spoken).toBeDefined()
        const sorted = [...all].reverse()
        expect(sorted[decisiveAttempt(sorted)]?.fails).toBe(spoken?.fails)
      }),
    )
  })
})
