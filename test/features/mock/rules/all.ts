import { rules as contractRules } from '../../../../packages/reference-server/src/contract/rules/index.js'
import * as accessAmbiguities from './access-ambiguities.rules.js'
import * as annotationFields from './annotation-fields.rules.js'
import * as annotations from './annotations.rules.js'
import * as answerAmbiguities from './answer-ambiguities.rules.js'
import * as authentication from './authentication.rules.js'
import * as batches from './batches.rules.js'
import * as bytes from './bytes.rules.js'
import * as callerGone from './caller-gone.rules.js'
import * as cors from './cors.rules.js'
import * as counts from './counts.rules.js'
import * as dates from './dates.rules.js'
import * as description from './description.rules.js'
import * as faults from './faults.rules.js'
import * as filters from './filters.rules.js'
import * as health from './health.rules.js'
import * as isolation from './isolation.rules.js'
import * as jsonBody from './json-body.rules.js'
import * as legacy from './legacy.rules.js'
import * as lengths from './lengths.rules.js'
import * as listAmbiguities from './list-ambiguities.rules.js'
import * as methods from './methods.rules.js'
import * as order from './order.rules.js'
import { overTrial } from './over-trial.js'
import * as paging from './paging.rules.js'
import * as paths from './paths.rules.js'
import * as permissions from './permissions.rules.js'
import * as pipeline from './pipeline.rules.js'
import * as projectFields from './project-fields.rules.js'
import * as rateLimits from './rate-limits.rules.js'
import * as recordAmbiguities from './record-ambiguities.rules.js'
import type { Rule } from './rule.js'
import * as saturation from './saturation.rules.js'
import * as search from './search.rules.js'
import * as shapes from './shapes.rules.js'
import * as states from './states.rules.js'
import * as strictInput from './strict-input.rules.js'
import * as uploadFields from './upload-fields.rules.js'
import * as windows from './windows.rules.js'

/** Every rule: those of the contract, which run on any service, and those of the reference server. */
export const rules: readonly Rule[] = [
  ...contractRules.map(overTrial),
  // In the order of the interface description.
  ...health.rules,
  ...annotations.rules,
  ...annotationFields.rules,
  ...batches.rules,
  ...shapes.rules,
  ...counts.rules,
  ...states.rules,
  ...pipeline.rules,
  ...projectFields.rules,
  ...uploadFields.rules,
  ...jsonBody.rules,
  ...strictInput.rules,
  ...paging.rules,
  ...search.rules,
  ...filters.rules,
  ...dates.rules,
  ...legacy.rules,
  ...authentication.rules,
  ...permissions.rules,
  ...isolation.rules,
  ...order.rules,
  ...lengths.rules,
  ...bytes.rules,
  ...windows.rules,
  ...rateLimits.rules,
  ...saturation.rules,
  ...faults.rules,
  ...callerGone.rules,
  ...description.rules,
  ...paths.rules,
  ...methods.rules,
  ...cors.rules,
  ...accessAmbiguities.rules,
  ...listAmbiguities.rules,
  ...recordAmbiguities.rules,
  ...answerAmbiguities.rules,
]
