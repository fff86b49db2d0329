import { asList, asObject, getOrInsert } from '../json/index.js'
import { type ConversationDraft, isWithin, type Place, type ReaderContext, type Turn, valueIn } from '../model/index.js'
import { asBranch, branchesOfList, withBranchLosses } from './message-tree.js'

/**
 * The conversations of a record whose format reads its lists of messages itself. Messages that name their parents are a tree
 * there, too: the newest branch is kept, and others are conversations on request.
 *
 * @param value the record at `place`
 */
export const withBranches = (
  drafts: readonly ConversationDraft[],
  value: unknown,
  place: Place,
  context: ReaderContext,
): readonly ConversationDraft[] => drafts.flatMap((draft) => branchesOfDraft(draft, value, place, context))

function branchesOfDraft(
  draft: ConversationDraft,
  value: unknown,
  place: Place,
  context: ReaderContext,
): readonly ConversationDraft[] {
  const { turns, losses, externalId } = draft
  const { branches: keepsOthers } = context.options
  for (const list of listsOf(turns, value, place)) {
    const messages = asList(valueIn(value, list.pointer.slice(place.pointer.length)))
    const byIndex = new Map<number, Turn[]>()
    const beside: Turn[] = []
    let before = 0
    for (const turn of turns) {
      if (isWithin(turn.place, list)) getOrInsert(byIndex, indexIn(list, turn.place), () => []).push(turn)
      else if (beside.push(turn) && byIndex.size === 0) before++
    }
    // A format that has chosen a branch has no turns of another.
    const read = [...byIndex.keys()]
    const { main, moved, others } = branchesOfList(read, (at) => asObject(messages[at]), context.account)
    const hidden = read.length - main.length
    if (hidden === 0 && moved === 0) continue
    const turnsOf = (kept: readonly number[]): Turn[] => [
      ...beside.slice(0, before),
      ...kept.flatMap((at) => byIndex.get(at) ?? []),
      ...beside.slice(before),
    ]
    const kept = { ...draft, turns: turnsOf(main), losses: withBranchLosses(losses, keepsOthers ? 0 : hidden, moved) }
    const asides = keepsOthers ? others() : []
    return [kept, ...asides.map((each) => asBranch({ ...draft, turns: turnsOf(each.messages) }, externalId, each.leaf))]
  }
  return [draft]
}

/** The places of the outermost lists in a record that hold turns. */
function listsOf(turns: readonly Turn[], value: unknown, place: Place): Place[] {
  const lists: Place[] = []
  for (const turn of turns) {
    if (!isWithin(turn.place, place) || lists.some((list) => isWithin(turn.place, list))) continue
    let path = ''
    let at = value
    for (const step of turn.place.pointer.slice(place.pointer.length).split('/').slice(1)) {
      if (Array.isArray(at)) break
      path += `/${step}`
      at = valueIn(at, `/${step}`)
    }
    if (Array.isArray(at)) lists.push({ ...place, pointer: place.pointer + path })
  }
  return lists
}

const indexIn = (list: Place, { pointer }: Place): number =>
  Number(pointer.slice(list.pointer.length + 1).split('/')[0])
