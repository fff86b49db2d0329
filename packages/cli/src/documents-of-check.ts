const identity = ['path', 'record', 'part', 'name']
const place = ['line', 'column']
const rules = ['failOn', 'forbidden', 'allowed', 'required', 'indeterminate']
const usage = ['tokens_in', 'tokens_out', 'latency_ms']

/** What is in the fields of `svc/check@1`, by the path to each. */
export const insideCheck: Readonly<Record<string, readonly string[] | 'any'>> = {
  versions: ['annotator_version', 'taxonomy_version'],
  policy: [...rules, 'overrides', 'rates', 'confidence', 'minJudged', 'maxTokens', 'deadlineMs'],
  'policy.overrides': ['files', ...rules],
  'policy.rates': ['of', 'max'],
  'policy.rates.of': ['outcome', 'signal'],
  results: ['failed', 'not judged', 'known', 'warned', 'ignored', 'passed'],
  outcomes: 'any',
  signals: 'any',
  rates: ['of', 'max', 'hits', 'n', 'verdict', 'before'],
  'rates.of': ['outcome', 'signal'],
  requests: ['sent', 'cached', 'same'],
  usage,
  losses: ['code', 'what', 'why', 'count'],
  redacted: 'any',
  baseline: ['path', 'missing', 'counts', 'edited', 'stale', 'updated'],
  'baseline.missing': [...identity, 'outcome', 'outside'],
  'baseline.counts': ['new', 'worse', 'same', 'better'],
  cases: [
    ...[...identity, ...place, 'result', 'outcome', 'reasons', 'gap', 'summary', 'outcome_notes', 'annotator_version'],
    ...['taxonomy_version', 'usage', 'signals', 'answer', 'votes', 'flaky', 'change', 'before', 'turns'],
  ],
  'cases.reasons': ['rule', 'outcome', 'signal', 'known'],
  'cases.gap': ['why', 'detail', 'temporary'],
  // What the service says, which may come to be more.
  'cases.summary': 'any',
  'cases.usage': 'any',
  'cases.signals': ['key', 'evidence', 'turn', ...place],
  'cases.turns': ['role', 'content', ...place],
}
