export {
  addCounts,
  asViolations,
  type GuardFlags,
  guard,
  ownKeys,
  type RedactName,
  redactionLine,
  redactKinds,
  refuseSecrets,
  secretsHint,
} from './guard.js'
