import { conclude, type Facts } from './conclude.js'
import { defaultPolicy } from './policy/policy.js'
import type { CheckReport, ReportCase } from './report.js'

/** A case of a report for tests: one that passed, but for what is said of it. */
export function caseOf(more: Partial<ReportCase> = {}): ReportCase {
  return {
    ...{ path: 'talks/order.json', record: 1, part: 1, name: 'Order 7', line: 1, column: 1 },
    ...{ result: 'passed', outcome: 'strong', reasons: [], gap: null, outcome_notes: 'Went well.' },
    summary: {
      ...{ title: 'Order status', keywords: ['order'], summary: 'Asked where an order is.', quality_concerns: '' },
      ...{ user_intent: 'find an order', domain: 'shop' },
    },
    ...{ annotator_version: '1.0.0', taxonomy_version: '1', usage: { tokens_in: 20, tokens_out: 10, latency_ms: 5 } },
    ...{ signals: [], answer: 'asked', votes: ['strong'], flaky: false, change: null },
    ...{ before: null, before_signals: null },
    ...more,
  }
}

/** A case that fails by its outcome, with a signal at a turn. */
export const failedCase = (more: Partial<ReportCase> = {}): ReportCase =>
  caseOf({
    ...{ result: 'failed', outcome: 'poor', votes: ['poor'], outcome_notes: 'Never answered.' },
    reasons: [{ rule: 'outcome', outcome: 'poor', known: false }],
    signals: [{ key: 'unresolved', evidence: 'I cannot help with that.', turn: 2, line: 3, column: 5 }],
    ...more,
  })

/** A case without an annotation. */
export const missingCase = (more: Partial<ReportCase> = {}): ReportCase =>
  caseOf({
    ...{ result: 'not judged', outcome: null, summary: null, outcome_notes: null, annotator_version: null },
    ...{ taxonomy_version: null, usage: null, answer: null, votes: [] },
    gap: { why: 'not annotated', detail: 'The service answered 503.', temporary: true },
    ...more,
  })

/** The report of cases, judged by the default policy. */
export const reportOf = (cases: ReportCase[], more: Partial<Facts> = {}): CheckReport =>
  conclude(cases, {
    ...{ annotator: 'structural', policy: defaultPolicy, losses: [], redacted: {}, baseline: null, left_out: [] },
    requests: { sent: cases.length, cached: 0, same: 0 },
    usage: { tokens_in: 20 * cases.length, tokens_out: 10 * cases.length, latency_ms: 5 * cases.length },
    ...{ svc_versions: ['0.0.0'], service: 'https://svc.test', paths: ['talks'], options: {} },
    ...{ attempts: 1, confirm_on_fail: false, notes: [], unmatchedPatterns: [] },
    ...{ gateExit: 100, mustJudgeAll: false, stoppedBy: undefined },
    ...more,
  })
