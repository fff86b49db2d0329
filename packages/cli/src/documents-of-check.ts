/** What is in fields, by the path to each, where that is known; `any` where names in it are not. */
export type Inside = Readonly<Record<string, readonly string[] | 'any'>>

const identity = ['path', 'record', 'part', 'name']
const place = ['line', 'column']
const rules = ['failOn', 'forbidden', 'allowed', 'required', 'indeterminate']
const versions = ['annotator_version', 'taxonomy_version']
const results = ['failed', 'not judged', 'known', 'warned', 'ignored', 'passed']
const reason = ['rule', 'outcome', 'signal', 'known']
const gap = ['why', 'detail', 'temporary']
const signal = ['key', 'evidence', 'turn', ...place]
const usage = ['tokens_in', 'tokens_out', 'latency_ms']

/** What is in the fields of `svc/check@1`. */
export const insideCheck: Inside = {
  versions,
  policy: [...rules, 'overrides', 'rates', 'confidence', 'minJudged', 'maxTokens', 'deadlineMs'],
  'policy.overrides': ['files', ...rules],
  'policy.rates': ['of', 'max'],
  'policy.rates.of': ['outcome', 'signal'],
  results,
  outcomes: 'any',
  signals: 'any',
  rates: ['of', 'max', 'hits', 'n', 'verdict', 'before', 'common', 'culprits'],
  'rates.common': ['hits', 'n'],
  'rates.of': ['outcome', 'signal'],
  'rates.culprits': identity,
  options: 'any',
  error: ['kind', 'message', 'details', 'hint'],
  unmatched: ['kind', 'name', 'rules', 'meant'],
  requests: ['sent', 'cached', 'same'],
  usage,
  losses: ['code', 'what', 'why', 'count'],
  redacted: 'any',
  baseline: ['path', 'sha256', 'missing', 'counts', 'edited', 'stale', 'updated'],
  'baseline.missing': [...identity, 'outcome', 'outside'],
  'baseline.counts': ['new', 'worse', 'same', 'better'],
  left_out: ['why', 'count', 'paths'],
  cases: [
    ...[...identity, ...place, 'result', 'outcome', 'reasons', 'gap', 'summary', 'outcome_notes', 'annotator_version'],
    ...['taxonomy_version', 'usage', 'signals', 'answer', 'votes', 'flaky', 'change', 'before'],
    ...['before_signals', 'turns'],
  ],
  'cases.reasons': reason,
  'cases.gap': gap,
  // What the service says, which may come to be more.
  'cases.summary': 'any',
  'cases.usage': 'any',
  'cases.signals': signal,
  'cases.turns': ['role', 'content', ...place],
}

const under = (path: string, names: readonly string[], inside: Inside): Inside => ({
  [path]: names,
  ...Object.fromEntries(Object.entries(inside).map(([name, known]) => [`${path}.${name}`, known])),
})
const both = (path: string, names: readonly string[], inside: Inside = {}): Inside => ({
  ...under(`${path}before`, names, inside),
  ...under(`${path}after`, names, inside),
})
const turnover = (path: string, names: readonly string[]): Inside =>
  under(path, ['began', 'ceased'], { began: names, ceased: names })

/** What is in the fields of `svc/report-diff@1`. */
export const insideDiff: Inside = {
  unlike: ['what', 'before', 'after'],
  ...both(
    '',
    ['verdict', 'exit', 'line', 'annotator', 'versions', 'total', 'judged', 'results', 'outcomes', 'signals', 'flaky'],
    { versions, results, outcomes: 'any', signals: 'any' },
  ),
  moves: ['worse', 'both', 'unjudged', 'judged', 'added', 'other', 'gone', 'better', 'same'],
  rates: ['of', 'before', 'after'],
  'rates.of': ['outcome', 'signal'],
  ...both('rates.', ['max', 'hits', 'n', 'verdict']),
  cases: ['move', 'before', 'after', 'reasons', 'signals'],
  ...both('cases.', [...identity, ...place, 'result', 'outcome', 'gap', 'flaky'], { gap }),
  ...turnover('cases.reasons', reason),
  ...turnover('cases.signals', signal),
}
