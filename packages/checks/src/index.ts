export { faultsIn, isAnnotation, type Usage, usageOf } from './ask/annotation-shape.js'
export { type Answered, type AskOptions, askAll, outageThreshold, type Question } from './ask/ask.js'
export { type AttemptLimits, type AttemptResult, needsAnotherAttempt } from './ask/attempts.js'
export { type Listing, lookUpAnnotator, unlistedText } from './ask/versions.js'
export {
  type Baseline,
  baselineReport,
  checkedPlaces,
  digestOf,
  foundBaseline,
  type Identity,
  type Matched,
  matchBaseline,
  type NextBaseline,
  nextBaseline,
  notComparable,
  pathFrom,
  readBaseline,
  refuseUnwritableBaseline,
  writeBaseline,
} from './baseline/index.js'
export { bodyDigest, type Cache, cachedAnswers, openCache } from './cache.js'
export {
  type CaseDiff,
  diffReports,
  type History,
  type HistoryRun,
  historyOf,
  type Move,
  mergeReports,
  type NamedReport,
  type RateDiff,
  type ReportDiff,
  type ReportSide,
  readReport,
  refuseIncomparable,
} from './compare/index.js'
export { annotationOf, type Case, firedIn, reportCase, withUnread } from './judge/cases.js'
export { conclude, concludeError } from './judge/conclude.js'
export { gapOf, judge } from './judge/judge.js'
export { isHit } from './judge/rates.js'
export { type Tags, tagsOf } from './judge/tags.js'
export {
  type Contradiction,
  contradictionsIn,
  contradictionsWith,
  defaultPolicy,
  type FilePolicy,
  type FoundPolicy,
  findPolicyFile,
  isOnScale,
  type PolicyFile,
  type PolicyJson,
  parseShare,
  policyKeys,
  policyNames,
  readPolicyFile,
  rulesFor,
  unmatchedPatterns,
} from './policy/index.js'
export {
  type DiffForm,
  diffForms,
  type HistoryForm,
  historyForms,
  type ReportForm,
  render,
  renderDiff,
  renderHistory,
  renderNotCompared,
  renderPage,
  reportForms,
  withoutTurns,
} from './renderers/index.js'
export {
  type CheckReport,
  type Circumstances,
  caseLabel,
  type Escape,
  evidenceText,
  type FieldsByPath,
  type Gap,
  gapText,
  indeterminates,
  isEnoughJudged,
  type Level,
  money,
  moneyText,
  numberText,
  type Override,
  type Policy,
  placeOf,
  type Rate,
  type Rules,
  reasonText,
  reportFields,
  type Selection,
  scale,
  sumOf,
  unmatchedLines,
} from './report/index.js'
export {
  type Checked,
  type CheckedAnnotation,
  type CheckedTranscript,
  type CheckRule,
  type Checks,
  defineChecks,
  type Finding,
  type SignalRules,
} from './rules/checks.js'
export { type CustomResult, type CustomRules, nothingFound, runRules } from './rules/index.js'
export { type SelectionRule, select, selectsUnread } from './selection.js'
