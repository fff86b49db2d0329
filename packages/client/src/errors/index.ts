export { ambiguousWriteError, connectionError, maskKey, rateLimitedError, serviceError } from './create-errors.js'
export { errorKindOf } from './error-body.js'
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
