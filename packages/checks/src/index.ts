/** What the command uses beside the public names. */

export {
  type AnnotationBody,
  type Answer,
  type AttemptLimits,
  annotateWith,
  estimatedTokens,
  lookUpAnnotator,
  needsAnotherAttempt,
  outageThreshold,
  type Question,
  resultsOf,
  stopsRun,
  unlistedText,
  usageOf,
  type Vote,
  voteOf,
} from './ask/index.js'
export { baselineParts, checkedPlaces, type NextBaseline, pathFrom, requiredBaseline } from './baseline/index.js'
export { cachedAnswers } from './cache.js'
export {
  type Answers,
  askCases,
  type BaselineUse,
  concludeCases,
  concludeEnd,
  createDeadline,
  failuresOf,
  judgeAnswers,
  nothingAsked,
  type Planned,
  planCases,
  selectCases,
} from './check/index.js'
export {
  diffFields,
  diffReports,
  type History,
  historyFields,
  historyOf,
  mergeReports,
  type NamedReport,
  type ReportDiff,
  readReport,
  refuseIncomparable,
} from './compare/index.js'
export { nodeDisk } from './environment.js'
export {
  annotationOf,
  type Case,
  concludeError,
  isPointedAt,
  type Tags,
  tagsOf,
} from './judge/index.js'
export {
  type Contradiction,
  contradictionsIn,
  contradictionsWith,
  defaultPolicy,
  type FilePolicy,
  findPolicyFile,
  isOnScale,
  type PolicyJson,
  parseShare,
  policyKeys,
  policyNames,
  readPolicyFile,
  rulesFor,
  unmatchedPatterns,
  withDefaults,
} from './policy/index.js'
export * from './public.js'
export type { ReportForm } from './renderers/index.js'
export {
  type DiffForm,
  diffForms,
  type HistoryForm,
  historyForms,
  render,
  renderDiff,
  renderHistory,
  renderNotCompared,
  renderPage,
  reportForms,
  withoutTurns,
} from './renderers/index.js'
export {
  type Circumstances,
  caseLabel,
  type FieldsByPath,
  indeterminates,
  isEnoughJudged,
  type Level,
  money,
  moneyText,
  numberText,
  type Override,
  placeOf,
  type Rate,
  type Rules,
  reportFields,
  type Selection,
  scale,
  sumOf,
  unmatchedLines,
} from './report/index.js'
export type { CustomRules } from './rules/index.js'
export { type SelectionRule, selectsUnread } from './selection.js'
