export {
  ambiguousWriteError,
  connectionError,
  errorKindOf,
  failureOf,
  maskKey,
  type NetworkFailure,
  rateLimitedError,
  reasonOf,
  serviceError,
} from './create-errors.js'
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
  type ViolationCode,
} from './errors.js'
export { safeCause } from './safe-cause.js'
