export { policyNames } from './extended.js'
export * from './find.js'
export { policyChecks } from './flaws.js'
export * from './in-force.js'
export { policyJsonSchema } from './json-schema.js'
export * from './overrides.js'
export * from './owner.js'
export * from './policy.js'
export * from './policy-file.js'
export * from './read-policy.js'
export {
  defaults,
  overrideKeys,
  type PolicyJson,
  parseShare,
  policyKeys,
  policySchema,
  rateInForce,
  rateKeys,
} from './schema.js'
