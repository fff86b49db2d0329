export { conclude, concludeError, defaultFacts, type Facts, gateExits, type RunEnd } from './conclude.js'
export { type Judgement, judge, notAnnotated } from './judge.js'
export { isHit, rateVerdict, wilson } from './rates.js'
export { fieldValues, type Tags, tagsOf } from './tags.js'
