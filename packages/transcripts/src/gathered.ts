/** What `flatMap` gives: all that is read of the items of a list, one after the other. V8 runs this several times faster. */
export function gathered<Item, Found>(
  list: readonly Item[],
  read: (item: Item, index: number) => readonly Found[],
): Found[] {
  const all: Found[] = []
  for (let index = 0; index < list.length; index++) {
    const found = read(list[index] as Item, index)
    for (let at = 0; at < found.length; at++) all.push(found[at] as Found)
  }
  return all
}
