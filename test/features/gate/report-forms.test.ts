import { compareReports, comparisonForms, render, renderComparison, reportForms } from '@svc/checks'
import { expect, it } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../../packages/checks/test/fixtures/report.js'
import { isReportText } from '../../../packages/cli/src/input/index.js'

const before = reportOf([caseOf()])
const after = reportOf([failedCase({ turns: [] }), missingCase()])

/** The beginning of a file, by which its format is recognized. */
const headOf = (parts: Iterable<string>): string => [...parts].join('').slice(0, 4096)

it.each(reportForms)('recognizes a report as %s, which is no transcript', async (form) => {
  expect(isReportText(headOf(await render(after, form)))).toBe(true)
})

it.each(comparisonForms)('recognizes a comparison of reports as %s', async (form) => {
  const comparison = compareReports({ from: 'a.json', report: before }, { from: 'b.json', report: after })
  expect(isReportText(headOf(await renderComparison(comparison, form)))).toBe(true)
})
