import type { Unread } from '../reading.js'
import type { ReportCase } from './report.js'

/** The report's case for a file or record that could not be read as a transcript: not judged. */
export const unreadCase = ({ path, record, at, why, detail }: Unread): ReportCase => ({
  ...{ path, record, part: 1, name: path.replace(/^.*[/\\](?=.)/s, '') },
  ...{ line: at?.line ?? null, column: at?.column ?? null },
  ...{ result: 'not judged', outcome: null, reasons: [], gap: { why, detail, temporary: false } },
  ...{ summary: null, outcome_notes: null, annotator_version: null, taxonomy_version: null, usage: null },
  ...{ signals: [], answer: null, votes: [], flaky: false, change: null },
  ...{ before: null, before_signals: null },
})

/** The cases of transcripts with those of what could not be read, in the order of the input. */
export function withUnread(cases: readonly ReportCase[], unread: readonly Unread[]): ReportCase[] {
  const all: ReportCase[] = []
  let at = 0
  for (const each of unread) {
    while (at < Math.min(each.after, cases.length)) all.push(cases[at++] as ReportCase)
    all.push(unreadCase(each))
  }
  return [...all, ...cases.slice(at)]
}
