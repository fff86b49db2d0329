/**
 * Works through items as they come, so many at a time, and yields results in the order of completion. Stops taking new
 * items when the consumer breaks off or `stop()` says so; what was begun is awaited. Where the items fail to come, it ends
 * with their error once all that was begun is done.
 */
export async function* mapPool<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
  stop: () => boolean = () => false,
): AsyncGenerator<Result, void, undefined> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const done: Result[] = []
  let isOver = false
  let wake = () => {}
  let taken = promised()
  // One at a time asks for the next item, so that a generator is never asked twice at once.
  let turn: Promise<unknown> = Promise.resolve()
  const take = (): Promise<IteratorResult<Item>> => {
    const next = turn.then(() => (isOver || stop() ? { done: true as const, value: undefined } : source.next()))
    turn = next.catch(() => {
      isOver = true
    })
    return next
  }
  const lane = async () => {
    for (let next = await take(); !next.done; next = await take()) {
      done.push(await work(next.value))
      wake()
      // A consumer that lags behind is waited for.
      while (done.length >= width && !isOver) await taken.promise
    }
  }
  let working = width
  const lanes = Array.from({ length: width }, () =>
    lane().finally(() => {
      working--
      wake()
    }),
  )
  const ended = Promise.allSettled(lanes)
  try {
    for (;;) {
      while (done.length > 0) {
        yield done[0] as Result
        done.shift()
        taken.give()
        taken = promised()
      }
      if (working === 0 && done.length === 0) break
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    await Promise.all(lanes)
  } finally {
    isOver = true
    taken.give()
    await ended
    await source.return?.(undefined)
  }
}

/**
 * Works through items as they come, so many at a time, without results. Takes no new items once work has failed or `stop()`
 * says so; what was begun is awaited. Rejects with the first failure, of the work or of the coming of the items.
 */
export async function workThrough<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
  stop: () => boolean,
): Promise<void> {
  let failed: { error: unknown } | undefined
  const attempt = (item: Item) =>
    work(item).catch((error: unknown) => {
      failed ??= { error }
    })
  for await (const _ of mapPool(items, width, attempt, () => failed !== undefined || stop()));
  if (failed) throw failed.error
}

/** Results in the order of their items: each is held back until all before it are there, or until there are no more. */
export async function* inOrder<Result extends { index: number }>(
  results: AsyncIterable<Result>,
): AsyncGenerator<Result, void, undefined> {
  const held = new Map<number, Result>()
  let next = 0
  for await (const result of results) {
    held.set(result.index, result)
    for (let ready = held.get(next); ready; ready = held.get(++next)) {
      held.delete(next)
      yield ready
    }
  }
  yield* [...held.values()].sort((a, b) => a.index - b.index)
}

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

/** A promise that is resolved from outside: `give` resolves it, or lets it follow another. */
function promised(): { promise: Promise<void>; give(after?: Promise<void>): void } {
  let give: (after?: Promise<void>) => void = () => {}
  const promise = new Promise<void>((resolve) => {
    give = resolve
  })
  return { promise, give }
}
