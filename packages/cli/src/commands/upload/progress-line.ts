import type { RateLimit } from '@svc/client'
import { count } from '../../text.js'

/** How far an upload has come. */
export interface Pace {
  done: number
  /** Undefined while nobody knows, as of a stream. */
  total: number | undefined
  bytes: number
  startedAt: number
  now: number
  window: RateLimit | undefined
}

/** As in `120 of 400 transcripts, 1.2 MB, 24 a second, 60 of 200 in this window, about 12 s left`. */
export function progressLine({ done, total, bytes, startedAt, now, window }: Pace): string {
  const seconds = (now - startedAt) / 1_000
  const perSecond = seconds > 0 ? done / seconds : 0
  const parts = [
    total === undefined ? count(done, 'transcript') : `${done} of ${count(total, 'transcript')}`,
    size(bytes),
  ]
  if (perSecond > 0) parts.push(`${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} a second`)
  const state = window && windowLine(window, now)
  if (state) parts.push(state)
  if (total !== undefined && perSecond > 0 && seconds >= 2 && done < total)
    parts.push(`about ${span((total - done) / perSecond)} left`)
  return parts.join(', ')
}

/** What is known of the window of the key's rate limit; nothing while it has never been reached. */
function windowLine({ closedUntil, admitted, quota }: RateLimit, now: number): string | undefined {
  if (closedUntil) return `the limit is reached, next in ${span((closedUntil.getTime() - now) / 1_000)}`
  return quota === undefined ? undefined : `${admitted} of ${quota} in this window`
}

const size = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(2)} GB`

function span(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds))
  if (whole < 120) return `${whole} s`
  return whole < 7_200 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3_600)} h`
}
