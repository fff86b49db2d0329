import { escapeJson } from '@svc/text'
import type { CheckReport } from '../report/index.js'

/** The report as JSON, with a line for each transcript. */
export function* json(report: CheckReport): Generator<string> {
  const { cases, ...head } = report
  yield `${escapeJson(head, 2).replace(/\n\}$/, '')},\n  "cases": [`
  for (const [at, each] of cases.entries()) yield `${at > 0 ? ',' : ''}\n    ${escapeJson(each)}`
  yield `${cases.length > 0 ? '\n  ' : ''}]\n}\n`
}

/** A report without the turns of its transcripts. */
export const withoutTurns = (report: CheckReport): CheckReport => ({
  ...report,
  cases: report.cases.map(({ turns, ...each }) => each),
})
