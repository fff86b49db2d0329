import { type ConversationDraft, Losses, type Place, type UnreadText } from '../model/index.js'

/**
 * Count each text that nobody read as a loss of the draft with turns that is around it, else of the last one. If no draft has
 * turns, any one counts.
 */
export function countUnread(texts: readonly UnreadText[], all: readonly ConversationDraft[]): void {
  const filled = all.filter(({ turns }) => turns.length > 0)
  const drafts = filled.length > 0 ? filled : all
  const draftAround = innermostOf(drafts)
  const counted = new Map<ConversationDraft, Losses>()
  for (const text of texts) {
    const draft = draftAround(text.place) ?? drafts.at(-1)
    if (draft === undefined) continue
    const losses = counted.get(draft) ?? new Losses()
    if (!counted.has(draft)) losses.addAll(draft.losses)
    counted.set(draft, losses)
    losses.addUnread(text)
  }
  for (const [draft, losses] of counted) draft.losses = losses.list()
}

/** A function that finds the innermost draft around a place; of drafts at one place the last. */
function innermostOf(drafts: readonly ConversationDraft[]): (place: Place) => ConversationDraft | undefined {
  const keyOf = ({ record, member = '' }: Place, pointer: string) => `${record} ${pointer}\n${member}`
  const placed = new Map(drafts.map((draft) => [keyOf(draft.place, draft.place.pointer), draft]))
  return (place) => {
    let { pointer } = place
    for (;;) {
      const found = placed.get(keyOf(place, pointer))
      if (found !== undefined || pointer === '') return found
      pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    }
  }
}
