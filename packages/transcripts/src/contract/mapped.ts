import { type Place, type Placed, type ReaderContext, valueIn } from '../model/index.js'
import { type ColumnField, columnFields, fieldAt } from '../records/index.js'
import { inOrder, noOrder } from './order.js'

/** The parts of messages, which a declaration places; the rest belongs to a conversation or stands beside the parts. */
const parts: ReadonlySet<ColumnField> = new Set(['role', 'content', 'tool', 'args', 'user', 'assistant', 'system'])

/** The fields that a user may map in every declared format. */
export const declaredMaps: readonly ColumnField[] = columnFields.filter((field) => !parts.has(field))

/** The value of a field that the user maps, in the first of these objects that has it. */
export function mappedIn(
  holders: readonly unknown[],
  field: ColumnField | undefined,
  { options, usedMaps }: ReaderContext,
): unknown {
  const path = field && options.columns?.[field]
  if (!path) return undefined
  const found = holders.map((holder) => fieldAt(holder, path)).find((value) => (value ?? undefined) !== undefined)
  if (found !== undefined) usedMaps?.add(field)
  return found
}

/** A function that finds the time and the model that the user maps, for a place in one of the messages; undefined without a map. */
export function mappedMessages(
  messages: readonly Placed[],
  context: ReaderContext,
): ((place: Place) => { at: unknown; model: unknown }) | undefined {
  const { time, model } = context.options.columns ?? {}
  if (!time && !model) return undefined
  const byPlace = new Map(messages.map(({ place, value }) => [keyOf(place, place.pointer), value]))
  return (place) => {
    let { pointer } = place
    while (pointer !== '' && !byPlace.has(keyOf(place, pointer))) pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    const steps = place.pointer.slice(pointer.length).split('/')
    const message = byPlace.get(keyOf(place, pointer))
    // The innermost object first: the content of a message may have a field of its own.
    const holders = steps.map((_, at) => valueIn(message, steps.slice(0, steps.length - at).join('/')))
    return { at: mappedIn(holders, 'time', context), model: mappedIn(holders, 'model', context) }
  }
}

/** The messages in the order that the user maps, which is reported if they do not have it; undefined without a map. */
export function mappedOrder(
  messages: readonly Placed[],
  place: Place,
  { options, account, report }: ReaderContext,
): readonly Placed[] | undefined {
  const path = options.columns?.order
  if (!path) return undefined
  const sorted = inOrder(messages, ({ value }) => fieldAt(value, path))
  if (!sorted) report(noOrder(path), place)
  else for (const { value } of sorted) account.note(fieldAt(value, path))
  return sorted
}

const keyOf = ({ record, member = '' }: Place, pointer: string): string => `${record} ${member} ${pointer}`
