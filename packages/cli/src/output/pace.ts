import { count, durationText } from '@svc/text'
import { sizeText } from './size.js'

/** How far a piece of work has come. */
export interface Pace {
  done: number
  /** Undefined for a stream. */
  total?: number | undefined
  /** The noun of what is counted. Default: transcript. */
  what?: string
  bytes?: number
  window?: RateWindow | undefined
}

/** The window of a rate limit. `quota`: undefined until the limit is reached for the first time. */
interface RateWindow {
  closedUntil: Date | undefined
  admitted: number
  quota: number | undefined
}

const barWidth = 16

/** A narrower line has no room for a bar. */
const leastForBar = 50

/** One line with a bar, of the parts that have room. */
export function progressText(verb: string, { done, total }: Pace, parts: readonly string[], width: number): string {
  const filled = total === undefined ? 0 : Math.round((barWidth * Math.min(done, total)) / Math.max(1, total))
  const bar = total === undefined || width < leastForBar ? '' : ` ${'━'.repeat(filled)}${'─'.repeat(barWidth - filled)}`
  let line = `${verb}${bar}`
  for (const [at, part] of parts.entries()) {
    const next = `${line}${at === 0 ? '' : ','} ${part}`
    if (next.length > width) break
    line = next
  }
  return line.slice(0, Math.max(0, width))
}

/**
 * The most important first, as in `120 of 400 transcripts`, `60 of 200 in this window`, `about 12 s left`, `24 a second` and
 * `1.2 MB`.
 */
export function paceParts(
  { done, total, what = 'transcript', bytes, window }: Pace,
  { startedAt, now }: { startedAt: number; now: number },
): string[] {
  const seconds = (now - startedAt) / 1_000
  const perSecond = seconds > 0 ? done / seconds : 0
  const parts = [total === undefined ? count(done, what) : `${done} of ${count(total, what)}`]
  const state = window && windowText(window, now)
  if (state) parts.push(state)
  if (total !== undefined && perSecond > 0 && seconds >= 2 && done < total)
    parts.push(`about ${durationText((total - done) / perSecond)} left`)
  if (perSecond > 0) parts.push(`${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} a second`)
  if (bytes !== undefined) parts.push(sizeText(bytes))
  return parts
}

function windowText({ closedUntil, admitted, quota }: RateWindow, now: number): string | undefined {
  if (closedUntil) return `next request in ${durationText((closedUntil.getTime() - now) / 1_000)}`
  return quota === undefined ? undefined : `${admitted} of ${quota} in this window`
}
