import type { Baseline, NextBaseline } from '../baseline/index.js'
import { CheckError } from '../check-error.js'
import { type OutputForm, type RenderOptions, render } from '../renderers/index.js'
import {
  type Acceptance,
  asIs,
  type CheckReport,
  caseLabel,
  gapText,
  type ReportCase,
  reasonText,
} from '../report/index.js'

/** The result of a check. */
export interface CheckResult {
  /** `not judged`: something is missing, so that the check neither passed nor failed. */
  verdict: CheckReport['verdict']
  /** The judged transcripts, and files that could not be read, in the order of the input. */
  cases: readonly ReportCase[]
  /** Requests that were sent, answers from the cache, and answers shared by equal transcripts. */
  requests: CheckReport['requests']
  /** The tokens of the requests; null if the service does not show them. */
  usage: CheckReport['usage']
  /** The report that `svc check` would write. `line` is the verdict in one line, `exit` the exit code of a gate. */
  report: CheckReport
  /** The error of a run that could annotate nothing. */
  failure?: { error: unknown } | undefined
  /** The baseline that `updateBaseline` wrote, and its changes. */
  updated?: NextBaseline | undefined
  /** Why `updateBaseline` could not write: its findings are not accepted. */
  baselineFailure?: unknown
  /** The report in a form, byte for byte as `svc check --report` writes it. */
  render(form: OutputForm, options?: RenderOptions): Promise<string>
  /**
   * Do nothing if the check passed.
   *
   * @throws {CheckError} with the code `not_passed`, the verdict in one line, and a line for each transcript that fails or is not judged
   */
  assert(): void
  /**
   * All results as a baseline, to be accepted; undefined if one is not judged. `baselineText` is the content of its file.
   * Findings that the baseline of the check does not accept get the given reason, author and expiry.
   *
   * @throws {CheckError} if `expires` is no day such as `2026-12-31`
   */
  nextBaseline(acceptance?: Acceptance): Baseline | undefined
}

export function resultOf(
  report: CheckReport,
  {
    nextBaseline = () => undefined,
    ...ends
  }: Partial<Pick<CheckResult, 'failure' | 'updated' | 'baselineFailure' | 'nextBaseline'>> = {},
): CheckResult {
  const { verdict, cases, requests, usage } = report
  return {
    verdict,
    cases,
    requests,
    usage,
    report,
    nextBaseline,
    ...ends,
    render: async (form, options) => [...(await render(report, form, options))].join(''),
    assert() {
      if (verdict === 'passed') return
      throw new CheckError('not_passed', report.line, { details: cases.flatMap(lineOf) })
    },
  }
}

function lineOf(each: ReportCase): string[] {
  if (each.gap) return [`${caseLabel(each)}: not judged: ${gapText(each.gap, asIs)}`]
  if (each.result !== 'failed') return []
  const reasons = each.reasons.filter(({ known }) => !known).map((reason) => reasonText(reason, asIs))
  return [`${caseLabel(each)}: ${reasons.join('; ')}`]
}
