import Ajv from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileCase } from '../../test/fixtures/hostile-report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { defaultPolicy } from '../policy/in-force.js'
import { gitlab } from './gitlab.js'

/** The fields that GitLab documents for Code Quality reports. */
const validate = new Ajv({ allErrors: true }).compile({
  type: 'array',
  items: {
    type: 'object',
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    properties: {
      description: { type: 'string', minLength: 1 },
      check_name: { type: 'string', minLength: 1 },
      fingerprint: { type: 'string', minLength: 1 },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        required: ['path', 'lines'],
        properties: {
          path: { type: 'string', pattern: '^(?!\\./)' },
          lines: { type: 'object', required: ['begin'], properties: { begin: { type: 'integer', minimum: 1 } } },
        },
      },
    },
  },
})

interface Issue {
  description: string
  check_name: string
  fingerprint: string
  severity: string
  location: object
}

const issuesOf = (report: Parameters<typeof gitlab>[0]): Issue[] => {
  const issues = JSON.parse([...gitlab(report)].join(''))
  expect(validate(issues), JSON.stringify(validate.errors)).toBe(true)
  return issues
}
const at = (path: string, begin: number) => ({ path, lines: { begin } })

describe('a Code Quality report of GitLab', () => {
  it('has an issue for each broken rule at its place, and for each transcript that is not judged', () => {
    const forbidden = { rule: 'forbidden' as const, signal: 'unresolved', known: false }
    const failed = failedCase({ reasons: [...failedCase().reasons, forbidden] })
    expect(issuesOf(reportOf([caseOf(), failed, missingCase({ path: 'b.json' })]))).toMatchObject([
      { check_name: 'svc/outcome', severity: 'major', location: at('conversations/order.json', 1) },
      {
        description: 'Order 7: the signal unresolved is forbidden: “I cannot help with that.”',
        check_name: 'svc/forbidden/unresolved',
        location: at('conversations/order.json', 3),
      },
      { check_name: 'svc/not-judged', severity: 'minor', location: at('b.json', 1) },
    ])
  })

  it('has none if everything passed or is known from the baseline', () => {
    const knownCase = failedCase({ result: 'known', reasons: [{ rule: 'outcome', outcome: 'poor', known: true }] })
    expect(issuesOf(reportOf([caseOf(), knownCase]))).toEqual([])
  })

  it('has an issue for an exceeded rate, and for a check that ended early', () => {
    const policy = {
      ...defaultPolicy,
      failOn: 'none' as const,
      rates: [{ of: { outcome: 'poor' as const }, max: 0.1 }],
    }
    expect(issuesOf(reportOf([failedCase({ result: 'passed', reasons: [] })], { policy }))).toMatchObject([
      { check_name: 'svc/rate', severity: 'major', description: expect.stringContaining('at most 10 %: Order 7') },
    ])
    const error = { kind: 'authentication', message: 'No key.', details: [], hint: null }
    const ended = { ...reportOf([]), error }
    expect(issuesOf(ended)).toMatchObject([{ check_name: 'svc/error', severity: 'blocker' }])
  })

  it('keeps the fingerprint of a finding when its lines move, and never repeats one', () => {
    const one = (line: number) => issuesOf(reportOf([failedCase({ line })]))[0]?.fingerprint
    expect(one(1)).toBe(one(900))
    const twice = issuesOf(reportOf([failedCase(), failedCase()])).map(({ fingerprint }) => fingerprint)
    expect(new Set(twice).size).toBe(2)
  })

  it('is valid whatever a service, a file or a path holds', () => {
    fc.assert(
      fc.property(hostileCase, (hostile) => {
        for (const { description } of issuesOf(reportOf([hostile]))) {
          expect(description.length).toBeLessThanOrEqual(1_000)
        }
      }),
    )
  })
})
