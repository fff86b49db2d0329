import { asObject, describe, getOrInsert, isObject, type JsonObject } from '../json/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Place,
  type Placed,
  type ReaderContext,
  startOfFile,
  valueIn,
  within,
} from '../model/index.js'
import { type ColumnField, columnsOfObject, fieldAt, nearestMap, withoutField } from '../records/index.js'
import { type ConversationId, conversationIdIn, textOfId } from './conversation-id.js'
import { type FileRecord, type Format, placeIn, type Reader } from './format.js'
import { IdSearch } from './id-search.js'
import { declaredMaps } from './mapped.js'
import type { MessageList } from './message-list.js'
import { asBranch, branchesOfList, unbranched, withBranchLosses } from './message-tree.js'
import { inOrder, noOrder, withOrderLoss } from './order.js'
import { withBranches } from './record-branches.js'
import { type RowGroup, RowGroups } from './row-groups.js'
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
  failureIn?: ((value: JsonObject) => string | undefined) | undefined
  /** True for a list that is one message. Default: no list is. */
  isRow?: ((value: unknown) => boolean) | undefined
  /** The id of a message's conversation in a field of this format. Default: only the usual fields are read. */
  idIn?(message: unknown): string | undefined
  /** True if the format finds the branches of messages itself. Default: the reader finds them, and gives the format one at a time. */
  readsTrees?: boolean
  /** The fields of `ReadOptions.columns` that this format reads itself. Default: those of a declaration. */
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
  {
    listIn = () => undefined,
    wholeIn = () => undefined,
    failureIn,
    idIn = () => undefined,
    isRow = () => false,
    readsTrees,
    maps,
  }: ListOptions,
  read: (list: MessageList) => ConversationDraft | readonly ConversationDraft[],
): Reader {
  const { report, account } = context
  const chosen = context.options.columns ?? {}
  const groups = new RowGroups<Row>(context)
  /** True once a message has had the id of a conversation. */
  let hasIds = false
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
    if (found === undefined && (chosen.id || hasIds)) return lose(noId(chosen.id, value), value, place)
    const { field, id } = found ?? { field: '', id: undefined }
    account.note(id)
    if (id === undefined) search.add(Object.entries(asObject(value)), speakerOf(value))
    else if (!hasIds) {
      hasIds = true
      // The messages before it that have no id may belong to any conversation.
      const nameless = groups.take('')
      for (const row of nameless?.rows ?? []) lose(noId(undefined, row.value), row.value, row.place)
      if (nameless) context.tally.end([nameless])
    }
    const key = id === undefined ? '' : `${field}\0${id}`
    if (groups.isComplete(key)) {
      account.note(value)
      return context.reportLate(rowTooLate(id ?? '', field), place, id ?? '')
    }
    const path = isObject(fieldAt(value, field)) ? `${field}.id` : field
    groups.add(key, { value: withoutField(value, path), place, id, head }, place.offset)
  }

  function lose(message: string, value: unknown, place: Place): void {
    account.note(value)
    groups.lose(context.lose(message, place))
  }

  function draftOf(group: RowGroup<Row>): ConversationDraft[] {
    const { rows, lostRecords } = group
    return draftsOfRows(rows).map((draft) => ({ ...draft, origins: [...(draft.origins ?? []), group], lostRecords }))
  }

  function draftsOfRows(rows: readonly Row[]): ConversationDraft[] {
    const [first] = rows
    if (first === undefined) return []
    if (first.id !== undefined) return draftsOf(rows, first.id)
    const byId = chosen.id === undefined ? conversationsOf(rows) : undefined
    if (byId) return [...byId].flatMap(([id, own]) => draftsOf(own, id))
    const suspect = chosen.id === undefined ? search.found : undefined
    if (suspect !== undefined) report(mayBeId('field', suspect), first.place)
    return draftsOf(rows, undefined)
  }

  /** The conversation of rows, and its branches. */
  function draftsOf(rows: readonly Row[], id: string | undefined): ConversationDraft[] {
    const { head = {}, place = startOfFile, value } = rows[0] ?? {}
    const order = chosen.order ?? columnsOfObject(value).get('order')
    return draftsIn({ head, messages: rows, place }, order, id).map((draft) => {
      const isNamed = id === undefined || (draft.externalId !== undefined && !chosen.id)
      return { ...draft, ...(!isNamed && { externalId: id }), rows: rows.map((row) => row.place) }
    })
  }

  /** The conversation of a list, and its branches. `id`: the id of the conversation, if it stands elsewhere. */
  function draftsIn(list: MessageList, order: string | undefined, id: string | undefined): ConversationDraft[] {
    const sorted = order && inOrder(list.messages, ({ value }) => fieldAt(value, order))
    if (chosen.order && !sorted) report(noOrder(chosen.order), list.place)
    if (order && !maps) for (const { value } of list.messages) account.note(fieldAt(value, order))
    const listed = sorted || list.messages
    const { main, moved, others } = readsTrees
      ? unbranched(listed)
      : branchesOfList(listed, asFields, account, list.head)
    const [first, ...more] = draftsOfBranch(list, main, Boolean(sorted) || moved > 0)
    if (first === undefined) return []
    if (!context.options.branches) {
      const kept = new Set(main)
      const hidden = listed.filter((message) => !kept.has(message))
      account.note(hidden.map(({ value }) => value))
      return [{ ...first, losses: withBranchLosses(first.losses, hidden.length, moved) }, ...more]
    }
    const session = first.externalId ?? id
    const branches = others().flatMap(({ leaf, messages }) =>
      draftsOfBranch(list, messages, true).map((draft) => asBranch(draft, session, leaf)),
    )
    return [{ ...first, losses: withBranchLosses(first.losses, 0, moved) }, ...more, ...branches]
  }

  function draftsOfBranch(list: MessageList, messages: readonly Placed[], isOrdered: boolean): ConversationDraft[] {
    return [read({ ...list, messages })].flat().map((draft) => {
      const visible = withVisibility(draft, messages, context)
      return isOrdered ? visible : withOrderLoss(visible)
    })
  }

  /** A draft of an object that its format read itself. */
  function finished(draft: ConversationDraft, whole: unknown, { pointer }: Place): ConversationDraft {
    const messages = draft.turns.map((turn) => ({
      turn,
      value: valueIn(whole, turn.place.pointer.slice(pointer.length)),
    }))
    const sorted = chosen.order && inOrder(messages, ({ value }) => fieldAt(value, chosen.order))
    if (chosen.order && !sorted) report(noOrder(chosen.order), draft.place)
    if (sorted) for (const { value } of sorted) account.note(fieldAt(value, chosen.order))
    const turns = (sorted || messages).map(({ turn }) => turn)
    const placed = messages.map(({ turn: { place }, value }) => ({ place, value }))
    const visible = withVisibility({ ...draft, turns }, placed, context)
    if (!sorted) return withOrderLoss(visible)
    const [before, after] = [draft.turns, turns].map((list) => list.find(({ createdAt }) => createdAt)?.createdAt)
    return after && before === draft.sourceTimestamp ? { ...visible, sourceTimestamp: after } : visible
  }

  /** The conversation of the messages without an id: any other record ends it. */
  function endRun(): ConversationDraft[] {
    const group = groups.take('')
    const drafts = group ? draftOf(group) : []
    groups.endRun()
    search = new IdSearch()
    return drafts
  }

  /** A record that is a list of messages, or holds one. */
  function readList(record: FileRecord, value: unknown, field: string): ConversationDraft[] {
    const place = placeIn(record)
    const head = asObject(value)
    const messages = isObject(value) ? elementsOf(value[field], within(place, field)) : elementsOf(value, place)
    // In a file of messages, a list without one stands in place of a message.
    if (hasIds && !isObject(value) && !messages.some((message) => isObject(message.value))) {
      lose(`expected ${accepts}; found ${describe(value)}`, value, place)
      return []
    }
    const ids = new Set(messages.map((message) => idOfRow(message.value)?.id))
    const isOfRows = messages.length > 0 && !ids.has(undefined)
    const own = isObject(value) ? idInFields(value) : undefined
    if (isOfRows && own === undefined && (!isObject(value) || ids.size > 1 || chosen.id)) {
      for (const message of messages) add(message.value, message.place, asObject(withoutField(head, field)))
      return []
    }
    if (own === undefined && chosen.id) report(noId(chosen.id, value), place)
    const [first, ...others] = draftsIn({ head, messages, place }, chosen.order, own?.id)
    const named = first && own ? withId(first, own, chosen.id !== undefined) : first
    return [...endRun(), ...(named ? [named, ...others] : [])]
  }

  /** A record that the format reads itself. */
  function readWhole(value: JsonObject, place: Place, whole: () => ConversationDraft[]): ConversationDraft[] {
    const id = idInFields(value)
    if (chosen.id && id === undefined) report(noId(chosen.id, value), place)
    const [first, ...others] = withBranches(whole(), value, place, context).map((draft) =>
      finished(draft, value, place),
    )
    const named = first && id ? withId(first, id, chosen.id !== undefined) : first
    return [...endRun(), ...(named ? [named, ...others] : [])]
  }

  return {
    maps: maps ?? declaredMaps,
    read(record) {
      const { value } = record
      const place = placeIn(record)
      const failure = isObject(value) ? failureIn?.(value) : undefined
      if (failure !== undefined) {
        context.skip(failure, place)
        return endRun()
      }
      if (isObject(value)) {
        const whole = wholeIn(value, place)
        if (whole) return readWhole(value, place, whole)
      }
      const field = isObject(value) ? listIn(value) : isRow(value) ? undefined : ''
      if (field === undefined) add(value, place)
      else if (typeof value === 'object' && value !== null) return readList(record, value, field)
      else lose(`expected ${accepts}; found ${describe(value)}`, value, place)
      return [...groups.overdue()].flatMap(draftOf)
    },
    lose: (problem) => groups.lose(problem),
    *end() {
      for (const group of groups.end()) yield* draftOf(group)
    },
  }
}

const asFields = ({ value }: Placed) => asObject(value)

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

export const noId = (field: string | undefined, value: unknown): string =>
  field === undefined
    ? `expected the id of the conversation, as other messages have it; found ${describe(value)}`
    : `expected a field ${JSON.stringify(field)} with the id of the conversation; found ${describe(value)}${nearestMap([['id', field]], Object.keys(asObject(value)))}`

/** The problem of rows that are one conversation only if a field that looks like an id is none. */
export const mayBeId = (noun: 'field' | 'column', name: string): string =>
  `the ${noun} ${JSON.stringify(name)} may hold the id of the conversation; give --map ${JSON.stringify(`id=${name}`)}, or --map id= if all rows are one conversation`

/** The problem of a record that comes when its conversation is complete. */
export const tooLate = (records: string, id: string, order: string): string =>
  `expected the ${records} ${JSON.stringify(id.slice(0, 100))} closer to each other; sort the file by ${order}`

/** The problem of such a row. `name`: the column or field of the id. */
export const rowTooLate = (id: string, name: string): string =>
  tooLate('rows of conversation', id, JSON.stringify(name))
