import { AmbiguousWriteError, ConnectionError, ServiceError } from '@svc/client'
import type { ObservedRequest } from './observed.js'

/** The effect of a call, as design section 3 names it in its table of retries. */
export type RetryClass = 'read' | 'compute' | 'write' | 'batch' | 'legacy'

/** A call, and how it ended. */
export interface EndedCall {
  name: string
  retryClass: RetryClass
  startedAt: number
  endedAt: number
  /** The limits that it was given. */
  deadlineMs: number
  timeoutMs: number
  attempts: number
  maxRetryAfterMs: number
  /** When its signal was aborted; `isLate`: by the listener of an event that told of an answer. */
  aborted?: { at: number; reason: unknown; isLate: boolean } | undefined
  /** A function that the caller gave was slow or failed. */
  hasOwnFailure: boolean
  end: { value: unknown } | { error: unknown }
}

/** Timers of a clock in whole milliseconds may be late. */
const roundingMs = 2

/** The promises on one call that do not hold. `requests`: those of the call, in order. `all`: those of its client. */
export function brokenCall(
  call: EndedCall,
  requests: readonly ObservedRequest[],
  all: readonly ObservedRequest[],
): string[] {
  const { name, retryClass } = call
  const broken: string[] = []
  const expect = (holds: boolean, promise: string) => {
    if (!holds) broken.push(`${promise}: ${name}`)
  }
  const { startedAt, endedAt, deadlineMs, aborted } = call
  const tookMs = endedAt - startedAt
  expect(tookMs <= deadlineMs + roundingMs, `every call settles within its deadline of ${deadlineMs} ms, not ${tookMs}`)
  if (aborted) {
    expect(endedAt <= Math.max(aborted.at, startedAt), 'aborts take effect at once in every phase')
    const isPassed = 'error' in call.end && call.end.error === aborted.reason
    expect(isPassed || aborted.isLate, `the caller's abort passes through with its own reason, not ${endOf(call)}`)
  }
  for (const { sentAt, end } of requests) {
    expect(end !== undefined, 'no socket or unread body is left behind')
    if (end) expect(end.at - sentAt <= call.timeoutMs + roundingMs, 'timeoutMs: one attempt, through the last byte')
  }
  if ('error' in call.end) broken.push(...brokenError(call, call.end.error, requests, all))
  else expect(retryClass !== 'batch', 'batches: 501 today never resolves')
  return [...broken, ...brokenRetries(call, requests)]
}

const endOf = ({ end }: EndedCall): string => ('error' in end ? String(end.error) : 'a value')

/** "Errors: few kinds, each meaning a different next step." */
function brokenError(
  { name, retryClass, startedAt, endedAt, deadlineMs, aborted, hasOwnFailure }: EndedCall,
  error: unknown,
  requests: readonly ObservedRequest[],
  all: readonly ObservedRequest[],
): string[] {
  if (aborted && error === aborted.reason) return []
  const stores = retryClass === 'write' || retryClass === 'legacy'
  const own = requests.filter(({ method }) => (method === 'POST') === stores || retryClass === 'compute')
  const last = requests.at(-1)?.end
  const isAtDeadline = endedAt >= startedAt + deadlineMs
  if (error instanceof AmbiguousWriteError) {
    const mayBeStored = stores && own.some(({ end }) => end && mayStore(end))
    return mayBeStored ? [] : [`AmbiguousWriteError: a write may or may not have happened: ${name} cannot`]
  }
  if (error instanceof ServiceError) {
    const { status, kind } = error
    const isAnswered =
      requests.some(({ end }) => end?.status === status) ||
      (kind === 'rate_limited' && all.some(({ end }) => end?.status === 429))
    return isAnswered ? [] : [`the service answered no: ${name} had no ${status}`]
  }
  if (error instanceof ConnectionError) {
    const { failure } = last ?? {}
    const isTrue = error.timedOut
      ? isAtDeadline || failure === 'aborted'
      : failure !== undefined && failure !== 'aborted'
    return isTrue ? [] : [`ConnectionError: no answer: ${name}: ${error}`]
  }
  return hasOwnFailure ? [] : [`every error is one of the client's: ${name}: ${error}`]
}

type End = NonNullable<ObservedRequest['end']>

/** The request may have reached the service, and its answer does not say that it stored nothing. */
export const mayStore = ({ status = 0, failure }: End): boolean =>
  failure !== undefined
    ? failure !== 'ECONNREFUSED'
    : status < 300 || status === 408 || (status >= 500 && status !== 501)

/** The table of retries, read once more. `lost`: the number of lost answers so far. */
function mayRepeat(retryClass: RetryClass, { status = 0, failure }: End, lost: number): boolean {
  if (failure === 'ECONNREFUSED' || status === 429) return true
  if (retryClass === 'batch' || retryClass === 'legacy') return false
  if (failure === 'aborted') return retryClass !== 'compute'
  if (failure !== undefined) return retryClass !== 'compute' || lost <= 1
  if (status < 300) return retryClass === 'write'
  if (status === 502 || status === 503) return true
  return (status === 408 || (status >= 500 && status !== 501)) && retryClass !== 'compute'
}

function brokenRetries(
  { name, retryClass, attempts, maxRetryAfterMs }: EndedCall,
  requests: readonly ObservedRequest[],
): string[] {
  const broken: string[] = []
  const isSearch = ({ method }: ObservedRequest) => retryClass === 'write' && method === 'GET'
  const sent = requests.filter((each) => !isSearch(each))
  const counted = sent.filter(({ end }) => end?.status !== 429)
  if (counted.length > attempts) broken.push(`${attempts} attempts: ${name} was sent ${counted.length} times`)
  let lost = 0
  for (const [at, { end }] of sent.entries()) {
    const next = sent[at + 1]
    if (!end || !next) break
    if (end.failure !== undefined && end.failure !== 'aborted' && end.failure !== 'ECONNREFUSED') lost++
    if (!mayRepeat(retryClass, end, lost))
      broken.push(`the table of retries: ${name} (${retryClass}) was sent again after ${end.failure ?? end.status}`)
    const searches = requests
      .slice(requests.indexOf(sent[at] as ObservedRequest), requests.indexOf(next))
      .some(isSearch)
    if (retryClass === 'write' && mayStore(end) && !searches)
      broken.push(`reconcile: ${name} was sent again without a search after ${end.failure ?? end.status}`)
  }
  for (const [at, { end, method, path }] of requests.entries()) {
    const next = requests.slice(at + 1).find((each) => each.method === method && each.path === path)
    const { retryAfterMs } = end ?? {}
    if (!end || !next || retryAfterMs === undefined) continue
    if (retryAfterMs > maxRetryAfterMs) broken.push(`if the wait does not fit, reject at once: ${name}`)
    else if (next.sentAt < end.at + retryAfterMs) broken.push(`Retry-After is a floor; never early: ${name}`)
  }
  return broken
}

/** An unanswered probe holds back the others for so long. */
const unansweredMs = 1_000
/** A reset that nobody probes is forgotten after this time. */
const forgottenMs = 60_000

/** "A 429 makes every call of the key wait until the reset; one probe first, then the rest." `requests`: of one client. */
export function brokenWindows(requests: readonly ObservedRequest[]): string[] {
  const limited = requests.filter(({ path }) => path !== '/health')
  return limited.flatMap(({ surface, end }) => {
    if (end?.status !== 429 || end.retryAfterMs === undefined) return []
    const resetAt = end.at + end.retryAfterMs
    const after = limited.filter((each) => each.surface === surface && each.sentAt > end.at)
    const early = after.find(({ sentAt }) => sentAt < resetAt)
    if (early) return [`a 429 makes every call of the key wait until the reset: ${early.call} did not`]
    const [probe, second] = after
    if (!probe || !second || probe.sentAt >= resetAt + forgottenMs) return []
    const openedAt = Math.min(probe.end?.at ?? Number.POSITIVE_INFINITY, probe.sentAt + unansweredMs)
    return second.sentAt >= openedAt ? [] : [`one probe first, then the rest: ${second.call} went with ${probe.call}`]
  })
}
