export { type CheckedRequest, findProblems } from './find.js'
export { violationDocument, violationJUnit, violationLine, violationSummary } from './report.js'
export { type RequestViolation, Violations } from './violations.js'
