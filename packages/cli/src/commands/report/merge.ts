import { mergeReports } from '../../checks/merge-and-diff/merge.js'
import type { NamedReport } from '../../checks/merge-and-diff/merge-comparable.js'
import { readReport } from '../../checks/merge-and-diff/read-report.js'
import { deliver, refuseUnwritable } from '../../reports/deliver.js'
import { placesOf } from '../../reports/targets.js'
import type { Work } from '../act.js'
import type { ReportFlags } from '../flags.js'
import { reportFiles } from './files.js'

export const mergeReportsIn: Work<[string[]], ReportFlags> = async (context, [paths], flags) => {
  const { io } = context
  const targets = flags.report ?? []
  await refuseUnwritable(context, targets)
  const written = placesOf(targets).map(({ path }) => path)
  const [first, ...others] = await reportFiles(io, paths, written)
  const named = async (from: string): Promise<NamedReport> => ({ from, report: await readReport(io, from) })
  const parts: [NamedReport, ...NamedReport[]] = [await named(first)]
  for (const path of others) parts.push(await named(path))
  const report = mergeReports(parts)
  if (report.baseline?.stale) context.say(`note: the baseline is out of date: ${report.baseline.stale}`)
  return deliver(context, report, flags)
}
