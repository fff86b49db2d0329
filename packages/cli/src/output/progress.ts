import { count } from '@svc/text'
import type { Context } from '../context.js'
import { sizeText } from '../size.js'
import { isCi } from '../terminal.js'

export interface Progress {
  /** `pace` is called only when it is shown: on a terminal several times a second, until the next update. */
  update(pace: () => Pace): void
  stop(): void
}

const logEveryMs = 5_000

/**
 * A bar on stderr if it is a terminal, else a plain line every five seconds.
 *
 * @param verb as in `uploading`
 * @param afterMs nothing is shown before this time, for work that is usually short
 */
export async function startProgress(context: Context, verb: string, { afterMs = 0 } = {}): Promise<Progress> {
  const { io, flags, now } = context
  const { stream } = io.stderr
  if (flags.quiet) return { update() {}, stop() {} }
  const startedAt = now()
  const partsOf = (pace: Pace) => paceParts(pace, { startedAt, now: now() })
  if (!stream?.isTTY || !stream.columns || flags.debug || io.env.TERM === 'dumb' || isCi(io)) {
    let reportedAt = startedAt
    return {
      update(pace) {
        if (now() - reportedAt < logEveryMs) return
        reportedAt = now()
        context.say(`${verb} ${partsOf(pace()).join(', ')}`)
      },
      stop() {},
    }
  }
  const { default: ora, spinners } = await import('ora')
  let latest: () => Pace = () => ({ done: 0 })
  const suffixText = () => progressText(verb, latest(), partsOf(latest()), stream.columns - 4)
  const spinner = ora({
    text: '',
    suffixText,
    stream,
    // ora itself would decide by the environment, for the color by another stream and without the flags.
    isEnabled: true,
    color: false,
    spinner: { ...spinners.dots, frames: spinners.dots.frames.map((frame) => context.style.err('cyan', frame)) },
    // Nothing could show a hidden cursor again when Ctrl-Z or SIGKILL stops the process.
    hideCursor: false,
    // With discardStdin, which is the default of ora, Ctrl-C has no effect.
    discardStdin: false,
  })
  const { stderr } = io
  const { write } = stderr
  // Other output goes above the spinner.
  stderr.write = (text) => {
    if (!spinner.isSpinning) return write(text)
    spinner.clear()
    write(text)
    spinner.render()
  }
  return {
    update(pace) {
      latest = pace
      if (!spinner.isSpinning && now() - startedAt >= afterMs) spinner.start()
    },
    stop() {
      stderr.write = write
      spinner.stop()
    },
  }
}

/** How far a piece of work has come. */
export interface Pace {
  done: number
  /** Of those, the ones that needed no request. Default: 0. */
  known?: number
  /** The time in which nothing could be sent, in milliseconds. Default: 0. */
  waitedMs?: number
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
  { done, known = 0, waitedMs = 0, total, what = 'transcript', bytes, window }: Pace,
  { startedAt, now }: { startedAt: number; now: number },
): string[] {
  const seconds = (now - startedAt - waitedMs) / 1_000
  const asked = done - known
  const perSecond = seconds > 0 ? asked / seconds : 0
  const parts = [total === undefined ? count(done, what) : `${done} of ${count(total, what)}`]
  const state = window && windowText(window, now)
  if (state) parts.push(state)
  const isEarly = asked < Math.min(5, (total ?? 0) / 10)
  if (total !== undefined && perSecond > 0 && seconds >= 2 && done < total && !isEarly)
    parts.push(`about ${durationText((total - done) / perSecond)} left`)
  if (perSecond > 0) parts.push(`${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} a second`)
  if (bytes !== undefined) parts.push(sizeText(bytes))
  return parts
}

function windowText({ closedUntil, admitted, quota }: RateWindow, now: number): string | undefined {
  if (closedUntil) return `next request in ${durationText((closedUntil.getTime() - now) / 1_000)}`
  if (quota === undefined) return undefined
  // The quota is that of an earlier window, which another process may have shared.
  return admitted > quota ? `${admitted} in this window` : `${admitted} of ${quota} in this window`
}

/** `1 s`, `90 s`, `5 min` or `3 h`: a span in seconds, rounded up to one second at least, as a person reads it. */
export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds))
  if (whole < 120) return `${whole} s`
  return whole < 7_200 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3_600)} h`
}
