/** Time that stands still while anything can go on, and then jumps to the next timer. */
export interface VirtualTime {
  /** Milliseconds since the start. */
  readonly now: number
  /** Call back after `ms`; the returned function cancels. */
  after(ms: number, act: () => void): () => void
  /** Run until the work is done. Throws if it waits for nothing. `turns`: of the event loop, until everything is quiet. */
  run<T>(work: Promise<T>, turns?: number): Promise<T>
}

interface Timer {
  at: number
  /** Of two timers for one instant, the one that was set first comes first. */
  order: number
  act: (() => void) | undefined
}

export function virtualTime(): VirtualTime {
  const timers: Timer[] = []
  let now = 0
  let order = 0

  const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order)
  const at = (index: number) => timers[index] as Timer

  function push(timer: Timer): void {
    let index = timers.push(timer) - 1
    while (index > 0 && isBefore(timer, at((index - 1) >> 1))) {
      timers[index] = at((index - 1) >> 1)
      index = (index - 1) >> 1
    }
    timers[index] = timer
  }

  function pop(): Timer | undefined {
    const first = timers[0]
    const last = timers.pop()
    if (!last || timers.length === 0) return first
    let index = 0
    for (let child = 1; child < timers.length; child = 2 * index + 1) {
      if (child + 1 < timers.length && isBefore(at(child + 1), at(child))) child++
      if (!isBefore(at(child), last)) break
      timers[index] = at(child)
      index = child
    }
    timers[index] = last
    return first
  }

  return {
    get now() {
      return now
    },
    after(ms, act) {
      const timer: Timer = { at: now + Math.max(0, ms), order: order++, act }
      push(timer)
      return () => {
        timer.act = undefined
      }
    },
    async run(work, turns = 1) {
      let isDone = false
      const watched = work.finally(() => {
        isDone = true
      })
      watched.catch(() => {})
      for (;;) {
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        if (isDone) return watched
        const instant = timers[0]?.at
        if (instant === undefined) throw new Error('Nothing can happen any more, and the work is not done.')
        now = instant
        while (timers[0]?.at === instant) pop()?.act?.()
      }
    },
  }
}

/** Random numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
