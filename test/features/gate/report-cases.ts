import type { CheckReport, ReportCase, ReportSignal, ReportTurn } from '../../../packages/checks/src/report/index.js'
import { caseOf, reportOf } from '../../../packages/checks/test/fixtures/report.js'

/** Numbers from 0 to 1 that come in the same order each time. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const words =
  'the order was sent to another address and nobody reported me when it would come so please look again at what the invoice says about delivery before you answer that everything is fine'.split(
    ' ',
  )
const signals = ['unresolved', 'repeated_question', 'wrong_tool', 'apology_loop', 'ignored_context', 'late_answer']
const outcomes = [
  'strong',
  'strong',
  'strong',
  'strong',
  'mixed',
  'mixed',
  'poor',
  'critical',
  'indeterminate',
] as const
const roles = ['user', 'assistant', 'user', 'assistant', 'tool', 'assistant']

/** A report of so many transcripts with so many turns each, of every kind that there is. */
export function manyCases(count: number, turns: number, more: { baseline?: boolean } = {}): CheckReport {
  const next = chance(7)
  const cases = Array.from({ length: count }, (_, index) => oneCase(index, turns, next, more.baseline === true))
  const changes = { new: 0, worse: 0, same: 0, better: 0 }
  for (const { change } of cases) if (change) changes[change]++
  const missing = [
    { path: 'conversations/old.jsonl', record: 1, part: 1, name: 'Order 9001', outcome: 'strong' },
    { path: 'conversations/old.jsonl', record: 2, part: 1, name: 'Order 9002', outcome: 'poor' },
  ]
  const baseline = {
    path: 'svc.baseline.json',
    missing,
    counts: changes,
    edited: 0,
    sha256: null,
    stale: null,
    updated: false,
  }
  return reportOf(cases, {
    requests: { sent: Math.ceil(count * 0.6), cached: Math.floor(count * 0.35), same: Math.floor(count * 0.05) },
    baseline: more.baseline ? baseline : null,
    losses: [{ code: 'dropped', what: 'image part', why: 'the service stores text', count: 12 }],
  })
}

function oneCase(index: number, turns: number, next: () => number, compared: boolean): ReportCase {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item
  const said = (length: number) => Array.from({ length }, () => pick(words)).join(' ')
  const path = `conversations/${pick(['orders', 'returns', 'billing'])}/2026-${10 + (index % 3)}/conversation-${index + 1}.json`
  const conversation: ReportTurn[] = Array.from({ length: turns }, (_, at) => ({
    ...{ role: roles[at % roles.length] ?? 'user', content: `${said(10 + Math.floor(next() * 50))}.` },
    ...{ line: 3 + at * 4, column: 5 },
  }))
  const outcome = pick(outcomes)
  const failed = outcome === 'poor' || outcome === 'critical'
  const found = failed ? 1 + Math.floor(next() * 3) : next() < 0.1 ? 1 : 0
  const at = Array.from({ length: found }, () => Math.floor(next() * turns))
  const fired = at.map((turn): ReportSignal => {
    const { content = '', line = null, column = null } = conversation[turn] ?? {}
    return { key: pick(signals), evidence: content.slice(6, 60), turn: turn + 1, line, column }
  })
  const before = compared && next() < 0.9 ? (next() < 0.8 ? outcome : pick(outcomes)) : null
  const flaky = failed && next() < 0.15
  return caseOf({
    ...{
      path,
      name: `Order ${7_000 + index}: ${said(3)}`,
      outcome,
      votes: flaky ? [outcome, 'strong', outcome] : [outcome],
    },
    ...{ result: failed ? 'failed' : outcome === 'indeterminate' ? 'not judged' : 'passed', flaky, signals: fired },
    reasons: failed ? [{ rule: 'outcome', outcome, known: false }] : [],
    gap: outcome === 'indeterminate' ? { why: 'indeterminate', detail: null, temporary: false } : null,
    usage: {
      tokens_in: 400 + Math.floor(next() ** 2 * 6_000),
      tokens_out: 80 + Math.floor(next() * 300),
      latency_ms: Math.floor(300 + next() ** 3 * 4_000),
    },
    answer: next() < 0.6 ? 'asked' : next() < 0.9 ? 'cached' : 'same',
    change: compared ? (before === null ? 'new' : before === outcome ? 'same' : failed ? 'worse' : 'better') : null,
    ...{ before, turns: conversation },
  })
}
