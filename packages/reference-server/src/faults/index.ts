export {
  type AppliedFault,
  appliesTo,
  type FaultState,
  Faults,
  faultHeader,
  faultsAfter,
  faultsBefore,
  requestedFault,
  sizeLimit,
} from './faults.js'
export {
  type Fault,
  type FaultCondition,
  type FaultRule,
  faultProblem,
  type Latency,
  parseFault,
  type ScriptedStatus,
} from './rule.js'
