import { type Entry, isToolResult } from './claude-code-entry.js'
import { branchesOf, type Parents, pathOf } from './message-tree.js'

/** The entries of a session that were kept, and those of each branch that was left, from its root on. */
export interface Kept {
  entries: readonly Entry[]
  others: readonly { leaf: string; entries: readonly Entry[] }[]
  /** How many entries only other branches have. */
  left: number
}

/**
 * A session is a tree by its parents, and the way to its newest entry was kept. Tools that run at once, and lines that
 * keep house, fork it too: a fork leaves something behind only where the user asks again or the assistant answers again.
 */
export function keptOf(entries: readonly Entry[], parents: Parents): Kept {
  const ids = entries.flatMap(idsOf)
  const { isKept, others } = branchesOf(ids, parents)
  if (others.length === 0) return { entries, others: [], left: 0 }
  const left = leftOf(entries, parents, isKept)
  const path = (leaf: string) => {
    const way = pathOf(leaf, parents)
    return entries.filter((entry) => entry.uuid !== undefined && (way.has(entry.uuid) || answers(entry, way, parents)))
  }
  return {
    entries: entries.filter(({ uuid }) => uuid === undefined || !left.has(uuid)),
    others: others.filter((leaf) => left.has(leaf)).map((leaf) => ({ leaf, entries: path(leaf) })),
    left: left.size,
  }
}

function leftOf(entries: readonly Entry[], parents: Parents, isKept: (id: string) => boolean): Set<string> {
  const above = aboveIn(entries, parents)
  const messages = new Set<string>()
  for (const { uuid, message } of entries) if (uuid && message && isKept(uuid)) messages.add(message)
  const followers = new Map<string, Entry>()
  for (const entry of entries) {
    const fork = entry.uuid !== undefined && isKept(entry.uuid) ? above(entry.uuid) : undefined
    if (fork !== undefined && !followers.has(fork)) followers.set(fork, entry)
  }
  const left = new Set<string>()
  const leaves = (entry: Entry, uuid: string): boolean => {
    const fork = above(uuid)
    if (fork === undefined) return false
    if (left.has(fork)) return true
    if (entry.message !== undefined && messages.has(entry.message)) return false
    const follower = followers.get(fork)
    return follower !== undefined && !isAnswer(entry) && !isAnswer(follower) && entry.role === follower.role
  }
  for (const entry of entries) {
    const { uuid } = entry
    if (uuid !== undefined && !isKept(uuid) && leaves(entry, uuid)) left.add(uuid)
  }
  return left
}

const none: readonly string[] = []

function idsOf({ uuid }: Entry): readonly string[] {
  return uuid === undefined ? none : [uuid]
}

/** Finds the entry before an entry, past lines that say nothing; the root's id where there is none. */
export function aboveIn(entries: readonly Entry[], parents: Parents): (uuid: string) => string | undefined {
  const said = new Set(entries.flatMap(idsOf))
  const known = new Map<string, string>()
  return (uuid) => {
    const parent = parents.get(uuid)
    if (parent === undefined || said.has(parent)) return parent
    const passed = new Set<string>()
    let at = parent
    while (!said.has(at) && !known.has(at) && !passed.has(at)) {
      passed.add(at)
      const next = parents.get(at)
      if (next === undefined) break
      at = next
    }
    const found = known.get(at) ?? at
    for (const each of passed) known.set(each, found)
    return found
  }
}

function isAnswer({ content }: Entry): boolean {
  return typeof content !== 'string' && content.some(isToolResult)
}

/** A tool's answer beside the way to a leaf belongs to it when its call does. */
function answers(entry: Entry, way: ReadonlySet<string>, parents: Parents): boolean {
  const parent = entry.uuid === undefined ? undefined : parents.get(entry.uuid)
  return isAnswer(entry) && parent !== undefined && way.has(parent)
}
