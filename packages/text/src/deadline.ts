/** The time until which a run may take. */
export interface Deadline {
  /** Aborted with the error of the deadline when it passes. */
  signal: AbortSignal
  /** The error of the deadline, if it has passed. */
  passed(): Error | undefined
  /** The milliseconds that are left; undefined if there is no deadline. Throws the error of a deadline that has passed. */
  left(): number | undefined
  /** Stop its timer. */
  end(): void
}

/** Timers may be early by this much: a call that ended by its own timer has then reached the deadline. In milliseconds. */
const slackMs = 5

/** A deadline in so many milliseconds, or none. `error` makes its error. */
export function createDeadline(
  ms: number | undefined,
  clock: { monotonic(): number; after(ms: number, callback: () => void): () => void },
  error: () => Error,
): Deadline {
  const abort = new AbortController()
  const { signal } = abort
  if (ms === undefined) return { signal, passed: () => undefined, left: () => undefined, end: () => {} }
  const at = clock.monotonic() + ms
  const end = clock.after(ms, () => abort.abort(error()))
  const passed = () =>
    at - clock.monotonic() > slackMs ? undefined : ((signal.reason as Error | undefined) ?? error())
  return {
    signal,
    passed,
    left() {
      const late = passed()
      if (late) throw late
      return at - clock.monotonic()
    },
    end,
  }
}
