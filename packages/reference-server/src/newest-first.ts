interface Made {
  readonly record: { readonly id: string; readonly created_at: string }
}

/**
 * Items newest first; of those made in the same millisecond the later id comes first. They are kept the other way round,
 * as the one that is added is nearly always the newest.
 */
export class NewestFirst<T extends Made> {
  readonly #oldestFirst: T[] = []
  #view: readonly T[] | undefined

  add(item: T): void {
    const items = this.#oldestFirst
    let place = items.length
    for (let last = items[place - 1]; last && isBefore(last, item); last = items[place - 1]) place -= 1
    items.splice(place, 0, item)
    this.#view = undefined
  }

  /** The same array until something is added. */
  get items(): readonly T[] {
    this.#view ??= this.#oldestFirst.toReversed()
    return this.#view
  }
}

/** The list of a name, which is made where there is none. */
export function listOf<T extends Made>(lists: Map<string, NewestFirst<T>>, name: string): NewestFirst<T> {
  const list = lists.get(name) ?? new NewestFirst<T>()
  lists.set(name, list)
  return list
}

/** Whether the one comes before the other in a list that is newest first. */
const isBefore = ({ record: a }: Made, { record: b }: Made) =>
  a.created_at > b.created_at || (a.created_at === b.created_at && a.id > b.id)
