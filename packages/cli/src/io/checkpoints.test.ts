import { describe, expect, it } from 'vitest'
import { checkpoints } from './checkpoints.js'

describe('a checkpoint', () => {
  it('lets timers act during a loop that never waits', async () => {
    const checkpoint = checkpoints(new AbortController().signal)
    let hasActed = false
    setTimeout(() => {
      hasActed = true
    })
    while (!hasActed) await checkpoint()
    expect(hasActed).toBe(true)
  })

  it('rejects with the reason once the run is to stop', async () => {
    const stop = new AbortController()
    const checkpoint = checkpoints(stop.signal)
    await checkpoint()
    stop.abort('SIGTERM')
    await expect(checkpoint()).rejects.toBe('SIGTERM')
  })
})
