export {
  ambiguousWriteError,
  connectionError,
  errorKindOf,
  maskKey,
  mayRefuseStamp,
  rateLimitedError,
  serviceError,
  tokenNote,
} from './create-errors.js'
export * from './errors.js'
export {
  failureOf,
  isUnsent,
  misconfigurationOf,
  type NetworkFailure,
  reasonOf,
  timedOut,
} from './network-failure.js'
export { safeCause } from './safe-cause.js'
