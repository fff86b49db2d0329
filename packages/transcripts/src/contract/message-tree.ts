/** The parent of each message. Edited and regenerated messages make branches. */
export type Parents = ReadonlyMap<string, string | undefined>

export interface Branches {
  /** True if a message, or a root, leads to the newest message of its tree. */
  isKept(id: string): boolean
  /** The last ids of the abandoned branches, the oldest first. */
  others: string[]
}

/**
 * Find the kept branch of each tree: the one that ends with the newest message. A parent that is not in the file is the
 * root of its children. `ids` are in the order of the file.
 */
export function branchesOf(ids: readonly string[], parents: Parents): Branches {
  /** The end of the first branch that includes a message. */
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
    // A child may stand before its parent in the file; it then continues the branch of the parent.
    const isNewTree = at === undefined || endOf.get(at) === end
    if (isNewTree || tips.delete(at ?? '')) {
      kept.add(end)
      tips.add(end)
    } else others.push(end)
  }
  return { isKept: (id) => kept.has(endOf.get(id) ?? ''), others: others.reverse() }
}

/** The ids from a message up to its root, both included; stops at a circle. */
export function pathOf(id: string, parents: Parents): Set<string> {
  const path = new Set<string>()
  for (let at: string | undefined = id; at !== undefined && !path.has(at); at = parents.get(at)) path.add(at)
  return path
}
