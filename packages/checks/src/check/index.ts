export {
  type Answers,
  askCases,
  createDeadline,
  failuresOf,
  nothingAsked,
} from './ask-cases.js'
export { check } from './check.js'
export { type BaselineUse, concludeCases, concludeEnd, judgeAnswers } from './conclude-cases.js'
export type { CheckInput, Message, TranscriptInput, UnreadableInput } from './input.js'
export { type AnnotatedTranscript, judge } from './judge-annotated.js'
export type { CheckOptions, CheckPolicy, ProgramRule } from './options.js'
export { type Planned, planCases, selectCases } from './plan.js'
export type { CheckResult } from './result.js'
