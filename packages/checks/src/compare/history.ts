import { matchContent } from '../identity.js'
import { asIs, type Named, type ReportCase, rateSubject, reasonText } from '../report/index.js'
import { pick } from '../values.js'
import { type NamedReport, reasonKey } from './comparable.js'

export type HistoryRun = ReturnType<typeof runOf>

/** A finding of the last run, and the first of the runs in a row that have it. */
export interface Began extends Named {
  finding: string
  since: string
  /** The number of runs in a row, with the last. */
  runs: number
}

/** The runs in their order, and when each finding of the last one began, the latest first. */
export type History = ReturnType<typeof historyOf>

export function historyOf(reports: readonly NamedReport[]) {
  const last = reports.at(-1)?.report.cases ?? []
  const earlier = reports.slice(0, -1).map(({ report }) => matchContent(report.cases, last).entries)
  const began = last.flatMap((each, at) =>
    [...findingsOf(each)].map(([key, finding]): Began => {
      let [since, runs] = [reports.length - 1, 1]
      for (let run = since - 1; run >= 0; run--) {
        const before = earlier[run]?.[at]
        if (before && findingsOf(before).has(key)) [since, runs] = [run, runs + 1]
        // A run that did not judge the transcript does not end the row.
        else if (before && before.outcome !== null) break
      }
      const named = pick(each, ['path', 'record', 'part', 'name', 'sha256', 'occurrence'])
      return { ...named, finding, since: reports[since]?.from ?? '', runs }
    }),
  )
  const order = new Map(reports.map(({ from }, at) => [from, at]))
  const at = ({ since }: Began) => order.get(since) ?? 0
  return {
    schema: 'svc/report-history@1' as const,
    runs: reports.map(runOf),
    began: began.sort((a, b) => at(b) - at(a) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.record - b.record)),
  }
}

/** The rules that a transcript breaks; those of the baseline count too. */
const findingsOf = ({ reasons }: ReportCase): Map<string, string> =>
  new Map(reasons.map((reason) => [reasonKey(reason), reasonText(reason, asIs)]))

function runOf({ from, report }: NamedReport) {
  return {
    file: from,
    ...pick(report, ['verdict', 'line', 'total', 'judged', 'results', 'outcomes']),
    /** The number of requests that were sent. */
    requests: report.requests.sent,
    ...pick(report, ['usage', 'cost']),
    rates: report.rates.map((rate) => {
      const { hits, n, max, verdict } = rate
      return { name: rateSubject(rate), share: n === 0 ? null : hits / n, max, verdict }
    }),
  }
}
