/** The parent of each message. Edited and regenerated messages make branches. */
export type Parents = ReadonlyMap<string, string | undefined>

export interface Branches {
  /** True if a message, or a root, leads to the newest message of its tree. */
  isKept(id: string): boolean
  /** The last ids of the abandoned branches, the oldest first. */
  others: string[]
}

/**
 * The end of a conversation: the `last` message, behind which others are left, or in a log the newest one. It leaves the other
 * trees, too, unless a message between it and its root is missing. `loose`: messages that do not say if they are a root.
 */
export interface End {
  last?: string | undefined
  isLog?: boolean | undefined
  loose?: ReadonlySet<string>
}

/**
 * Find the kept branch of each tree: the one that ends with the newest message. A parent that is not in the file is the
 * root of its children. `ids` are in the order of the file.
 */
export function branchesOf(ids: readonly string[], parents: Parents, { last, isLog, loose }: End = {}): Branches {
  const end = last ?? (isLog ? ids.at(-1) : undefined)
  const isAlone = end !== undefined && leadsToRoot(end, parents)
  /** The end of the first branch that includes a message. */
  const endOf = new Map<string, string>()
  const kept = new Set<string>()
  const tips = new Set<string>()
  const others = new Set<string>()
  const addBranch = (tip: string) => {
    if (endOf.has(tip)) return
    let at: string | undefined = tip
    let root = tip
    while (at !== undefined && !endOf.has(at)) {
      endOf.set(at, tip)
      root = at
      at = parents.get(at)
    }
    const isNewTree = at === undefined || endOf.get(at) === tip
    // A child may stand before its parent in the file; it then continues the branch of the parent.
    const continues = at !== last && tips.delete(at ?? '')
    if (tip === end || (isNewTree && (!isAlone || loose?.has(root))) || continues) {
      kept.add(tip)
      tips.add(tip)
    } else {
      others.delete(at ?? '')
      others.add(tip)
    }
  }
  if (end !== undefined) addBranch(end)
  for (const id of ids.toReversed()) addBranch(id)
  return { isKept: (id) => kept.has(endOf.get(id) ?? ''), others: [...others].reverse() }
}

function leadsToRoot(id: string, parents: Parents): boolean {
  const root = [...pathOf(id, parents)].at(-1) ?? ''
  // A message in a circle has a parent.
  return parents.has(root) && parents.get(root) === undefined
}

/** The ids from a message up to its root, both included; stops at a circle. */
export function pathOf(id: string, parents: Parents): Set<string> {
  const path = new Set<string>()
  for (let at: string | undefined = id; at !== undefined && !path.has(at); at = parents.get(at)) path.add(at)
  return path
}
