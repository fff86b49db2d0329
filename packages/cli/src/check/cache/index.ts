export { bodyDigest, type Cache, openCache } from './cache.js'
export { recallFrom } from './recall.js'
