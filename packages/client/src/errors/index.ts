export { ambiguous, disconnected, errorKindOf, masked, refused, refusedAtGate } from './error-body.js'
export {
  AmbiguousWriteError,
  type Attempt,
  ConnectionError,
  type ErrorContext,
  type ErrorKind,
  type FieldError,
  type Fingerprint,
  InputError,
  type InputReason,
  type Phase,
  ServiceError,
  SvcError,
  type Violation,
} from './errors.js'
export { failureOf, type NetworkFailure, reasonOf } from './network-errors.js'
