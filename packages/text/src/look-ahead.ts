/** The same items, of which two are awaited to know whether there is none or only one. */
export async function lookAhead<T>(items: AsyncGenerator<T, void, undefined>) {
  const [first, second] = [await items.next(), await items.next()]
  async function* all() {
    try {
      if (!first.done) yield first.value
      if (!second.done) yield second.value
      yield* items
    } finally {
      await items.return()
    }
  }
  return { items: all(), isEmpty: first.done === true, isAlone: second.done === true }
}
