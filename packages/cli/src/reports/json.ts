import type { CheckReport } from '@svc/report-viewer'
import { inertJson } from '../terminal/index.js'

export function* json(report: CheckReport): Generator<string> {
  const { cases, ...head } = report
  yield `${inertJson(head, 2).replace(/\n\}$/, '')},\n  "cases": [`
  for (const [at, each] of cases.entries()) yield `${at > 0 ? ',' : ''}\n    ${inertJson(each)}`
  yield `${cases.length > 0 ? '\n  ' : ''}]\n}\n`
}

export const withoutTurns = (report: CheckReport): CheckReport => ({
  ...report,
  cases: report.cases.map(({ turns, ...each }) => each),
})
