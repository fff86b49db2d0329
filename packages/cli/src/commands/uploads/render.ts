import type { Entry } from './books.js'

export const itemHeader = ['STATE', 'ID', 'TURNS', 'NAME', 'FROM', 'AT', 'KEY'] as const

/** Where an item comes from, as a person reads it. */
export const fromOf = ({ item: { intent } }: Entry): string =>
  intent ? `${intent.path}${intent.record > 1 ? ` record ${intent.record}` : ''}` : ''

export function itemRow(entry: Entry): string[] {
  const { state, ids, turns, name = '', at, key } = entry.item
  return [state, ids.at(-1) ?? '', turns === undefined ? '' : String(turns), name, fromOf(entry), at, key]
}

/** An item as a JSON object. */
export function itemJson({ item, book }: Entry) {
  const { key, state, ids, status, refusal, candidates, name, turns, intent, at, sentAt, run } = item
  return {
    schema: 'svc/upload-item@1',
    key,
    state,
    id: ids.at(-1) ?? null,
    ids,
    processing_status: status ?? null,
    refused_with: state === 'refused' ? (refusal ?? null) : null,
    candidates,
    name: name ?? null,
    turn_count: turns ?? null,
    external_id: intent?.externalId ?? null,
    path: intent?.path ?? null,
    record: intent?.record ?? null,
    occurrence: intent?.occurrence ?? null,
    part: intent?.part ?? null,
    project: book.target.project,
    base_url: book.target.baseUrl,
    sent_at: sentAt ?? null,
    at,
    run,
  }
}
