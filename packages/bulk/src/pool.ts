/** The place of one piece of work. */
export interface Slot {
  /** Let another piece take the place, while no more than `width` pieces are paused. */
  pause(): void
  /** Take a place again, at once. */
  resume(): void
}

/** Admits work while no more than so many pieces, and so many bytes of them, are under way; first come, first served. */
export function createSlots(width: number, mostBytes: number) {
  const waiting: { bytes: number; admit: () => void }[] = []
  let running = 0
  let held = 0
  let paused = 0
  const fits = (bytes: number) => running === 0 || (running < width && held + bytes <= mostBytes)
  const enter = (bytes: number) => {
    running++
    held += bytes
  }
  const leave = (bytes: number) => {
    running--
    held -= bytes
    while (waiting.length > 0) {
      const next = waiting[0] as (typeof waiting)[number]
      if (!fits(next.bytes)) return
      waiting.shift()
      enter(next.bytes)
      next.admit()
    }
  }
  return {
    /** Runs the work when it is its turn. One piece is always admitted, however large. */
    async run<Result>(bytes: number, work: (slot: Slot) => Promise<Result>): Promise<Result> {
      if (waiting.length === 0 && fits(bytes)) enter(bytes)
      else await new Promise<void>((admit) => waiting.push({ bytes, admit }))
      let isInside = true
      const slot: Slot = {
        pause() {
          if (!isInside || paused === width) return
          isInside = false
          paused++
          leave(bytes)
        },
        resume() {
          if (isInside) return
          isInside = true
          paused--
          enter(bytes)
        },
      }
      try {
        return await work(slot)
      } finally {
        if (isInside) leave(bytes)
        else paused--
      }
    },
  }
}
