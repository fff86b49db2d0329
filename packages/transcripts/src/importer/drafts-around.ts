import type { ConversationDraft, Place } from '../model/index.js'

type Records = Pick<Place, 'record' | 'member'>

export const keyOfRecord = ({ record, member = '' }: Records): string => `${record} ${member}`

/** The records of a draft. */
export function recordsOf({ place, turns, rows }: ConversationDraft): string[] {
  return [...new Set((rows ?? [place, ...turns.map((turn) => turn.place)]).map(keyOfRecord))]
}

/**
 * A function that finds the drafts to which a place belongs: the innermost one around it; else those inside it, or all of its
 * record, unless it is an element of the list that holds them; else those with a row or turn in its record.
 */
export function draftsAround(drafts: readonly ConversationDraft[]): (place: Place) => readonly ConversationDraft[] {
  const byPlace = new Map<string, ConversationDraft[]>()
  const byRecord = new Map<string, Set<ConversationDraft>>()
  const lists = new Set<string>()
  const keyOf = (place: Place, pointer: string) => `${keyOfRecord(place)}\n${pointer}`
  for (const draft of drafts) {
    for (const place of draft.rows ?? [draft.place]) {
      const key = keyOf(place, place.pointer)
      const known = byPlace.get(key)
      if (known?.at(-1) !== draft) byPlace.set(key, [...(known ?? []), draft])
      if (place.pointer !== '') lists.add(keyOf(place, parentOf(place.pointer)))
    }
    for (const record of recordsOf(draft)) {
      const those = byRecord.get(record)
      if (those) those.add(draft)
      else byRecord.set(record, new Set([draft]))
    }
  }
  return (place) => {
    for (let { pointer } = place; ; pointer = parentOf(pointer)) {
      const found = byPlace.get(keyOf(place, pointer))
      if (found) return found
      if (pointer === '') break
      if (lists.has(keyOf(place, parentOf(pointer)))) return []
    }
    return [...(byRecord.get(keyOfRecord(place)) ?? [])]
  }
}

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))
