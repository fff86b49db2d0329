import { diffReports } from '../../checks/merge-and-diff/diff.js'
import { refuseIncomparable } from '../../checks/merge-and-diff/merge-comparable.js'
import { readReport } from '../../checks/merge-and-diff/read-report.js'
import type { ReportDiff } from '../../checks/merge-and-diff/report-diff.js'
import { exit } from '../../exit.js'
import { refuseStdinTwice } from '../../input/glob.js'
import { refuseShared, refuseUnwritable } from '../../reports/deliver.js'
import type { Work } from '../act.js'
import { deliverDiff, deliverDiffError } from './deliver-diff.js'
import type { DiffTarget } from './diff-formats.js'
import { readPlaces } from './files.js'

interface DiffFlags {
  report?: readonly DiffTarget[]
  exitCode?: boolean
  anyway?: boolean
}

export const diffOfReports: Work<[before: string, after: string], DiffFlags> = async (context, paths, flags) => {
  const { io } = context
  const [before, after] = paths
  const targets = flags.report ?? []
  await refuseShared(context, targets, readPlaces(paths))
  let diff: ReportDiff
  try {
    await refuseUnwritable(context, targets)
    refuseStdinTwice(paths)
    const [was, is] = [await readReport(io, before), await readReport(io, after)]
    if (!flags.anyway) refuseIncomparable({ from: before, report: was }, { from: after, report: is })
    diff = diffReports(was, is)
  } catch (error) {
    await deliverDiffError(context, error, targets, paths)
    throw error
  }
  return deliverDiff(context, diff, targets, flags.exitCode ? verdictOf(diff) : exit.ok)
}

const verdictOf = ({ comparable, worse }: ReportDiff) =>
  comparable ? (worse ? exit.gateFailed : exit.ok) : exit.notJudged
