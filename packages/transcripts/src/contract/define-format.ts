import { idOf } from '../conversation/index.js'
import { asObject, describe, isObject, type JsonObject, sampleOf, valueAt, wordsOf } from '../json/index.js'
import { type ConversationDraft, elementsOf, type Place, type Placed } from '../model/index.js'
import type { FormatDeclaration } from './declaration.js'
import { conversationReader } from './declared-conversation.js'
import { type FileRecord, type Format, placeIn, type Reader, type ReaderContext } from './format.js'
import { JoinedReader, joinByHeader } from './joined.js'
import { declaredMaps } from './mapped.js'
import { refuseInvalid } from './options.js'
import { finderOf, markOf, namesIn, pathsOf, placeAt, valueBy } from './places.js'
import { withBranches } from './record-branches.js'
import { readerOfLists } from './rows.js'

const required = wordsOf('id title accepts signature')
const optional =
  wordsOf(`fields isGeneric skipsEmpty recordsRepeat conversations rows conversation system header join log subagents empty failure lost structure messages
    opening printed tree order shape addMessage addMessages role roles speaker text html files thinking subagent time model note repeats metadata
    end calls results reader`)

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
    empty,
    isGeneric,
    skipsEmpty,
    recordsRepeat,
  } = declaration
  const isEmpty = empty === undefined ? () => false : markOf(empty)
  const names = new Set(
    declaration.fields === undefined
      ? [
          ...[typeof conversations === 'string' ? conversations : '', ...pathsOf(messages)].map(firstOf),
          ...marksIn(signature).flatMap((mark) => mark.split(' ').map(firstOf)),
        ]
      : [declaration.fields].flat().flatMap((words) => wordsOf(words)),
  )
  return {
    id,
    title,
    accepts,
    fields: [...names].filter((name) => name !== ''),
    ...((skipsEmpty ?? empty !== undefined) && { skipsEmpty: true }),
    ...(isGeneric && { isGeneric }),
    ...(recordsRepeat && { repeats: recordsRepeat }),
    structure: structureOf(declaration),
    detect: detector(declaration, isEmpty),
    reader: declaration.reader ?? declaredReader(declaration, isEmpty),
  }
}

/** A function that scores a record by the first of its conversations that has a mark. */
function detector(
  { signature, conversations = '' }: FormatDeclaration,
  isEmpty: (value: unknown) => boolean,
): (value: unknown) => number {
  if (typeof signature === 'function') return signature
  const marks = [
    ...Object.entries(signature).map(([mark, score]) => ({ has: markOf(mark), score })),
    { has: isEmpty, score: emptyScore },
  ].sort((a, b) => b.score - a.score)
  return (value) => {
    if (!isObject(value)) return 0
    const found = typeof conversations === 'string' ? valuesIn(value, conversations) : [value]
    return marks.find(({ has }) => found.some(has))?.score ?? 0
  }
}

/** A function that makes the reader of a file. */
function declaredReader(
  declaration: FormatDeclaration,
  isEmpty: (conversation: JsonObject) => boolean,
): (context: ReaderContext) => Reader {
  const { accepts, conversations = '', messages, header, join, log, rows, tree, conversation = {} } = declaration
  const read = conversationReader(declaration, isEmpty)
  const namesSpeakers = declaration.speaker !== undefined
  const findId = finderOf(rows ? rows.id : conversation.externalId)
  const joinRecords = header === undefined ? join : joinByHeader(anyMarkOf([header].flat()))
  const isPiece = (value: unknown) =>
    isObject(value) && pathsOf(messages).every((path) => valueAt(value, path.split('.')) === undefined)

  /** The conversations of a record, or nothing if it is none. */
  const foundIn = (value: JsonObject, place: Place): readonly Placed[] | undefined =>
    typeof conversations === 'string'
      ? conversationsIn({ value, place }, conversations)
      : conversations(value, place)?.map((found) => ({ place, ...found }))

  const readFound = (
    found: readonly Placed[],
    record: JsonObject,
    context: ReaderContext,
    isListed = false,
  ): ConversationDraft[] =>
    found.flatMap((each, index) => {
      const around = { record, isFirst: index === 0, isListed }
      const drafts = isObject(each.value) ? read({ ...around, ...each, value: each.value }, context) : undefined
      if (drafts === undefined) reportMisfit(each, declaration, context)
      return drafts ?? []
    })

  const readRecord = (record: FileRecord, context: ReaderContext): readonly ConversationDraft[] => {
    const { value } = record
    const place = placeIn(record)
    const found = isObject(value) ? foundIn(value, place) : undefined
    if (found === undefined || !isObject(value)) {
      context.report(`expected ${accepts}; found ${describe(value)}`, place)
      return []
    }
    const drafts = readFound(found, value, context)
    return tree ? drafts : withBranches(drafts, value, place, context)
  }

  return (context) => {
    if (joinRecords) {
      const isLog = header !== undefined || log === true
      const readWhole = (record: FileRecord) =>
        isLog || isPiece(record.value) ? undefined : [...readRecord(record, context)]
      const isOne = header === undefined
      return new JoinedReader(context, { accepts, isLog, isOne, join: joinRecords, read, readWhole, namesSpeakers })
    }
    const isPerRecord = messages !== undefined || typeof conversations === 'function'
    if (isPerRecord && rows === undefined)
      return {
        read: (record) => readRecord(record, context),
        end: () => [],
        isPerRecord,
        maps: declaredMaps,
        namesSpeakers,
      }
    const listIn = (value: JsonObject) => pathsOf(messages).find((path) => Array.isArray(value[path]))
    const isRow = rows?.is
    const wholeIn = (value: JsonObject, place: Place) => {
      const found = typeof conversations === 'string' ? undefined : foundIn(value, place)
      return found && (() => readFound(found, value, context, true))
    }
    const idIn = (message: unknown) => idOf(findId(asObject(message)))
    const ofRows = { listIn, wholeIn, failureIn: rows?.failure, idIn, isRow, readsTrees: !rows }
    const ofLists = readerOfLists({ accepts }, context, ofRows, (list) => {
      const value = rows ? list.head : asObject(list.messages[0]?.value)
      const { place, messages } = list
      const joined = rows?.join?.(messages)
      const found = joined ?? { value, messages }
      return read({ place, ...found, record: joined ? list.head : value, isListed: true }, context) ?? []
    })
    return { ...ofLists, namesSpeakers }
  }
}

/** Report what stands in place of the messages, or a value without a place for them. */
function reportMisfit(
  { value, place }: Placed,
  { accepts, messages }: FormatDeclaration,
  { report }: ReaderContext,
): void {
  const path = pathsOf(messages).find((each) => isObject(value) && valueBy(value, each) !== undefined)
  const isFound = path !== undefined && isObject(value)
  const found = isFound ? valueBy(value, path) : value
  report(`expected ${accepts}; found ${describe(found)}`, isFound ? placeAt(place, path) : place)
}

const marksIn = (signature: FormatDeclaration['signature']): string[] =>
  typeof signature === 'function' ? [] : Object.keys(signature)

function anyMarkOf(marks: readonly string[]): (value: unknown) => boolean {
  const all = marks.map(markOf)
  return (value) => isObject(value) && all.some((has) => has(value))
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
    reader,
  } = declaration
  if (reader) return structure
  const marks = [...marksIn(signature), ...[header ?? []].flat()].flatMap((mark) =>
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
