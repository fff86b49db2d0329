/** Admits work while no more than so many pieces, and so many bytes of them, are under way; first come, first served. */
export interface Slots {
  /** Runs the work when it is its turn. One piece is always admitted, however large. */
  run<Result>(bytes: number, work: () => Promise<Result>): Promise<Result>
}

export function createSlots(width: number, mostBytes: number): Slots {
  const waiting: { bytes: number; admit: () => void }[] = []
  let running = 0
  let held = 0
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
    async run(bytes, work) {
      if (waiting.length === 0 && fits(bytes)) enter(bytes)
      else await new Promise<void>((admit) => waiting.push({ bytes, admit }))
      try {
        return await work()
      } finally {
        leave(bytes)
      }
    },
  }
}
