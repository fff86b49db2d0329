import type { Rule } from '../trial.js'
import * as access from './access.js'
import * as annotationSurface from './annotation-surface.js'
import * as errors from './errors.js'
import * as lists from './lists.js'
import * as records from './records.js'
import * as sizes from './sizes.js'

/** Every rule of the interface that can be tried on any service. */
export const rules: readonly Rule[] = [
  ...annotationSurface.rules,
  ...access.rules,
  ...errors.rules,
  ...records.rules,
  ...lists.rules,
  ...sizes.rules,
]
