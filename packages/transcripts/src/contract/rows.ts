import { asObject, describe, getOrInsert, isObject, type JsonObject } from '../json/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Place,
  type Placed,
  type ReaderContext,
  valueIn,
  within,
} from '../model/index.js'
import { type ColumnField, columnsOfObject, fieldAt, withoutField } from '../records/index.js'
import { type ConversationId, conversationIdIn, textOfId } from './conversation-id.js'
import { type FileRecord, type Format, placeIn, type Reader } from './format.js'
import { IdSearch } from './id-search.js'
import type { MessageList } from './message-list.js'
import { inOrder, withOrderLoss } from './order.js'
import { RowGroups } from './row-groups.js'
import { withVisibility } from './visibility.js'

interface ListOptions {
  /**
   * The field of an object that holds its messages; undefined if the object is a message. Default: every object is a
   * message.
   */
  listIn?(value: JsonObject): string | undefined
  /**
   * Reads an object that is neither a message nor a list with its head; undefined for any other. Default: there is no
   * such object.
   */
  wholeIn?(value: JsonObject, place: Place): (() => ConversationDraft[]) | undefined
  /** The reason why an object is a request without an answer, which is skipped. Default: no object is. */
  failureIn?(value: JsonObject): string | undefined
  /** The id of a message's conversation in a field of this format. Default: only the usual fields are read. */
  idIn?(message: unknown): string | undefined
  /** The fields of `ReadOptions.columns` that this format reads itself. Default: the reader gives it the usual fields. */
  maps?: readonly ColumnField[]
}

/** A message that is a record of its own. */
interface Row extends Placed {
  id: string | undefined
  head: JsonObject
}

/**
 * A reader of conversations that are lists of messages. A record is an array of messages, an object that holds one, or a
 * single message; any other record is reported. Single messages, and lists of messages that all have the id of a
 * conversation, are grouped by that id; consecutive messages without an id are one conversation.
 */
export function readerOfLists(
  { accepts }: Pick<Format, 'accepts'>,
  context: ReaderContext,
  { listIn = () => undefined, wholeIn = () => undefined, failureIn, idIn = () => undefined, maps }: ListOptions,
  read: (list: MessageList) => ConversationDraft,
): Reader {
  // One function: the group that a record joins depends on all records before it, so that its steps share the state.
  const { report } = context
  const chosen = context.options.columns ?? {}
  const isMapped = maps === undefined && [...usualNames.keys()].some((field) => chosen[field] !== undefined)
  const groups = new RowGroups<Row>(context.maxWaiting)
  let search = new IdSearch()

  function idOfRow(value: unknown): ConversationId | undefined {
    const own = chosen.id === undefined ? idIn(value) : undefined
    return own === undefined ? idInFields(value) : { field: '', id: own }
  }

  function idInFields(value: unknown): ConversationId | undefined {
    if (chosen.id === undefined) return conversationIdIn(value)
    const id = textOfId(fieldAt(value, chosen.id))
    return id === undefined ? undefined : { field: chosen.id, id }
  }

  function add(value: unknown, place: Place, head: JsonObject = {}): void {
    const found = idOfRow(value)
    if (found === undefined && chosen.id) return report(noId(chosen.id, value), place)
    const { field, id } = found ?? { field: '', id: undefined }
    context.account.note(id)
    if (id === undefined) search.add(Object.entries(asObject(value)), speakerOf(value))
    const key = id === undefined ? '' : `${field}\0${id}`
    if (groups.isComplete(key)) return report(rowTooLate(id ?? '', field), place)
    const path = isObject(fieldAt(value, field)) ? `${field}.id` : field
    groups.add(key, { value: withoutField(value, path), place, id, head }, place.offset)
  }

  function draftOf(rows: readonly Row[], id = rows[0]?.id): ConversationDraft[] {
    const [first] = rows
    if (first === undefined) return []
    const order = chosen.order ?? columnsOfObject(first.value).get('order')
    const draft = draftIn({ head: first.head, messages: rows, place: first.place }, order)
    return [id === undefined || draft.externalId !== undefined ? draft : { ...draft, externalId: id }]
  }

  function draftIn(list: MessageList, order: string | undefined): ConversationDraft {
    const messages = order && inOrder(list.messages, ({ value }) => fieldAt(value, order))
    if (chosen.order && !messages) report(noOrder(chosen.order), list.place)
    if (order && !maps) for (const { value } of list.messages) context.account.note(fieldAt(value, order))
    const listed = messages || list.messages
    const placed = {
      ...list,
      head: isMapped ? withUsualNames(list.head) : list.head,
      messages: isMapped ? listed.map(withMapped) : listed,
    }
    const draft = withVisibility(read(placed), list.messages, chosen.visible, context.account)
    return messages ? draft : withOrderLoss(draft)
  }

  /** A draft of an object that its format read itself. */
  function finished(draft: ConversationDraft, whole: unknown, { pointer }: Place): ConversationDraft {
    const messages = draft.turns.map((turn) => ({
      turn,
      value: valueIn(whole, turn.place.pointer.slice(pointer.length)),
    }))
    const sorted = chosen.order && inOrder(messages, ({ value }) => fieldAt(value, chosen.order))
    if (chosen.order && !sorted) report(noOrder(chosen.order), draft.place)
    if (sorted) for (const { value } of sorted) context.account.note(fieldAt(value, chosen.order))
    const turns = (sorted || messages).map(({ turn }) => turn)
    const placed = messages.map(({ turn: { place }, value }) => ({ place, value }))
    const visible = withVisibility({ ...draft, turns }, placed, chosen.visible, context.account)
    if (!sorted) return withOrderLoss(visible)
    const [before, after] = [draft.turns, turns].map((list) => list.find(({ createdAt }) => createdAt)?.createdAt)
    return after && before === draft.sourceTimestamp ? { ...visible, sourceTimestamp: after } : visible
  }

  /** The message with the mapped fields under names that every format reads. */
  function withMapped({ value, place }: Placed): Placed {
    return { value: isObject(value) ? withUsualNames(value) : value, place }
  }

  function withUsualNames(value: JsonObject): JsonObject {
    let mapped = value
    for (const [field, name] of usualNames) {
      const path = chosen[field]
      const found = path && fieldAt(value, path)
      if (path && found !== undefined) mapped = { ...asObject(withoutField(mapped, path)), [name]: found }
    }
    return mapped
  }

  /** An object with its messages, each with its mapped fields under the usual names. */
  function withAllMapped(value: unknown, depth = 0): unknown {
    if (depth > mappedDepth) return value
    if (Array.isArray(value)) return value.map((each) => withAllMapped(each, depth + 1))
    if (!isObject(value)) return value
    const fields = Object.entries(withUsualNames(value)).map(([key, each]) => [key, withAllMapped(each, depth + 1)])
    return Object.fromEntries(fields)
  }

  function* flush(): Generator<ConversationDraft> {
    const suspect = chosen.id === undefined ? search.found : undefined
    search = new IdSearch()
    for (const rows of groups.end()) {
      const place = rows[0]?.place
      const isNameless = rows[0]?.id === undefined
      const byId = isNameless && chosen.id === undefined ? conversationsOf(rows) : undefined
      if (byId) for (const [id, own] of byId) yield* draftOf(own, id)
      else {
        if (isNameless && suspect !== undefined && place) report(mayBeId('field', suspect), place)
        yield* draftOf(rows)
      }
    }
  }

  function readList(record: FileRecord, value: unknown, field: string): ConversationDraft[] {
    const place = placeIn(record)
    const head = asObject(value)
    const messages = isObject(value) ? elementsOf(value[field], within(place, field)) : elementsOf(value, place)
    const ids = new Set(messages.map((message) => idOfRow(message.value)?.id))
    const isOfRows = messages.length > 0 && !ids.has(undefined)
    const own = isObject(value) ? idInFields(value) : undefined
    if (isOfRows && own === undefined && (!isObject(value) || ids.size > 1 || chosen.id)) {
      for (const message of messages) add(message.value, message.place, asObject(withoutField(head, field)))
      return []
    }
    if (own === undefined && chosen.id) report(noId(chosen.id, value), place)
    const draft = draftIn({ head, messages, place }, chosen.order)
    return [...flush(), own ? withId(draft, own, chosen.id !== undefined) : draft]
  }

  return {
    maps: maps ?? ['id', 'order', 'visible', ...usualNames.keys()],
    read(record) {
      const { value } = record
      const place = placeIn(record)
      const failure = isObject(value) ? failureIn?.(value) : undefined
      if (failure !== undefined) {
        context.skip(failure, place)
        return [...flush()]
      }
      const whole = isObject(value) ? wholeIn(asObject(isMapped ? withAllMapped(value) : value), place) : undefined
      if (whole) {
        const id = idInFields(value)
        if (chosen.id && id === undefined) report(noId(chosen.id, value), place)
        const [first, ...others] = whole().map((draft) => finished(draft, value, place))
        return [
          ...flush(),
          ...(first && id ? [withId(first, id, chosen.id !== undefined)] : first ? [first] : []),
          ...others,
        ]
      }
      const field = isObject(value) ? listIn(value) : ''
      if (field === undefined) add(value, place)
      else if (typeof value === 'object' && value !== null) return readList(record, value, field)
      else {
        report(`expected ${accepts}; found ${describe(value)}`, place)
        return [...flush()]
      }
      return [...groups.overdue()].flatMap((rows) => draftOf(rows))
    },
    end: flush,
  }
}

/** The objects of an exchange with its messages, such as those in `response.body.choices`. */
const mappedDepth = 8

/** The names under which every format finds what the user maps. */
const usualNames: ReadonlyMap<ColumnField, string> = new Map([
  ['time', 'created_at'],
  ['model', 'model'],
])

/** The id of the conversation becomes the external id, unless the format finds another one. Then it is no loss. */
function withId(draft: ConversationDraft, { field, id }: ConversationId, isChosen: boolean): ConversationDraft {
  if (draft.externalId === id || (draft.externalId !== undefined && !isChosen)) return draft
  const losses = draft.losses.filter(({ what }) => what !== `field "${field}"`)
  const { [field]: value, ...others } = draft.metadata ?? {}
  const metadata = String(value) === id ? others : draft.metadata
  const { metadata: _, ...fields } = draft
  return { ...fields, externalId: id, ...(metadata && Object.keys(metadata).length > 0 && { metadata }), losses }
}

/** Messages by their plain `id`, if speakers share one; otherwise that id is of the message. */
function conversationsOf(rows: readonly Row[]): Map<string, Row[]> | undefined {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const id = textOfId(asObject(row.value).id)
    if (id === undefined) return undefined
    getOrInsert(groups, id, () => []).push(row)
  }
  const isShared = ([first, ...others]: readonly Row[]) =>
    others.some(({ value }) => speakerOf(value) !== speakerOf(first?.value))
  return [...groups.values()].some(isShared) ? groups : undefined
}

function speakerOf(value: unknown): string {
  const speaker = fieldAt(value, columnsOfObject(value).get('role'))
  return typeof speaker === 'string' ? speaker : (JSON.stringify(speaker) ?? '')
}

const noId = (field: string, value: unknown): string =>
  `expected a field ${JSON.stringify(field)} with the id of the conversation; found ${describe(value)}`

const noOrder = (field: string): string =>
  `expected numbers or times in the field ${JSON.stringify(field)} of each message, which gives their order`

/** The problem of rows that are one conversation only if a field that looks like an id is none. */
export const mayBeId = (noun: 'field' | 'column', name: string): string =>
  `the ${noun} ${JSON.stringify(name)} may hold the id of the conversation; give --map ${JSON.stringify(`id=${name}`)}, or --map id= if all rows are one conversation`

/** The problem of a record that comes when its conversation is complete. */
export const tooLate = (records: string, id: string, order: string): string =>
  `expected the ${records} ${JSON.stringify(id.slice(0, 100))} closer to each other; sort the file by ${order}`

/** The problem of such a row. `name`: the column or field of the id. */
export const rowTooLate = (id: string, name: string): string =>
  tooLate('rows of conversation', id, JSON.stringify(name))
