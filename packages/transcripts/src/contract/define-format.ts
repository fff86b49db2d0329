import { idOf } from '../conversation/index.js'
import { asObject, describe, isObject, type JsonObject, sampleOf, valueAt, wordsOf } from '../json/index.js'
import { type ConversationDraft, elementsOf, type Place, type Placed } from '../model/index.js'
import type { FormatDeclaration } from './declaration.js'
import { conversationReader } from './declared-conversation.js'
import { type FileRecord, type Format, LogReader, placeIn, type ReaderContext } from './format.js'
import { refuseInvalid } from './options.js'
import { PiecesReader } from './pieces.js'
import { finderOf, markOf, namesIn, pathsOf, placeAt } from './places.js'
import { readerOfLists } from './rows.js'

const required = wordsOf('id title accepts signature')
const optional =
  wordsOf(`conversations conversation system header pieces subagents empty failure lost structure messages opening printed tree order shape addMessage role roles
    speaker text html files thinking subagent time model note repeats metadata calls results`)

/**
 * Define a format by the places of its values. Reading, the join of calls to results, order, losses and places in the file are the
 * same for every format.
 *
 * @throws {TypeError} if an option is missing or unknown
 */
export function defineFormat<const Id extends string>(declaration: FormatDeclaration<Id>): Format<Id> {
  refuseInvalid('defineFormat', declaration, required, optional)
  const {
    id,
    title,
    accepts,
    signature,
    conversations = '',
    messages,
    header,
    pieces,
    empty,
    conversation = {},
  } = declaration
  const headers = [header ?? []].flat().map(markOf)
  const isHeader = (value: unknown) => headers.some((has) => has(value))
  const isEmpty = empty === undefined ? () => false : markOf(empty)
  const marks = [
    ...Object.entries(signature).map(([mark, score]) => ({ has: markOf(mark), score })),
    { has: isEmpty, score: emptyScore },
  ].sort((a, b) => b.score - a.score)
  const read = conversationReader(declaration, isEmpty)
  const findId = finderOf(conversation.externalId)
  const names = new Set([
    ...[conversations, ...pathsOf(messages)].map(firstOf),
    ...Object.keys(signature).flatMap((mark) => mark.split(' ').map(firstOf)),
  ])

  const readRecord = (record: FileRecord, context: ReaderContext): ConversationDraft[] => {
    const { value } = record
    const found = isObject(value) ? conversationsIn({ value, place: placeIn(record) }, conversations) : []
    if (!isObject(value)) context.report(`expected ${accepts}; found ${describe(value)}`, placeIn(record))
    return found.flatMap((each) => {
      const drafts = isObject(each.value) ? read({ value: each.value, place: each.place }, context) : undefined
      if (drafts === undefined) reportMisfit(each, context)
      return drafts ?? []
    })
  }

  const isPiece = (value: unknown) =>
    isObject(value) && pathsOf(messages).every((path) => valueAt(value, path.split('.')) === undefined)

  /** Report what stands in place of the messages, or a value without a place for them. */
  const reportMisfit = ({ value, place }: Placed, { report }: ReaderContext): void => {
    const path = pathsOf(messages).find((each) => isObject(value) && valueAt(value, each.split('.')) !== undefined)
    const [found, at] =
      path && isObject(value) ? [valueAt(value, path.split('.')), placeAt(place, path)] : [value, place]
    report(`expected ${accepts}; found ${describe(found)}`, at)
  }

  return {
    id,
    title,
    accepts,
    fields: [...names].filter((name) => name !== ''),
    ...(empty !== undefined && { skipsEmpty: true }),
    structure: structureOf(declaration),
    detect(value) {
      if (!isObject(value)) return 0
      const found = valuesIn(value, conversations)
      return marks.find(({ has }) => found.some(has))?.score ?? 0
    },
    reader(context) {
      if (header !== undefined) return new DeclaredLog(context, accepts, isHeader, read)
      if (pieces !== undefined)
        return new PiecesReader(context, pieces, read, (record) =>
          isPiece(record.value) ? undefined : readRecord(record, context),
        )
      return messages === undefined
        ? readerOfLists(
            { accepts },
            context,
            { idIn: (message) => idOf(findId(asObject(message))), readsTrees: true },
            (list) => {
              const value = asObject(list.messages[0]?.value)
              return read({ value, place: list.place, messages: list.messages }, context) ?? []
            },
          )
        : { read: (record) => readRecord(record, context), end: () => [], isPerRecord: true }
    },
  }
}

/** Reads a log in which a header begins each conversation, and other records are messages. */
class DeclaredLog extends LogReader {
  readonly #conversations: (Placed & { value: JsonObject; messages: Placed[] })[] = []

  constructor(
    context: ReaderContext,
    readonly accepts: string,
    readonly isHeader: (value: unknown) => boolean,
    readonly readConversation: ReturnType<typeof conversationReader>,
  ) {
    super(context)
  }

  read(record: FileRecord): ConversationDraft[] {
    const { value } = record
    const place = placeIn(record)
    this.first ??= place
    if (isObject(value) && this.isHeader(value)) this.#conversations.push({ value, place, messages: [] })
    else {
      if (this.#conversations.length === 0) this.#conversations.push({ value: {}, place, messages: [] })
      this.#conversations.at(-1)?.messages.push({ value, place })
    }
    return []
  }

  protected *drafts(): Generator<ConversationDraft> {
    for (const conversation of this.#conversations) {
      const drafts = this.readConversation(conversation, this.context) ?? []
      const [first] = drafts
      if (first && conversation === this.#conversations[0]) this.addLosses(first)
      yield* drafts
    }
  }

  protected reportEmpty(first: Place): void {
    this.context.report(`expected ${this.accepts}; found none`, first)
  }
}

/** The first name of a path or condition. */
const firstOf = (path: string) => /^[^.=[]*/.exec(path)?.[0] ?? ''

/** The score of a conversation without messages: it is of the format if others are. */
const emptyScore = 0.1

/** The first conversations at a path of a record, or else the record. */
function valuesIn(value: JsonObject, path: string): readonly unknown[] {
  const found = path === '' ? value : valueAt(value, path.split('.'))
  return Array.isArray(found) ? sampleOf(found) : [isObject(found) ? found : value]
}

/** The conversations at a path of a record with their places, or else the record. */
function conversationsIn({ value, place }: { value: JsonObject } & Placed, path: string): Placed[] {
  if (path === '') return [{ value, place }]
  const found = valueAt(value, path.split('.'))
  if (Array.isArray(found)) return elementsOf(found, placeAt(place, path))
  return [isObject(found) ? { value: found, place: placeAt(place, path) } : { value, place }]
}

/** The names of fields whose words say how a file is built: marks of the signature, roles, times, and ids that join. */
function structureOf(declaration: FormatDeclaration): string {
  const {
    structure = '',
    signature,
    header,
    role = 'role',
    time,
    order,
    tree,
    calls,
    results,
    conversation,
  } = declaration
  const marks = [...Object.keys(signature), ...[header ?? []].flat()].flatMap((mark) =>
    mark.split(' ').filter((condition) => condition.includes('=')),
  )
  const places = [
    role,
    time,
    order,
    tree?.id,
    tree?.parent,
    tree?.last,
    calls?.id,
    results?.id,
    conversation?.sourceTimestamp,
  ]
  const names = [...marks.flatMap(namesIn), ...places.flatMap(pathsOf)].map((path) => path.split('.').at(-1))
  return [structure, ...names].join(' ').trim()
}
