interface Made {
  readonly record: { readonly id: string; readonly created_at: string }
}

/** Puts an item into a list that is newest first; of those made in the same millisecond the later id comes first. */
export function insertNewestFirst<T extends Made>(items: T[], item: T): void {
  let from = 0
  let to = items.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const other = items[middle]
    if (other && isBefore(item, other)) to = middle
    else from = middle + 1
  }
  items.splice(from, 0, item)
}

const isBefore = ({ record: a }: Made, { record: b }: Made) =>
  a.created_at > b.created_at || (a.created_at === b.created_at && a.id > b.id)
