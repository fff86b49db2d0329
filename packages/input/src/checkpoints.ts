import { setImmediate } from 'node:timers/promises'

/** Work without a pause of more than this, in milliseconds, would not notice a signal in time. */
const turnMs = 40

/** A function that lets signals and timers act now and then, and rejects with the reason of `stop` once that is aborted. */
export function checkpoints(stop: AbortSignal): () => Promise<void> {
  let turnedAt = performance.now()
  return async () => {
    if (performance.now() - turnedAt >= turnMs) {
      await setImmediate()
      turnedAt = performance.now()
    }
    stop.throwIfAborted()
  }
}
