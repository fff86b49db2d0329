import {
  type CallOptions,
  type ClientEvent,
  type Clock,
  fullClock,
  optionsOf,
  type Shutdown,
  systemClock,
} from '@svc/client'
import { createDeadline, type Deadline } from '@svc/text'
import type { Cache } from '../cache.js'
import { CheckError } from '../check-error.js'
import type { Policy } from '../report/index.js'
import { type AnnotatingClient, type AnnotationBody, type AnnotationResult, annotateWith } from './annotate.js'

export const defaultConcurrency = 4

/** The number of temporary failures in a row after which no request is sent. */
export const outageThreshold = (concurrency: number): number => 3 * concurrency

export type Ask = (body: AnnotationBody) => Promise<AnnotationResult>

/** Ask within the deadline. Requests under way when the run is stopped get some time, because they are billed. */
export function createAsk({
  client,
  signal,
  deadline,
  call,
  counter,
  shutdown,
}: {
  client: AnnotatingClient
  signal: AbortSignal
  deadline: Deadline
  call(): CallOptions
  counter: Counter
  shutdown: Shutdown
}): Ask {
  const annotate = annotateWith(client)
  return async (body) => {
    if (signal.aborted) return { error: signal.reason, step: 'stopped' }
    const count = counter.ofCall()
    const result = await shutdown.watch(({ options }) => {
      const onEvent = (event: ClientEvent) => {
        options.onEvent?.(event)
        count(event)
      }
      return annotate(body, () => ({ ...call(), ...options, onEvent }))
    })
    if (!('error' in result)) return result
    if (signal.aborted && result.error === signal.reason) return { error: result.error, step: 'stopped' }
    const late = result.step === 'try_later' ? deadline.passed() : undefined
    return late ? { error: late, step: 'try_later' } : result
  }
}

export type Counter = ReturnType<typeof createCounter>

/** Counts the requests that can have reached the service: refused and repeated ones too. */
export function createCounter() {
  let sent = 0
  return {
    sent: () => sent,
    ofCall() {
      let isUnderWay = false
      return (event: ClientEvent) => {
        if (event.method !== 'POST') return
        if (event.type === 'request') sent++
        else if (isUnderWay && 'sent' in event && event.sent === 'no') sent--
        if (event.type !== 'warning' && event.type !== 'wait') isUnderWay = event.type === 'request'
      }
    },
  }
}

/** The address of the service, also if nothing is asked; undefined for a client that is not of `createClient`. */
export const addressOf = (client: AnnotatingClient): string | undefined => optionsOf(client).baseUrl

/** The deadline of a run: its own, else that of the policy. */
export function deadlineOf(
  policy: Pick<Policy, 'deadlineMs'>,
  {
    deadlineMs,
    cache,
    clock = systemClock,
  }: { deadlineMs?: number | undefined; cache?: Cache | undefined; clock?: Clock | undefined },
): Deadline {
  const [of, remedy] =
    deadlineMs === undefined ? ['the policy', 'raise "deadline" in the policy'] : ['this run', 'allow it more time']
  const hint = `check again${cache ? ': finished annotations are in the cache' : ''}; or ${remedy}`
  return createDeadline(
    deadlineMs ?? policy.deadlineMs,
    fullClock(clock),
    () => new CheckError('deadline_passed', `The deadline of ${of} has passed.`, { hint }),
  )
}
