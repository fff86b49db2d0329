export type { Finder, Range, RedactKind } from './finders.js'
export { type Redactable, type Redacted, type RedactPattern, type RedactRules, redact } from './redact.js'
