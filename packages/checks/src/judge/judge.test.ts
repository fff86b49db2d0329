import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AcceptedFinding, BaselineResult } from '../baseline/index.js'
import { defaultPolicy } from '../policy/in-force.js'
import { type Rules, scale } from '../report/index.js'
import { judge } from './judge.js'

const answer = (outcome: string, ...fired: string[]) =>
  ({ outcome, signals: Object.fromEntries(fired.map((key) => [key, { evidence: '', turn: null }])) }) as never
const rules = (change: Partial<Rules> = {}): Rules => ({ ...defaultPolicy, ...change })
/** A result whose outcome is accepted, and the signals that fired as forbidden ones. */
const before = (outcome: string, ...signals: string[]): BaselineResult => ({
  ...{ outcome, signals },
  findings: [{ rule: 'outcome' }, ...signals.map((signal) => ({ rule: 'forbidden' as const, signal }))],
})
const accepting = (outcome: string, ...findings: AcceptedFinding[]): BaselineResult => ({
  ...before(outcome),
  findings,
})

describe('a transcript', () => {
  it.each(
    scale.flatMap((outcome, i) => scale.map((limit, j) => [outcome, limit, i >= j ? 'failed' : 'passed'] as const)),
  )('a transcript that is %s with the limit at %s has %s', (outcome, limit, result) => {
    expect(judge(answer(outcome), rules({ failOn: limit }), undefined).result).toBe(result)
  })

  it.each([
    ['unjudged', 'not judged'],
    ['fail', 'failed'],
    ['warn', 'warned'],
    ['ignore', 'ignored'],
  ] as const)('an indeterminate transcript with %s is %s', (indeterminate, result) => {
    expect(judge(answer('indeterminate'), rules({ indeterminate }), undefined).result).toBe(result)
  })

  it('never passes with an outcome that the interface does not have', () => {
    const { result, gap } = judge(answer('superb'), rules({ indeterminate: 'ignore' }), undefined)
    expect([result, gap?.why]).toEqual(['not judged', 'unknown outcome'])
  })

  it.each([
    [{ forbidden: ['loop'] }, ['loop', 'other'], [{ rule: 'forbidden', signal: 'loop' }]],
    [{ allowed: ['other'] }, ['loop', 'other'], [{ rule: 'not allowed', signal: 'loop' }]],
    [{ required: ['greeting'] }, ['loop'], [{ rule: 'required', signal: 'greeting' }]],
    [{ required: ['constructor'] }, [], [{ rule: 'required', signal: 'constructor' }]],
    [{ forbidden: ['loop'], allowed: [] }, [], []],
  ])('a transcript under %j in which %j fired breaks %j', (change, fired, reasons) => {
    expect(judge(answer('strong', ...fired), rules(change), undefined).reasons).toMatchObject(reasons)
  })
})

describe('against a baseline, a transcript', () => {
  it.each([
    ['as bad as it was', 'poor', before('poor'), 'known', 'same'],
    ['better, and still bad', 'poor', before('critical'), 'known', 'better'],
    ['worse', 'critical', before('poor'), 'failed', 'worse'],
    ['worse, and good enough', 'mixed', before('strong'), 'passed', 'worse'],
    ['that was not in it', 'poor', undefined, 'failed', 'new'],
    ['that was indeterminate before', 'poor', before('indeterminate'), 'failed', 'worse'],
  ] as const)('%s', (_, outcome, was, result, change) => {
    expect(judge(answer(outcome), rules(), was)).toMatchObject({ result, change })
  })

  it('fails by a signal that did not fire before, and not by one that did', () => {
    const forbidden = rules({ forbidden: ['loop', 'rude'] })
    expect(judge(answer('strong', 'loop'), forbidden, before('strong', 'loop')).result).toBe('known')
    const judged = judge(answer('strong', 'loop', 'rude'), forbidden, before('strong', 'loop'))
    expect(judged).toMatchObject({ result: 'failed', change: 'worse', reasons: [{ known: true }, { known: false }] })
  })

  it('fails by a signal that fired before if its outcome got worse', () => {
    const forbidden = rules({ forbidden: ['loop'] })
    const judged = judge(answer('mixed', 'loop'), forbidden, before('strong', 'loop'))
    expect(judged).toMatchObject({ result: 'failed', change: 'worse', reasons: [{ rule: 'forbidden', known: false }] })
  })

  it('fails by a signal that is required, and fired before', () => {
    const required = rules({ required: ['greeting'] })
    expect(judge(answer('strong'), required, before('strong', 'greeting')).result).toBe('failed')
    const missed = accepting('strong', { rule: 'required', signal: 'greeting' })
    expect(judge(answer('strong'), required, missed).result).toBe('known')
  })

  it('fails by a rule that was added since, although the outcome and the signals are the same', () => {
    expect(judge(answer('poor'), rules(), accepting('poor')).result).toBe('failed')
    const forbidden = rules({ forbidden: ['loop'] })
    expect(judge(answer('strong', 'loop'), forbidden, { ...before('strong', 'loop'), findings: [] }).result).toBe(
      'failed',
    )
    const other = accepting('strong', { rule: 'not allowed', signal: 'loop' })
    expect(judge(answer('strong', 'loop'), forbidden, other).result).toBe('failed')
  })

  it('shows why a finding is accepted, and fails by one whose acceptance expired', () => {
    const accepted = { reason: 'a known bug', author: 'Jo', expires: '2026-12-31' }
    const was = (isExpired: boolean) => accepting('poor', { rule: 'outcome', ...accepted, isExpired })
    expect(judge(answer('poor'), rules(), was(false))).toMatchObject({
      result: 'known',
      reasons: [{ known: true, accepted }],
    })
    expect(judge(answer('poor'), rules(), was(true))).toMatchObject({
      result: 'failed',
      reasons: [{ known: false, accepted }],
    })
  })

  it('never fails against a baseline of itself', () => {
    const fired = fc.uniqueArray(fc.constantFrom('loop', 'rude', 'greeting'))
    fc.assert(
      fc.property(
        fc.constantFrom(...scale, 'indeterminate', 'superb'),
        fired,
        fired,
        fired,
        (outcome, fires, no, must) => {
          const held = rules({ forbidden: no, required: must, indeterminate: 'fail' })
          const { reasons } = judge(answer(outcome, ...fires), held, undefined)
          const itself = { outcome, signals: fires, findings: reasons }
          expect(judge(answer(outcome, ...fires), held, itself).result).not.toBe('failed')
        },
      ),
    )
  })
})
