export { bodyDigest, type Cache, openCache } from './cache.js'
export { cachedAnswers } from './cached-answers.js'
