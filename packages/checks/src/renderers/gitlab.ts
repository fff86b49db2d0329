import { cut, escapeJson, escapeLine } from '@svc/text'
import { contentKey, isSameTranscript } from '../identity.js'
import {
  asIs,
  type CheckReport,
  caseTitle,
  evidenceText,
  failingNotes,
  failsCheck,
  gapText,
  hitTexts,
  maxExcerpt,
  type Reason,
  type ReportCase,
  rateText,
  reasonText,
} from '../report/index.js'
import { findingId, placeInRepository } from './from-root.js'

interface Finding {
  check: string
  severity: 'minor' | 'major' | 'critical' | 'blocker'
  text: string
  at: { path: string; line: number | null; column: number | null }
  /** The values that identify the finding among those of its check. */
  key: readonly unknown[]
}

/**
 * The report as GitLab's Code Quality JSON: an issue for each broken rule of a failed transcript, for each rate that fails
 * or is undecided, for each transcript that is not judged, and for a check that ended early.
 */
export function* gitlab(report: CheckReport): Generator<string> {
  yield '['
  const seen = new Map<string, number>()
  let written = 0
  for (const finding of findingsOf(report)) {
    const { check, key } = finding
    const id = findingId([report.annotator, check, ...key])
    const nth = (seen.get(id) ?? 0) + 1
    seen.set(id, nth)
    yield `${written++ > 0 ? ',' : ''}\n  ${escapeJson(issueOf(finding, nth > 1 ? findingId([id, nth]) : id))}`
  }
  yield `${written > 0 ? '\n' : ''}]\n`
}

/** An issue. Its fingerprint identifies it from run to run, and is unique in the report. */
function issueOf({ check, severity, text, at }: Finding, fingerprint: string) {
  // GitLab needs a place in the repository; standard input has none.
  const { path, line } = placeInRepository(at) ?? { path: 'stdin', line: null }
  return {
    description: cut(escapeLine(text), maxExcerpt),
    check_name: `svc/${escapeLine(check)}`,
    fingerprint,
    severity,
    location: { path, lines: { begin: Math.max(1, line ?? 1) } },
  }
}

function* findingsOf(report: CheckReport): Generator<Finding> {
  const { cases, rates, error, line, paths } = report
  // GitLab ignores an issue whose path begins with a dot and a slash.
  const first = { path: paths?.[0]?.replace(/^(?:\.\/+)+(?=.)/, '') ?? 'svc.checks.json', line: null, column: null }
  if (error) yield { check: 'error', severity: 'blocker', text: line, at: first, key: [] }
  for (const each of cases) {
    if (each.result === 'failed') yield* brokenBy(each)
    else if (each.gap) {
      const text = `${caseTitle(each)} is not judged: ${gapText(each.gap, asIs)}`
      yield { check: 'not-judged', severity: 'minor', text, at: each, key: keyOf(each) }
    }
  }
  for (const rate of rates) {
    if (!failsCheck(rate) && rate.verdict !== 'cannot tell') continue
    const [culprit] = rate.culprits
    const culpritCase = cases.find((each) => culprit && isSameTranscript(each, culprit))
    const names = hitTexts(rate, report.cases, asIs).join('; ')
    yield {
      check: 'rate',
      severity: failsCheck(rate) ? 'major' : 'minor',
      at: culpritCase ?? first,
      text: `${rateText(rate)}${names && `: ${names}`}`,
      key: [rate.of, rate.max, rate.by, rate.slice],
    }
  }
}

function* brokenBy(each: ReportCase): Generator<Finding> {
  for (const reason of each.reasons.filter(({ known }) => !known)) {
    const signal = 'signal' in reason ? each.signals.find(({ key }) => key === reason.signal) : undefined
    const notes = reason.rule === 'outcome' ? failingNotes(each) : ''
    const why = signal ? evidenceText(signal, asIs) : notes && `“${notes}”`
    yield {
      check: checkOf(reason),
      severity: each.outcome === 'critical' ? 'critical' : 'major',
      text: `${caseTitle(each)}: ${reasonText(reason, asIs)}${why && `: ${why}`}`,
      at: signal?.line == null ? each : { path: each.path, line: signal.line, column: signal.column },
      key: keyOf(each),
    }
  }
}

const checkOf = (reason: Reason): string =>
  reason.rule === 'outcome' ? 'outcome' : `${reason.rule.replace(' ', '-')}/${reason.signal}`

/** Files are renamed and lines move, so they do not identify a transcript. */
const keyOf = (each: ReportCase): unknown[] => [contentKey(each), each.occurrence]
