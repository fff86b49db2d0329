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
 * root of its children. `ids` are in the order of the file. Only the branch that ends with `last` is kept if that is given; other
 * trees are kept beside it if a message between `last` and its root is missing.
 */
export function branchesOf(ids: readonly string[], parents: Parents, last?: string): Branches {
  const isAlone = last !== undefined && parents.has([...pathOf(last, parents)].at(-1) ?? '')
  /** The end of the first branch that includes a message. */
  const endOf = new Map<string, string>()
  const kept = new Set<string>()
  const tips = new Set<string>()
  const others = new Set<string>()
  const addBranch = (end: string) => {
    if (endOf.has(end)) return
    let at: string | undefined = end
    while (at !== undefined && !endOf.has(at)) {
      endOf.set(at, end)
      at = parents.get(at)
    }
    const isNewTree = at === undefined || endOf.get(at) === end
    // A child may stand before its parent in the file; it then continues the branch of the parent.
    const continues = at !== last && tips.delete(at ?? '')
    if (end === last || (isNewTree && !isAlone) || continues) {
      kept.add(end)
      tips.add(end)
    } else {
      others.delete(at ?? '')
      others.add(end)
    }
  }
  if (last !== undefined) addBranch(last)
  for (const id of ids.toReversed()) addBranch(id)
  return { isKept: (id) => kept.has(endOf.get(id) ?? ''), others: [...others].reverse() }
}

/** The ids from a message up to its root, both included; stops at a circle. */
export function pathOf(id: string, parents: Parents): Set<string> {
  const path = new Set<string>()
  for (let at: string | undefined = id; at !== undefined && !path.has(at); at = parents.get(at)) path.add(at)
  return path
}
