import fc from 'fast-check'
import type { ReportCase } from '../checks/report.js'
import { failedCase, missingCase } from '../checks/report-fixture.js'

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
