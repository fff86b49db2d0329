import { getOrInsert, isObject, type JsonObject } from '../json/index.js'
import { type Account, type ConversationDraft, type Loss, Losses, reasons } from '../model/index.js'

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

/** A message with its id, and that of the message before it. */
export interface TreeNode<Message> {
  message: Message
  id: string
  parent: string | undefined
  /** True if it ends no branch. It stays in the conversation. */
  isAside?: boolean
}

/** The messages of the kept branch, and those of each abandoned one. */
export interface MessageBranches<Message> {
  main: readonly Message[]
  /** The number of messages in `main` that stood before their parent in the file. */
  moved: number
  /** `leaf`: the id of the last message. */
  others(): { leaf: string; messages: readonly Message[] }[]
}

/** The branches of messages, in which each message follows its parent. */
export function branchesIn<Message>(nodes: readonly TreeNode<Message>[], end: End): MessageBranches<Message> {
  // Of messages with one id, the first says the parent.
  const parents = new Map(nodes.toReversed().map(({ id, parent }) => [id, parent]))
  const ids = nodes.filter((node) => !node.isAside).map(({ id }) => id)
  const last = end.last !== undefined && parents.has(end.last) ? end.last : undefined
  const { isKept, others } = branchesOf(ids, parents, { ...end, last })
  const byId = new Map<string, TreeNode<Message>[]>()
  for (const node of nodes) getOrInsert(byId, node.id, () => []).push(node)
  const onPath = (leaf: string) => [...pathOf(leaf, parents)].reverse().flatMap((id) => byId.get(id) ?? [])
  const main = new Set<TreeNode<Message>>()
  const given = new Set<string>()
  let moved = 0
  for (const node of nodes) {
    if (!(node.isAside || isKept(node.id))) continue
    const ahead: string[] = []
    for (let at = node.parent; at !== undefined && byId.has(at) && isKept(at) && !given.has(at); at = parents.get(at)) {
      given.add(at)
      ahead.push(at)
    }
    if (ahead.length > 0) moved++
    for (const each of ahead.reverse().flatMap((id) => byId.get(id) ?? [])) main.add(each)
    given.add(node.id)
    main.add(node)
  }
  return {
    main: [...main].map(({ message }) => message),
    moved,
    others: () => others.map((leaf) => ({ leaf, messages: onPath(leaf).map(({ message }) => message) })),
  }
}

/** A list without branches. */
export const unbranched = <Message>(messages: readonly Message[]): MessageBranches<Message> => ({
  main: messages,
  moved: 0,
  others: () => [],
})

/**
 * The branches of a list of messages that may name their parents. `head`: the fields beside the list. The ids that were followed
 * are noted as read.
 */
export function branchesOfList<Message>(
  messages: readonly Message[],
  fieldsOf: (message: Message) => JsonObject,
  account: Account,
  head?: JsonObject,
): MessageBranches<Message> {
  const tree = treeIn(messages, fieldsOf, head)
  if (!tree) return unbranched(messages)
  for (const { parent } of tree.nodes) account.note(parent)
  // In a list that is newest first, the newest message is the first one.
  const behind = new Set<string>()
  let backwards = 0
  for (const { id, parent } of tree.nodes) {
    backwards += behind.has(parent ?? '') ? -1 : tree.ids.has(parent ?? '') ? 1 : 0
    behind.add(id)
  }
  if (backwards <= 0) return branchesIn(tree.nodes, { last: tree.last })
  const { main, others } = branchesIn(tree.nodes.toReversed(), { last: tree.last })
  return { main, moved: main.length, others }
}

/** Losses with the messages of other branches, and those that were moved behind their parents. */
export function withBranchLosses(losses: readonly Loss[], hidden: number, moved: number): Loss[] {
  const all = new Losses()
  all.addAll(losses)
  if (hidden > 0) all.drop('message of another branch', reasons.branches, hidden)
  if (moved > 0) all.add('changed', 'message before its parent', 'each message follows its parent', moved)
  return all.list()
}

/** An abandoned branch as a conversation of its own. `session`: the id of the conversation. `leaf`: that of its last message. */
export const asBranch = (draft: ConversationDraft, session: string | undefined, leaf: string): ConversationDraft => ({
  ...draft,
  externalId: session === undefined ? leaf : `${session}/${leaf}`,
  metadata: { ...draft.metadata, ...(session !== undefined && { parent_session: session }), branch: true },
})

/** Names of fields that hold the id of the message before, in any list. */
const parentName = /parent|prev|predecessor|ancestor/i

/** Names of fields that may hold it: in a list with one first message. */
const referenceName = /repl(y|ies)|respon[ds]|answer|after|above|follow|refer/i

/** Names of fields that hold the id of the last message that was shown, beside the list. */
const lastName = /current|active|selected|leaf|last|head/i

/** The messages that are looked at to find the fields of a tree. */
const sampled = 64

/**
 * The messages of a list that name their parents, if they make branches or do not follow their parents: found by a field
 * whose values are ids of other messages, whatever its name. Undefined for any other list. `head`: the fields beside the list.
 */
function treeIn<Message>(
  messages: readonly Message[],
  fieldsOf: (message: Message) => JsonObject,
  head: JsonObject = {},
): { nodes: TreeNode<Message>[]; ids: ReadonlySet<string>; last: string | undefined } | undefined {
  const sample = messages.slice(0, sampled).map((message) => idsIn(fieldsOf(message)))
  if (sample.length < 2) return undefined
  const names = new Set(sample.flatMap((ids) => [...ids.keys()]))
  const valuesOf = new Map([...names].map((name) => [name, new Set(sample.flatMap((ids) => ids.get(name) ?? []))]))
  const isUnique = (name: string) => sample.filter((ids) => ids.has(name)).length === valuesOf.get(name)?.size
  const ofMessages = [...names].filter(isUnique)
  const pairs = [...names].flatMap((parent) =>
    ofMessages
      .filter((id) => id !== parent && [...(valuesOf.get(parent) ?? [])].some((value) => valuesOf.get(id)?.has(value)))
      .map((id) => ({ id, parent })),
  )
  const rank = ({ parent }: { parent: string }) => (parentName.test(parent) ? 0 : referenceName.test(parent) ? 1 : 2)
  for (const pair of pairs.sort((a, b) => rank(a) - rank(b))) {
    const nodes = nodesOf(messages, fieldsOf, pair)
    if (!nodes) continue
    if (!isTree(nodes)) return undefined
    const ids = new Set(nodes.map(({ id }) => id))
    const shown = Object.entries(head).find(([name, id]) => lastName.test(name) && ids.has(textOfId(id) ?? ''))
    return { nodes: withResults(nodes, fieldsOf), ids, last: shown && textOfId(shown[1]) }
  }
  return undefined
}

/** The nodes by two fields; undefined if these make no tree. */
function nodesOf<Message>(
  messages: readonly Message[],
  fieldsOf: (message: Message) => JsonObject,
  fields: { id: string; parent: string },
): TreeNode<Message>[] | undefined {
  const nodes = messages.map((message, index): TreeNode<Message> => {
    const ids = idsIn(fieldsOf(message))
    return { message, id: ids.get(fields.id) ?? `#${index}`, parent: ids.get(fields.parent) }
  })
  const known = new Set(nodes.map(({ id }) => id))
  const links = nodes.filter(({ parent }) => known.has(parent ?? ''))
  if (links.length === 0 || nodes.some(({ id, parent }) => id === parent)) return undefined
  if (parentName.test(fields.parent)) return nodes
  // A reply that quotes an earlier message is none, and a number may count anything.
  const isClear = referenceName.test(fields.parent) || links.some(({ parent = '' }) => !/^\d+$/.test(parent))
  const haveAll = known.size === nodes.length && !nodes.some(({ id }) => id.startsWith('#'))
  return isClear && haveAll && links.length === nodes.length - 1 ? nodes : undefined
}

/** True if a message has two messages after it, or stands before its parent. */
function isTree(nodes: readonly TreeNode<unknown>[]): boolean {
  const seen = new Set<string>()
  const parents = new Set<string>()
  const ids = new Set(nodes.map(({ id }) => id))
  for (const { id, parent } of nodes) {
    if (parent !== undefined && ids.has(parent) && (parents.has(parent) || !seen.has(parent))) return true
    if (parent !== undefined) parents.add(parent)
    seen.add(id)
  }
  return false
}

/** The results of the calls of one message follow each other: they are no branches of it. */
function withResults<Message>(
  nodes: readonly TreeNode<Message>[],
  fieldsOf: (message: Message) => JsonObject,
): TreeNode<Message>[] {
  const groups = new Map<string, string[]>()
  const calls = new Set<string>()
  for (const { message, id, parent } of nodes) {
    const { tool_call_id: call } = fieldsOf(message)
    if (typeof call !== 'string' || parent === undefined || calls.has(call)) continue
    calls.add(call)
    getOrInsert(groups, parent, () => []).push(id)
  }
  const before = new Map<string, string>()
  const lastOf = new Map<string, string>()
  for (const group of groups.values())
    for (const [at, id] of group.entries()) {
      if (at > 0) before.set(id, group[at - 1] as string)
      lastOf.set(id, group.at(-1) as string)
    }
  return nodes.map((node) => {
    const { id, parent } = node
    return { ...node, parent: before.get(id) ?? (parent === undefined ? undefined : (lastOf.get(parent) ?? parent)) }
  })
}

/** Values that may be ids, by the names of their fields; also of objects in the object. */
function idsIn(fields: JsonObject, where = ''): Map<string, string> {
  const ids = new Map<string, string>()
  for (const [key, value] of Object.entries(fields)) {
    const id = textOfId(value)
    if (id !== undefined) ids.set(where + key, id)
    else if (where === '' && isObject(value)) for (const [name, each] of idsIn(value, `${key}.`)) ids.set(name, each)
  }
  return ids
}

const longestId = 200

function textOfId(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' && value.length <= longestId ? value : undefined
}
