import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Case, judge } from './judge.js'
import { defaultPolicy, type Level, type Policy, scale } from './policy.js'

const annotated = (outcome: string, ...fired: string[]): Case<string> => ({
  subject: [outcome, ...fired].join(' '),
  annotation: {
    outcome,
    signals: Object.fromEntries(fired.map((key) => [key, { evidence: '', turn: null }])),
  } as never,
})
const failed = (code: 75 | 6): Case<string> => ({ subject: String(code), code, detail: 'no answer' })
const policy = (change: Partial<Policy> = {}): Policy => ({ ...defaultPolicy, ...change })
const many = (n: number, outcome: string) => Array.from({ length: n }, () => annotated(outcome))

describe('the verdict', () => {
  it.each<[Level, Level, string]>(
    scale.flatMap((outcome, i) =>
      scale.map((limit, j): [Level, Level, string] => [outcome, limit, i >= j ? 'failed' : 'passed']),
    ),
  )('on a %s transcript with the limit at %s is %s', (outcome, limit, verdict) => {
    expect(judge([annotated(outcome)], policy({ failOn: limit })).verdict).toBe(verdict)
  })

  it('is failed although others could not be judged', () => {
    expect(judge([failed(75), annotated('poor'), failed(6)], policy())).toMatchObject({
      verdict: 'failed',
      exit: 100,
      judged: 1,
    })
  })

  it('is to run again when every gap may close by itself, and not judged when one cannot', () => {
    expect(judge([annotated('strong'), failed(75)], policy()).exit).toBe(75)
    expect(judge([failed(75), failed(6)], policy()).exit).toBe(101)
    expect(judge([failed(75), annotated('indeterminate')], policy()).exit).toBe(101)
  })

  it('never passes an outcome that the interface does not have', () => {
    expect(judge([annotated('superb')], policy({ indeterminate: 'ignore' }))).toMatchObject({
      exit: 101,
      gaps: [{ why: 'unknown outcome' }],
    })
  })

  it.each([
    ['unjudged', 101, 0],
    ['fail', 100, 1],
    ['warn', 0, 1],
    ['ignore', 0, 1],
  ] as const)('on an indeterminate one is, with %s, %i', (indeterminate, code, judged) => {
    const report = judge([annotated('indeterminate')], policy({ indeterminate }))
    expect([report.exit, report.judged, report.warned.length]).toEqual([code, judged, indeterminate === 'warn' ? 1 : 0])
  })

  it('passes with gaps where enough was judged', () => {
    const cases = [...many(9, 'strong'), failed(6)]
    expect(judge(cases, policy({ minJudged: 0.9 })).exit).toBe(0)
    expect(judge([...cases, failed(75)], policy({ minJudged: 0.9 })).exit).toBe(101)
  })

  it('is the same in any order, and counts every transcript once', () => {
    const one = fc.constantFrom(
      ...[...scale, 'indeterminate', 'superb'].map((each) => annotated(each)),
      failed(75),
      failed(6),
    )
    fc.assert(
      fc.property(fc.array(one), fc.constantFrom(...scale), fc.nat(), (cases, failOn, seed) => {
        const at = seed % (cases.length || 1)
        const report = judge(cases, policy({ failOn }))
        expect(judge([...cases.slice(at), ...cases.slice(0, at)], policy({ failOn })).exit).toBe(report.exit)
        expect(report.judged + report.gaps.length).toBe(cases.length)
        expect(report.findings.length).toBeLessThanOrEqual(report.judged)
      }),
    )
  })
})

describe('signals', () => {
  const reasons = (rules: Partial<Policy>, ...fired: string[]) =>
    judge([annotated('strong', ...fired)], policy(rules)).findings.flatMap((finding) => finding.reasons)

  it('fail where they are forbidden, not among those allowed, or missing', () => {
    expect(reasons({ forbidden: ['loop'] }, 'loop', 'other')).toEqual([{ rule: 'forbidden', signal: 'loop' }])
    expect(reasons({ allowed: ['other'] }, 'loop', 'other')).toEqual([{ rule: 'not allowed', signal: 'loop' }])
    expect(reasons({ required: ['greeting'] }, 'loop')).toEqual([{ rule: 'required', signal: 'greeting' }])
    expect(reasons({ forbidden: ['loop'], allowed: [] })).toEqual([])
  })

  it('are those that fired, whatever they are called', () => {
    expect(reasons({ required: ['constructor'] })).toEqual([{ rule: 'required', signal: 'constructor' }])
  })
})

describe('rates', () => {
  const poor = { of: { outcome: 'poor' }, max: 0.05 } as const
  const only = (change: Partial<Policy>) => policy({ failOn: undefined, rates: [poor], ...change })

  it('are of those that are judged, an outcome or worse', () => {
    expect(judge([...many(95, 'strong'), ...many(4, 'poor'), annotated('critical')], only({}))).toMatchObject({
      exit: 0,
      rates: [{ hits: 5, n: 100, verdict: 'kept' }],
    })
    expect(judge([...many(94, 'strong'), ...many(6, 'poor')], only({})).exit).toBe(100)
  })

  it('may be of a signal', () => {
    const rates = [{ of: { signal: 'loop' }, max: 0.5 }]
    expect(judge([annotated('strong', 'loop'), annotated('strong')], only({ rates })).exit).toBe(0)
    expect(judge([annotated('strong', 'loop')], only({ rates })).exit).toBe(100)
  })

  it('that cannot be told with so much confidence are no verdict', () => {
    expect(judge([...many(11, 'strong'), annotated('poor')], only({ confidence: 0.95 }))).toMatchObject({
      exit: 101,
      verdict: 'not judged',
      rates: [{ verdict: 'cannot tell', n: 12 }],
    })
  })
})

it('holds each transcript to its own rules', () => {
  const rulesFor = (subject: string) => policy({ failOn: subject === 'poor' ? 'critical' : 'mixed' })
  const report = judge([annotated('poor'), annotated('mixed')], policy(), rulesFor)
  expect(report.findings.map(({ subject }) => subject)).toEqual(['mixed'])
})
