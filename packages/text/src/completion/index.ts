export { type KnownKind, knownText } from './known.js'
export { type CompletedCommand, type CompletedFlag, type CompletedValue, completionScripts } from './scripts.js'
