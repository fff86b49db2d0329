import {
  AmbiguousWriteError,
  ConnectionError,
  type ErrorKind,
  InputError,
  misconfigurationOf,
  ServiceError,
} from './errors/index.js'

/**
 * The next step after an error: correct the input, base URL or certificate; check the key; check the id; correct the
 * request, or whom it was sent to; try again later; reconcile a write that may be stored; report a bug.
 */
export type NextStep = 'fix_input' | 'check_key' | 'check_id' | 'fix_request' | 'try_later' | 'reconcile' | 'report_bug'

const byKind: Partial<Record<ErrorKind, NextStep>> = {
  authentication: 'check_key',
  permission: 'check_key',
  not_found: 'check_id',
  rate_limited: 'try_later',
  unavailable: 'try_later',
}

/**
 * The next step after an error of the client. Any error that is not one of the client is `report_bug`: ask first if your own
 * signal was aborted, whose reason a call throws.
 *
 * @example
 * await svc.transcripts.upload(id, upload).catch((error) => {
 *   if (nextStep(error) === 'try_later') return queue.push(upload)
 *   throw error
 * })
 */
export function nextStep(error: unknown): NextStep {
  if (error instanceof InputError && error.reason === 'id_reused') return 'fix_request'
  if (error instanceof InputError)
    return error.reason === 'missing_key' || error.reason === 'invalid_key' ? 'check_key' : 'fix_input'
  if (error instanceof ServiceError)
    return error.incomplete === 'moved' ? 'try_later' : (byKind[error.kind] ?? 'fix_request')
  if (error instanceof ConnectionError) {
    return misconfigurationOf(error.attempts.at(-1)?.cause ?? '') ? 'fix_input' : 'try_later'
  }
  return error instanceof AmbiguousWriteError ? 'reconcile' : 'report_bug'
}
