import { expect, test } from 'vitest'
import { type ContractResult, compareContracts, contractPage, contractText, driftText } from './index.js'

const exchange = { surface: 'workspace', method: 'GET', path: '/projects', headers: {} } as const
const rule = { source: 'Limits' } as const

const result: ContractResult = {
  schema: 'svc/contract@1',
  at: '2026-01-01T00:00:00.000Z',
  base_url: null,
  public_base_url: 'https://b.test/v1',
  project: null,
  requests: 9,
  created: { projects: 0, transcripts: 1, annotations: 0 },
  poll_ms: 1000,
  ambiguities: { order: { reading: 'ascending' }, listLagMs: { notSeen: 'below one poll', belowMs: 1000 } },
  rules: [
    { ...rule, name: 'holds', result: 'as described' },
    { ...rule, name: 'one', result: 'not tried', reason: 'no key' },
    { ...rule, name: 'two', result: 'not tried', reason: 'no key' },
    {
      ...rule,
      name: 'differs',
      result: 'different',
      reason: 'expected 201',
      exchanges: [{ ...exchange, answer: { status: 200, headers: {}, text: '<script>alert(1)</script>' } }],
    },
  ],
}

test('the text has every ambiguity, each rule that differs with its answer, and the reasons of the others once', () => {
  expect(contractText(result)).toBe(`Ambiguities of the interface
  order: ascending
  listLagMs: not seen: below one poll

Rules of the interface: 1 as described, 1 different, 2 not tried
  different: differs (expected 201)
    → GET /projects
    ← 200 <script>alert(1)</script>
  not tried, 2 rules: no key

9 requests; created 0 projects, 1 transcript and 0 annotations
`)
})

test('the page escapes what the service answered, and loads nothing', () => {
  const page = contractPage(result)
  expect(page).toContain('&#60;script')
  expect(page).not.toMatch(/<script|src=|href=/)
})

test('a lag below one poll differs from one of more than two, and what was not seen before is not compared', () => {
  const now: ContractResult = {
    ...result,
    ambiguities: { order: { notSeen: 'no rows' }, listLagMs: { reading: 9000 }, turns: { reading: 'none' } },
    rules: [],
  }
  const { verdict, compared } = compareContracts(result, now)
  expect(compared.map(({ name, result: each }) => `${name}: ${each}`)).toEqual([
    'order: not judged',
    'listLagMs: different',
    'holds: not judged',
    'differs: not judged',
  ])
  expect(driftText({ verdict, compared })).toContain('different: 0 of 4 rules and ambiguities are the same')
  const slow: ContractResult = { ...result, ambiguities: { ...result.ambiguities, listLagMs: { reading: 1900 } } }
  expect(compareContracts(result, slow).verdict).toBe('same')
})
