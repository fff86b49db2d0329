import type { Format } from '../contract/index.js'
import type { AnyFormatId } from '../formats/index.js'
import { type DroppedValue, getOrInsert, type Position, PositionsIn, positionInWhole } from '../json/index.js'
import type { ConversationDraft, Place, Problem, UnreadConversations } from '../model/index.js'
import type { Layout, RawRecord } from '../records/index.js'

export interface Details {
  at?: Position
  code?: Problem['code'] | undefined
  product?: string
  hidesMore?: boolean
}

/** Finds the line and column of each problem while a file is read. */
export class ProblemPlaces {
  #current: RawRecord | undefined
  #positions: PositionsIn | undefined
  #member: string | undefined
  /** Lines and columns of earlier records by their numbers, where they differ from the number and 1. */
  #lines: number[] = []
  #columns: number[] = []

  /** Set the record that is read now; only its text is available to find positions inside a record. */
  setRecord(current: RawRecord, member: string | undefined): void {
    if (member !== this.#member) {
      this.#lines = []
      this.#columns = []
    }
    this.#member = member
    this.#current = current
    this.#positions = undefined
    const { record, line, column } = current
    if (record !== line) this.#lines[record] = line
    if (record !== line || column > 1) this.#columns[record] = column
  }

  problem(
    message: string,
    place: Place,
    { at = this.#positionOf(place), code, product, hidesMore = false }: Details = {},
  ): Problem {
    const { record, pointer, member } = place
    const optional = {
      ...(code && { code }),
      ...(product && { product }),
      ...(pointer !== '' && { pointer }),
      ...(member !== undefined && { member }),
      ...(hidesMore && { hidesMore }),
    }
    return { message, ...at, record, ...optional }
  }

  #positionOf({ record, pointer, member }: Place): Position {
    if (member !== this.#member) return { line: 1, column: 1 }
    if (this.#current?.record === record) {
      this.#positions ??= new PositionsIn(this.#current.text)
      return positionInWhole(this.#positions.of(pointer), this.#current)
    }
    return { line: this.#lines[record] ?? record, column: this.#columns[record] ?? 1 }
  }
}

const acceptedFiles =
  '. Give one JSON document, one on each line (JSONL), a table with a header (CSV), or a text of a known format'

/** The message for a file that is neither JSON nor a table, nor a text of a known format. */
export function withAdvice({ message, isCutOff }: { message: string; isCutOff?: boolean }, layout: unknown): string {
  const what = layout === 'text' ? message.replace('expected a value', 'expected a transcript') : message
  return isCutOff ? what : what + acceptedFiles
}

export function ambiguousFormat(...ids: [AnyFormatId, AnyFormatId]): string {
  return `expected a transcript of one format, found one that may be ${ids.join(' or ')}; name the format`
}

export function unreadMessages({ id }: Format, field: string): string {
  return `the format ${id} does not read the messages in the field "${field}"; convert the file, or choose another format`
}

/** The reason why a field that the user maps is lost: what to do instead. */
export function unusedMap({ id, isText }: Format, field: string): string {
  if (isText) return 'a text has no fields; map the roles of its speakers, as in --map "role:Ann=human_agent"'
  if (field.startsWith('role:'))
    return `the format ${id} has roles of its own; leave out --map ${JSON.stringify(field)}, or ${dialogues}`
  return `the format ${id} reads the field that its program writes; leave out --map ${field}, or ${dialogues}`
}

const dialogues = 'give --format dialogues to read the messages by the fields that you map'

/** The problem of fields that the user maps, and that stand elsewhere in the file. */
export function misplacedMap(
  { id }: Format,
  fields: readonly string[],
  columns: Readonly<Record<string, string>>,
): string {
  const names = fields.map((field) => `${JSON.stringify(columns[field])} (${field})`)
  const what = `the mapped ${names.length === 1 ? 'field' : 'fields'} ${names.join(' and ')}`
  return `expected ${what} in a conversation or message of the format ${id}, found it elsewhere; give its path, such as --map "${fields[0]}=meta.${columns[fields[0] ?? '']}", or ${dialogues}`
}

/** All problems, each with the conversations that it costs. `isUncertain`: its record may be of another one. */
export function withCosts(problems: readonly Problem[], isUncertain: (problem: Problem) => boolean): Problem[] {
  const costs = new Map<UnreadConversations, UnreadConversations>()
  return problems.map((problem) => {
    const { conversations, message, ...fields } = problem
    const cost = conversations && getOrInsert(costs, conversations, () => inOrder(conversations))
    return {
      message: cost && isUncertain(problem) ? message + costOf(cost) : message,
      ...fields,
      ...(cost && !isOfRecord(cost, problem) && { conversations: cost }),
    }
  })
}

const inOrder = ({ records, ...fields }: UnreadConversations): UnreadConversations => ({
  ...fields,
  records: [...new Set(records)].sort((a, b) => a - b),
})

/** True for a conversation of which nothing is known but the record of the problem. */
const isOfRecord = ({ count, ids, records, isGiven }: UnreadConversations, { record }: Problem): boolean =>
  count === 1 && ids.length === 0 && records.length === 1 && records[0] === record && !isGiven

/** The end of a message about a record that may belong to several conversations. */
function costOf({ count, ids }: UnreadConversations): string {
  const [first, second] = ids.map((id) => `conversation ${JSON.stringify(id.slice(0, 100))}`)
  if (count === 1) return `; it may belong to ${first ?? 'the conversation beside it'}, which is not read`
  const all = count === 2 && first && second ? `${first} or ${second}` : `any of ${count} conversations`
  return `; it may belong to ${all}, and none of them is read`
}

/** The problem of a reader that loses conversations. */
export const bugOf = (format: string, { begun, ended }: { begun: number; ended: number }): string =>
  `a bug in the reader of ${format}: ${begun} conversations begun, ${ended} accounted for; please report it with the file`

export const repeatedName = ({ name }: DroppedValue): string =>
  `the name ${JSON.stringify(name)} is repeated in one object, and only its last value is read; rename or remove the others`

export function emptyFile(layout: Layout | undefined): string {
  if (layout === 'array') return 'expected a transcript, found an empty array'
  if (typeof layout === 'object') return 'expected a transcript, found a table without rows'
  return 'the file is empty; expected at least one transcript'
}

const speakers: ReadonlySet<string> = new Set(['user', 'assistant', 'human_agent'])

/** Why a draft is no conversation; undefined if it is one. */
export function reasonNoConversation({ turns }: ConversationDraft): string | undefined {
  if (turns.length === 0) return 'expected at least one turn, found none with any content'
  if (turns.some(({ role }) => speakers.has(role))) return undefined
  const found = [...new Set(turns.map(({ role }) => role))].join(' and ')
  return `expected a turn of a user or an assistant, found only turns of ${found}`
}
