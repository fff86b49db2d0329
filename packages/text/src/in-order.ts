interface Indexed {
  /** From 0, without gaps. */
  index: number
}

/** Results in the order of their index: each is held back until all before it are there, or until there are no more. */
export async function* inOrder<Result extends Indexed>(results: AsyncIterable<Result>): AsyncGenerator<Result, void> {
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
