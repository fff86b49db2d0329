import { asIs, type CheckReport, type Named, rateSubject, reasonText } from '../report/index.js'
import { pick } from '../values.js'
import { type NamedReport, reasonKey, withKeys } from './comparable.js'

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
  const findings = reports.map(({ report }) => findingsOf(report))
  const last = findings.at(-1) ?? new Map<string, Finding>()
  const began = [...last].map(([key, { named, text }]): Began => {
    // A run that did not judge the transcript does not end the row.
    let since = reports.length - 1
    for (let at = since - 1; at >= 0; at--) {
      if (findings[at]?.has(key)) since = at
      else if (wasJudged(reports[at]?.report, named)) break
    }
    const runs = findings.slice(since).filter((of) => of.has(key)).length
    return { ...named, finding: text, since: reports[since]?.from ?? '', runs }
  })
  const order = new Map(reports.map(({ from }, at) => [from, at]))
  const at = ({ since }: Began) => order.get(since) ?? 0
  return {
    schema: 'svc/report-history@1' as const,
    runs: reports.map(runOf),
    began: began.sort((a, b) => at(b) - at(a) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.record - b.record)),
  }
}

type Finding = { named: Named; text: string }

/** The broken rules of the failed transcripts by transcript and rule; those of the baseline count too. */
function findingsOf({ cases }: CheckReport): Map<string, Finding> {
  const found = new Map<string, Finding>()
  for (const { key, each } of withKeys(cases)) {
    const named = pick(each, ['path', 'record', 'part', 'name', 'sha256', 'occurrence'])
    for (const reason of each.reasons)
      found.set(`${key} ${reasonKey(reason)}`, { named, text: reasonText(reason, asIs) })
  }
  return found
}

const wasJudged = (report: CheckReport | undefined, { path, record, part }: Named): boolean =>
  report?.cases.some(
    (each) => each.path === path && each.record === record && each.part === part && each.outcome !== null,
  ) === true

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
