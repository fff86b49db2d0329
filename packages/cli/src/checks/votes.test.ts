import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asksAgain, spokenFor } from './votes.js'

/** What is asked of a transcript whose attempts would come to this. */
function asked(outcomes: readonly boolean[], confirmOnFail: boolean): boolean[] {
  const failed: boolean[] = []
  while (asksAgain(failed, { attempts: outcomes.length, confirmOnFail })) failed.push(outcomes[failed.length] === true)
  return failed
}

const [bad, good] = [true, false]

describe('attempts', () => {
  it.each([
    ['one that passes at first is not asked about again', [good, bad, bad], [good]],
    ['two failures of three are enough', [bad, bad, good], [bad, bad]],
    ['a failure that is not confirmed is asked about a third time', [bad, good, bad], [bad, good, bad]],
    ['half of two is no majority', [bad, good], [bad, good]],
    ['three failures of five are enough', [bad, good, bad, bad, good], [bad, good, bad, bad]],
    ['three that pass of five are enough', [bad, good, good, good, bad], [bad, good, good, good]],
  ])('to confirm a failure: %s', (_, outcomes, expected) => {
    expect(asked(outcomes, true)).toEqual(expected)
  })

  it('are all made where every transcript is asked about so often', () => {
    expect(asked([good, bad, bad], false)).toEqual([good, bad, bad])
  })

  it('that are saved would not have changed the verdict', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }), (later) => {
        const all = [true, ...later]
        const verdict = (failed: boolean[]) => failed[spokenFor(failed)]
        expect(verdict(asked(all, true))).toBe(verdict(all))
      }),
    )
  })

  it('are spoken for by the first that says what most say', () => {
    expect([spokenFor([bad]), spokenFor([good, bad, bad]), spokenFor([bad, good])]).toEqual([0, 1, 1])
  })
})
