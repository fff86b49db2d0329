import { setImmediate } from 'node:timers/promises'

/** Work without a pause of more than this, in milliseconds, would not notice a signal in time. */
const turnMs = 40

/**
 * A function that lets signals and timers act now and then, and rejects with the reason of `stop` once that is aborted.
 *
 * @param turn called each time, to let them act. Default: a turn of the event loop, when the last one is some time ago
 */
export function checkpoints(stop: AbortSignal, turn: () => Promise<void> = createTurns()): () => Promise<void> {
  return async () => {
    await turn()
    stop.throwIfAborted()
  }
}

function createTurns(): () => Promise<void> {
  let turnedAt = performance.now()
  return async () => {
    if (performance.now() - turnedAt < turnMs) return
    await setImmediate()
    turnedAt = performance.now()
  }
}
