import { addBlocks, branchesOf, type Parents, pathOf } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { getOrInsert, isObject, textOf } from '../../json/index.js'
import { holdsText, type Losses, reasons } from '../../model/index.js'
import { type Entry, isClearCommand, isDescribed, isToolResult, splitUserText, type TextPiece } from './entry.js'

/** One conversation for each `/clear`. One before any message begins no new conversation. */
export function splitAtClear(entries: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [[]]
  let hasTurns = false
  for (const entry of entries) {
    const clears = isClearCommand(entry)
    if (clears && hasTurns) {
      parts.push([])
      hasTurns = false
    }
    parts.at(-1)?.push(entry)
    hasTurns ||= !clears && entry.role !== 'system' && hasUserText(entry)
  }
  // Nothing follows the last `/clear`.
  if (!hasTurns && parts.length > 1) {
    const afterClear = parts.pop() ?? []
    parts.at(-1)?.push(...afterClear)
  }
  return parts
}

function hasUserText({ role, content }: Entry): boolean {
  if (role === 'assistant' || typeof content !== 'string') return true
  return splitUserText(content).some((piece) => piece.role === 'user')
}

/** The entries of a log, to find those that a resumed run writes again, with other ids. */
export class Written {
  /** By role and mark: the only entry, or several by their content. */
  readonly #known = new Map<string, Entry | Map<string, Entry>>()

  /** The entry that this one repeats: the same content of the same API message, or at the same time. */
  add(entry: Entry): Entry | undefined {
    const { role, message, at } = entry
    const mark = message ?? at
    if (typeof mark !== 'string') return undefined
    const key = `${role} ${mark}`
    const known = this.#known.get(key)
    if (known === undefined) {
      this.#known.set(key, entry)
      return undefined
    }
    const byContent = known instanceof Map ? known : new Map([[JSON.stringify(known.content), known]])
    this.#known.set(key, byContent)
    const content = JSON.stringify(entry.content)
    const first = byContent.get(content)
    if (first === undefined) byContent.set(content, entry)
    return first
  }
}

/**
 * The lines of one API message as one entry: each has other blocks, or those before it and more. Results of tools that
 * ran meanwhile may stand between the lines.
 */
export function mergeMessages(entries: readonly Entry[], parents: Parents, losses: Losses): Entry[] {
  let above: ReturnType<typeof aboveIn> | undefined
  const isBetweenAnswers = (uuid: string, { uuids }: MergedMessage): boolean => {
    above ??= aboveIn(entries, parents)
    return uuids.has(above(uuid) ?? '')
  }
  const whole: MergedMessage[] = []
  const byMessage = new Map<string, MergedMessage>()
  for (const entry of entries) {
    const { role, message, uuid } = entry
    const known = role === 'assistant' && message !== undefined ? byMessage.get(message) : undefined
    const goesOn = known && (known === whole.at(-1) || (uuid !== undefined && isBetweenAnswers(uuid, known)))
    const fold: MergedMessage = goesOn ? known : { entry, end: undefined, blocks: new Map(), uuids: new Set() }
    if (goesOn && fold.blocks.size === 0) addBlocksOf(fold.entry, fold.blocks, losses)
    if (goesOn) addBlocksOf(entry, fold.blocks, losses)
    else whole.push(fold)
    fold.end = entry.end ?? fold.end
    if (message !== undefined) byMessage.set(message, fold)
    if (uuid !== undefined) fold.uuids.add(uuid)
  }
  return whole.map(({ entry, end, blocks }) =>
    blocks.size > 0 ? { ...entry, end, content: [...blocks.values()] } : entry,
  )
}

interface MergedMessage {
  entry: Entry
  /** The end in the last line that has one. */
  end: Entry['end']
  uuids: Set<string>
  /** All blocks by what makes them equal, once there are several lines. */
  blocks: Map<string, unknown>
}

function addBlocksOf(line: Entry, blocks: MergedMessage['blocks'], losses: Losses): void {
  const earlier = [...blocks.keys()]
  for (const [index, block] of blocksOf(line).entries()) {
    const key = sameKey(block)
    // A snapshot has all blocks of the message so far; the last one of them may have grown.
    const grown = [earlier[index], earlier.at(-1)].find((each) => each !== undefined && isGrown(each, key))
    if (grown !== undefined && !blocks.has(key)) {
      losses.noteAll(blocks.get(grown))
      losses.add('merged', 'earlier version of a text', reasons.repeated)
      blocks.delete(grown)
    }
    const known = blocks.get(key)
    const isNewer = known === undefined || key.startsWith(callKey)
    const replaced = isNewer ? known : block
    losses.noteAll(replaced)
    // A snapshot repeats a block; only its last version is read.
    if (replaced !== undefined && !isRepeat(replaced, isNewer ? block : known))
      losses.add('merged', 'earlier version of a block', reasons.repeated)
    if (isNewer) blocks.set(key, block)
  }
}

/** True if a block says nothing that the other one does not. The input of a call may come later. */
function isRepeat(block: unknown, other: unknown): boolean {
  if (!isObject(block) || !isObject(other)) return true
  return Object.entries(block).every(
    ([name, value]) => !holdsText(value) || JSON.stringify(value) === JSON.stringify(other[name]),
  )
}

const callKey = 'call '
const textKey = 'text '

const isGrown = (before: string, key: string) => before.startsWith(textKey) && key.startsWith(before)

/** Equal for equal blocks. The text alone decides: its repetition may have other citations. A call may get its input later. */
function sameKey(block: unknown): string {
  if (!isObject(block)) return JSON.stringify(block)
  const { type, text, thinking, id } = block
  const own = text ?? thinking
  if (typeof own === 'string') return `${textKey}${textOf(type)} ${own}`
  return type === 'tool_use' && typeof id === 'string' ? `${callKey}${id}` : JSON.stringify(block)
}

function blocksOf({ content }: Entry): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** Add the turns of an entry. Returns the text that the user typed. */
export function addEntry(entry: Entry, conversation: ConversationBuilder): string | undefined {
  const { role, content, place, at, model, message, kind, end } = entry
  if (role === 'assistant') addBlocks('assistant', content, { place, at, model, message, metadata: end }, conversation)
  else if (role === 'system') conversation.addMessage('system', content, { place, at, metadata: { kind } })
  else return addUser(entry, conversation)
  return undefined
}

/** Results come first, then runs of typed and injected text. */
function addUser(entry: Entry, conversation: ConversationBuilder): string | undefined {
  const { place, at } = entry
  const blocks = blocksOf(entry)
  const results = blocks.filter(isToolResult)
  if (results.length > 0) addBlocks('user', results, { place, at }, conversation)
  const runs: { role: TextPiece['role']; kind?: string | undefined; parts: unknown[] }[] = []
  let firstText: string | undefined
  for (const block of blocks) {
    if (isToolResult(block)) continue
    const text = isObject(block) ? block.text : block
    conversation.losses.note(text)
    if (typeof text === 'string' && isDescribed(text)) {
      conversation.losses.drop('message of a command', reasons.notConversation)
    }
    for (const { role, kind, part } of piecesOf(block)) {
      const last = runs.at(-1)
      if (last && last.role === role && last.kind === kind) last.parts.push(part)
      else runs.push({ role, kind, parts: [part] })
      if (role === 'user' && kind !== 'interruption' && isObject(part)) firstText ??= nonBlank(part.text)
    }
  }
  for (const { role, kind, parts } of runs) {
    const metadata = kind === undefined ? undefined : { kind }
    addBlocks(role, parts, { place, at, metadata }, conversation)
  }
  return firstText
}

function piecesOf(block: unknown): { role: TextPiece['role']; kind?: string | undefined; part: unknown }[] {
  if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string')
    return [{ role: 'user', part: block }]
  const { text } = block
  return splitUserText(text).map((piece) => ({
    role: piece.role,
    kind: piece.kind,
    part: piece.text === text ? block : { type: 'text', text: piece.text },
  }))
}

function nonBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/**
 * The kept entries, those of each abandoned branch from its root, and the number that only such branches have. A session is a tree, and the path to its newest entry was kept. Parallel tools and lines without content fork it too:
 * a fork leaves a branch only if the user asks again or the assistant answers again.
 */
export function keptBranch(entries: readonly Entry[], parents: Parents) {
  const ids = entries.flatMap(({ uuid }) => uuid ?? [])
  const { isKept, others } = branchesOf(ids, parents)
  if (others.length === 0) return { entries, others: () => [], abandoned: 0 }
  const abandoned = abandonedEntries(entries, parents, isKept)
  return {
    entries: entries.filter(({ uuid }) => uuid === undefined || !abandoned.has(uuid)),
    others: () => {
      const path = pathReader(entries, parents)
      return others.filter((leaf) => abandoned.has(leaf)).map((leaf) => ({ leaf, entries: path(leaf) }))
    },
    abandoned: abandoned.size,
  }
}

function abandonedEntries(entries: readonly Entry[], parents: Parents, isKept: (id: string) => boolean): Set<string> {
  const above = aboveIn(entries, parents)
  const messages = new Set<string>()
  for (const { uuid, message } of entries) if (uuid && message && isKept(uuid)) messages.add(message)
  const followers = new Map<string, Entry>()
  for (const entry of entries) {
    const fork = entry.uuid !== undefined && isKept(entry.uuid) ? above(entry.uuid) : undefined
    if (fork !== undefined && !followers.has(fork)) followers.set(fork, entry)
  }
  const abandoned = new Set<string>()
  const isAbandoned = (entry: Entry, uuid: string): boolean => {
    const fork = above(uuid)
    if (fork === undefined) return false
    if (abandoned.has(fork)) return true
    if (entry.message !== undefined && messages.has(entry.message)) return false
    const follower = followers.get(fork)
    return follower !== undefined && !isResult(entry) && !isResult(follower) && entry.role === follower.role
  }
  for (const entry of entries) {
    const { uuid } = entry
    if (uuid !== undefined && !isKept(uuid) && isAbandoned(entry, uuid)) abandoned.add(uuid)
  }
  return abandoned
}

/** Find the entry before an entry, skipping lines without content; the id of the root if there is none. */
function aboveIn(entries: readonly Entry[], parents: Parents): (uuid: string) => string | undefined {
  const ids = new Set(entries.map(({ uuid }) => uuid))
  const known = new Map<string, string>()
  return (uuid) => {
    const parent = parents.get(uuid)
    if (parent === undefined || ids.has(parent)) return parent
    const passed = new Set<string>()
    let at = parent
    while (!ids.has(at) && !known.has(at) && !passed.has(at)) {
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

function isResult({ content }: Entry): boolean {
  return typeof content !== 'string' && content.some(isToolResult)
}

/**
 * A function that finds the entries of a branch in the order of the file. A tool result beside the path to a leaf belongs to it
 * if its call does.
 */
function pathReader(entries: readonly Entry[], parents: Parents): (leaf: string) => Entry[] {
  const places = new Map<string, Set<number>>()
  const add = (uuid: string, place: number) => getOrInsert(places, uuid, () => new Set<number>()).add(place)
  for (const [place, entry] of entries.entries()) {
    if (entry.uuid === undefined) continue
    add(entry.uuid, place)
    const parent = isResult(entry) ? parents.get(entry.uuid) : undefined
    if (parent !== undefined) add(parent, place)
  }
  return (leaf) => {
    const found = new Set([...pathOf(leaf, parents)].flatMap((uuid) => [...(places.get(uuid) ?? [])]))
    return [...found].sort((a, b) => a - b).flatMap((place) => entries[place] ?? [])
  }
}
