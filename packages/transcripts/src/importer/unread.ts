import { type ConversationDraft, Losses, type UnreadText } from '../model/index.js'
import { draftsAround } from './drafts-around.js'

/**
 * Count each text that nobody read as a loss of the draft with turns to which its place belongs, else of the last one. If no draft has
 * turns, any one counts. A message that holds such a text is not called empty.
 */
export function countUnread(texts: readonly UnreadText[], all: readonly ConversationDraft[]): void {
  const filled = all.filter(({ turns }) => turns.length > 0)
  const drafts = filled.length > 0 ? filled : all
  const around = draftsAround(drafts)
  const counted = new Map<ConversationDraft, Losses>()
  const holding = new Set<string>()
  for (const text of texts) {
    const draft = around(text.place).at(-1) ?? drafts.at(-1)
    if (draft === undefined) continue
    const losses = counted.get(draft) ?? new Losses()
    if (!counted.has(draft)) losses.addAll(draft.losses)
    counted.set(draft, losses)
    losses.addUnread(text)
    if (text.dropped === undefined || holding.has(text.dropped)) continue
    holding.add(text.dropped)
    losses.replaceOne('empty message', 'message without content')
  }
  for (const [draft, losses] of counted) draft.losses = losses.list()
}
