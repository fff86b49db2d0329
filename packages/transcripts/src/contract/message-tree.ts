/** Messages that name the message before them: edited or repeated ones make branches. */
export type Parents = ReadonlyMap<string, string | undefined>

/** Which messages were kept in the end, and where the other branches end. */
export interface Branches {
  /** True if a message, or a root, is on the way to the newest message of its tree. */
  isKept(id: string): boolean
  /** The last ids of the branches that were left, the oldest first. */
  others: string[]
}

/**
 * Messages with one root are a tree; a parent that is not in the file counts as the root of those that name it. The
 * newest message of a tree ends the branch that was kept. `ids` are in the order of the file.
 */
export function branchesOf(ids: readonly string[], parents: Parents): Branches {
  /** The end of the branch that met a message first. */
  const endOf = new Map<string, string>()
  const kept = new Set<string>()
  const tips = new Set<string>()
  const others: string[] = []
  for (let index = ids.length - 1; index >= 0; index--) {
    const end = ids[index]
    if (end === undefined || endOf.has(end)) continue
    let at: string | undefined = end
    while (at !== undefined && !endOf.has(at)) {
      endOf.set(at, end)
      at = parents.get(at)
    }
    // A child that stands before its parent in the file goes on from the end of the branch.
    const isNewTree = at === undefined || endOf.get(at) === end
    if (isNewTree || tips.delete(at ?? '')) {
      kept.add(end)
      tips.add(end)
    } else others.push(end)
  }
  return { isKept: (id) => kept.has(endOf.get(id) ?? ''), others: others.reverse() }
}

/** The ids from a message up to its root, itself included; a circle ends it. */
export function pathOf(id: string, parents: Parents): Set<string> {
  const path = new Set<string>()
  for (let at: string | undefined = id; at !== undefined && !path.has(at); at = parents.get(at)) path.add(at)
  return path
}
