import * as health from './health.rules.js'
import type { Rule } from './rule.js'

/** Every rule of the interface, from every file of rules: one import and one line each. */
export const rules: readonly Rule[] = [
  // In the order of the interface description.
  ...health.rules,
]
