import fc from 'fast-check'
import type { CheckReport, ReportCase } from '../checks/report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../checks/report-fixture.js'

/** What means something to a terminal, XML, Markdown, HTML, a workflow command, SARIF or a URI. */
export const signs = [
  ...['\0', '\b', '\t', '\n', '\r', '\r\n', '\u001b[2J', '\u007f', '\u0085', '\u009b', '\u061c', '\u200f', '\u2028'],
  ...['\u202e', '\u2066', '\ud800', '\udc00', '\ufffe', '\uffff', '\ufeff', '<', '>', '&', '&amp;', '"', "'", ']]>'],
  ...['<!--', '-->', '<b>', '</details>', '<?', '`', '``', '```', '~~~', '|', '\\', '*', '_', '~', '#', '#1', '@user'],
  ...[':tada:', '[a](b)', '![a](b)', '[', ']', '(', ')', 'https://x.example', 'www.x.example', 'a@b.example', '$x$'],
  ...['\n\n# h', '\n- i', '\n> q', '\n---\n', '\n::error::x', '::', ':', ',', '=', '%', '%0A', '%25', '##[error]x'],
  ...['::stop-commands::x', '{', '}', '{0}', '{{', '../', '//', '/', '?', '+', ' ', '  ', 'a', 'Z', '0', 'ü', '🙂'],
]

/** Somebody's text, made to break out of wherever it is put. */
export const hostileText = fc.oneof(
  fc.array(fc.constantFrom(...signs), { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

const text = hostileText

/** A transcript of which everything that comes from a service or a file is hostile. */
export const hostileCase: fc.Arbitrary<ReportCase> = fc
  .record({ path: text, name: text, outcome: text, title: text, notes: text, key: text, evidence: text, detail: text })
  .chain((all) =>
    fc.constantFrom(
      ...(['failed', 'known', 'not judged', 'warned', 'passed'] as const).map((result) => hostileOf(all, result)),
    ),
  )

function hostileOf(
  all: Record<'path' | 'name' | 'outcome' | 'title' | 'notes' | 'key' | 'evidence' | 'detail', string>,
  result: ReportCase['result'],
): ReportCase {
  const { path, name, outcome, title, notes, key, evidence, detail } = all
  const more = {
    path,
    name,
    annotator_version: title,
    taxonomy_version: notes,
    before: detail,
    change: 'worse' as const,
  }
  const isKnown = result === 'known'
  if (result === 'not judged') return missingCase({ ...more, gap: { why: 'not annotated', detail, temporary: true } })
  return failedCase({
    ...{ ...more, result, outcome, outcome_notes: notes, flaky: true, votes: [outcome, 'strong'] },
    summary: { title, keywords: [title], summary: notes, quality_concerns: '', user_intent: title, domain: title },
    signals: [
      { key, evidence, turn: 2, line: 3, column: 5 },
      { key: evidence, evidence: key, turn: 99, line: null, column: null },
    ],
    reasons: [
      { rule: 'outcome', outcome, known: isKnown },
      { rule: 'forbidden', signal: key, known: isKnown },
      { rule: 'required', signal: title, known: isKnown },
    ],
  })
}

const calls = (n: number) => `globalThis.ran=(globalThis.ran??0)+1;alert(${n})`

/** What would run in a page if it came to stand in one as it is; each of its calls counts itself. */
export const attack = [
  `</script><script>${calls(1)}</script>`,
  `<!--<script>${calls(2)}`,
  `<img src=x onerror="${calls(3)}">`,
  `</style><svg onload="${calls(4)}">`,
  `</noscript></template></title><iframe srcdoc="<script>${calls(5)}</script>"></iframe>`,
  `"'&\`\${${calls(6)}}{{constructor.constructor('${calls(7)}')()}}`,
  'javascript:alert(8) \u2028\u2029\u202e\u0000\ud800 __proto__',
].join(' ')

/** A report of three transcripts in which everything that comes from a service or a file is one text. */
export function reportSaying(text: string): CheckReport {
  const [versions, at] = [
    { annotator_version: text, taxonomy_version: text },
    { path: text, name: text },
  ]
  const told = { ...at, ...versions, outcome: text, before: text, outcome_notes: text, votes: [text, text] }
  const summary = { title: text, keywords: [text], summary: text, quality_concerns: text, user_intent: text }
  const cases = [
    failedCase({
      ...{ ...told, summary: { ...summary, domain: text }, flaky: true, change: 'new' },
      signals: [1, 2, 99, null].map((turn) => ({ key: text, evidence: text, turn, line: 1, column: 1 })),
      reasons: (['forbidden', 'required'] as const).map((rule) => ({ rule, signal: text, known: true })),
      turns: [
        { role: text, content: `Before. ${text} After.`, line: 1, column: 1 },
        { role: '__proto__', content: text, line: null, column: null },
      ],
    }),
    missingCase({ name: text, gap: { why: 'not annotated', detail: text, temporary: true } }),
    caseOf({
      ...{ ...told, outcome: '__proto__' },
      signals: [{ key: '__proto__', evidence: '', turn: 1, line: null, column: null }],
    }),
  ]
  const baseline = {
    ...{
      path: text,
      stale: text,
      edited: 1,
      sha256: null,
      updated: true,
      counts: { new: 1, worse: 0, same: 0, better: 0 },
    },
    missing: [{ ...at, record: 1, part: 2, outcome: text }],
  }
  const losses = [{ code: 'dropped' as const, what: text, why: text, count: 1 }]
  return { ...reportOf(cases, { annotator: text, losses, redacted: { [text]: 1 }, baseline }), line: text }
}
