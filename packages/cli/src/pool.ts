/**
 * Works through items, so many at a time, and yields results in the order of completion. Stops taking new items when
 * the consumer breaks off or `stop()` says so; what was begun is awaited.
 */
export async function* mapPool<Item, Result>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
  stop: () => boolean = () => false,
): AsyncGenerator<Result, void, undefined> {
  const running = new Map<number, Promise<{ id: number; result: Result }>>()
  const source = items[Symbol.iterator]()
  let next = 0
  const begin = () => {
    if (stop()) return
    const { done, value } = source.next()
    if (done) return
    const id = next++
    running.set(
      id,
      work(value).then((result) => ({ id, result })),
    )
  }
  for (let i = 0; i < width; i++) begin()
  try {
    while (running.size > 0) {
      const { id, result } = await Promise.race(running.values())
      running.delete(id)
      begin()
      yield result
    }
  } finally {
    await Promise.allSettled(running.values())
  }
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
