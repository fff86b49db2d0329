export {
  appliesTo,
  type FaultState,
  Faults,
  faultHeader,
  faultsAfter,
  faultsBefore,
  requestedFault,
  sizeLimit,
} from './faults.js'
export { type Fault, type FaultRule, faultProblem, parseFault } from './rule.js'
