export { isSamePath, type NamedReport, refuseIncomparable, withKeys } from './comparable.js'
export {
  type CaseDiff,
  diffReports,
  type Move,
  type RateDiff,
  type ReportDiff,
  type ReportSide,
} from './diff.js'
export { type History, type HistoryRun, historyOf } from './history.js'
export { mergeReports } from './merge.js'
export { readReport } from './read-report.js'
