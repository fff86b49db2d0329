export { bodyDigest, type Cache, cachedAnswers, openCache } from './cache.js'
