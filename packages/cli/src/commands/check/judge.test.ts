import type { Annotation } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Case, judge, type Level, scale } from './judge.js'

const annotated = (outcome: string): Case<string> => ({ subject: outcome, annotation: { outcome } as Annotation })
const failed = (code: 75 | 6): Case<string> => ({ subject: String(code), code, detail: 'no answer' })

describe('the verdict', () => {
  it.each<[Level, Level, string]>(
    scale.flatMap((outcome, i) =>
      scale.map((limit, j): [Level, Level, string] => [outcome, limit, i >= j ? 'failed' : 'passed']),
    ),
  )('on a %s transcript with the limit at %s is %s', (outcome, limit, verdict) => {
    expect(judge([annotated('strong'), annotated(outcome)].slice(1), limit).verdict).toBe(verdict)
  })

  it('is failed although others could not be judged', () => {
    expect(judge([failed(75), annotated('poor'), failed(6)], 'poor')).toMatchObject({
      verdict: 'failed',
      exit: 100,
      judged: 1,
    })
  })

  it('is to run again when every gap may close by itself, and not judged when one cannot', () => {
    expect(judge([annotated('strong'), failed(75)], 'poor').exit).toBe(75)
    expect(judge([failed(75), failed(6)], 'poor').exit).toBe(101)
    expect(judge([failed(75), annotated('indeterminate')], 'poor').exit).toBe(101)
  })

  it('never passes an outcome that the interface does not have', () => {
    expect(judge([annotated('superb')], 'critical')).toMatchObject({ exit: 101, gaps: [{ why: 'unknown outcome' }] })
  })

  it('is the same in any order, and counts every transcript once', () => {
    const one = fc.constantFrom(...[...scale, 'indeterminate', 'superb'].map(annotated), failed(75), failed(6))
    fc.assert(
      fc.property(fc.array(one), fc.constantFrom(...scale), fc.nat(), (cases, limit, seed) => {
        const report = judge(cases, limit)
        const turned = [...cases.slice(seed % (cases.length || 1)), ...cases.slice(0, seed % (cases.length || 1))]
        expect(judge(turned, limit).exit).toBe(report.exit)
        expect(report.judged + report.gaps.length).toBe(cases.length)
        expect(report.findings.length).toBeLessThanOrEqual(report.judged)
      }),
    )
  })
})
