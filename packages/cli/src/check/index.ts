export { type AskedTogether, askAll, outageAfter, type Question, type Way } from './asking.js'
export { annotationOf, type Case, reportCase, withUnread } from './cases.js'
export { type Circumstances, conclude, concludeError } from './conclude.js'
export { gapOf, judge } from './judge.js'
export { listedVersions } from './registry.js'
export {
  type BaselineReport,
  type Change,
  type CheckReport,
  type Gap,
  type MissingTranscript,
  type Named,
  type RateReport,
  type ReportCase,
  type ReportSignal,
  type ReportTurn,
  type Result,
  results,
} from './report.js'
export { fails, isEnoughJudged, isHit } from './verdict.js'
export { rateText } from './verdict-line.js'
export type { Versions } from './versions.js'
export { type AttemptResult, type Attempts, asksAgain } from './votes.js'
export {
  asIs,
  badness,
  circumstancesOf,
  culpritIn,
  endIn,
  gapIn,
  historyOf,
  labelOfCase,
  longest,
  notesIn,
  placeOf,
  rateName,
  reasonIn,
  type Show,
  sizesOf,
  unmatchedLines,
  whereOf,
  worstFirst,
} from './wording.js'
