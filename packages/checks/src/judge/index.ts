export {
  canFail,
  conclude,
  concludeError,
  defaultFacts,
  type Facts,
  gateExits,
  type RunEnd,
  stoppedExits,
} from './conclude.js'
export { type Judgement, judge, notAnnotated } from './judge.js'
export { isHit, rateVerdict, wilson } from './rates.js'
export { clusterOf, fieldValues, type Tags, tagsOf } from './tags.js'
