import { promised } from './promised.js'

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
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  let isOver = false
  // One at a time asks for the next item, and only when it may still be begun.
  let asking: Promise<unknown> | undefined
  const lane = async () => {
    for (;;) {
      while (asking) await asking
      if (isOver || stop()) return
      const asked = source.next()
      let next: IteratorResult<Item>
      if ('then' in asked) {
        const isAnswered = () => {
          asking = undefined
        }
        asking = asked.then(isAnswered, isAnswered)
        next = await asked
      } else next = asked
      if (next.done) {
        isOver = true
        return
      }
      await work(next.value)
    }
  }
  const guarded = () =>
    lane().catch((error: unknown) => {
      isOver = true
      throw error
    })
  const lanes = Array.from({ length: width }, guarded)
  const [failed] = (await Promise.allSettled(lanes)).filter((lane) => lane.status === 'rejected')
  await source.return?.(undefined)
  if (failed) throw failed.reason
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
