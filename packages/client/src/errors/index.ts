export {
  ambiguousWriteError,
  connectionError,
  errorKindOf,
  failureOf,
  maskKey,
  mayRefuseStamp,
  type NetworkFailure,
  rateLimitedError,
  reasonOf,
  serviceError,
} from './create-errors.js'
export * from './errors.js'
export { safeCause } from './safe-cause.js'
