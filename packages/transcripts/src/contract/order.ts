import { readTime } from '../conversation/index.js'
import type { ConversationDraft, Role } from '../model/index.js'

/** The rows sorted by numbers or by times; undefined if one of the values is neither, or if the kinds are mixed. */
export function inOrder<Row>(rows: readonly Row[], keyIn: (row: Row) => unknown): readonly Row[] | undefined {
  const values = rows.map(keyIn)
  const keys = keysOf(values, numberOf) ?? keysOf(values, timeOf)
  return keys && [...rows.keys()].sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0)).map((index) => rows[index] as Row)
}

function keysOf(values: readonly unknown[], keyOf: (value: unknown) => number): number[] | undefined {
  const keys = values.map(keyOf)
  return keys.some(Number.isNaN) ? undefined : keys
}

function numberOf(value: unknown): number {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  return isNumber ? Number(value) : Number.NaN
}

function timeOf(value: unknown): number {
  const read = readTime(value)
  return read && 'iso' in read ? Date.parse(read.iso) : Number.NaN
}

/** The problem of messages that have no such order. */
export const noOrder = (field: string): string =>
  `expected numbers or times in the field ${JSON.stringify(field)} of each message, which gives their order`

/** Count the turns that are earlier than the turn before them, in a file that gives no order but its own. */
export function withOrderLoss(draft: ConversationDraft): ConversationDraft {
  let count = 0
  let last = ''
  for (const { createdAt } of draft.turns) {
    if (createdAt === undefined) continue
    if (createdAt < last) count++
    last = createdAt
  }
  if (count === 0) return draft
  const why = 'the order of the file is kept; map the field "order" to sort the messages'
  return {
    ...draft,
    losses: [...draft.losses, { code: 'changed', what: 'time earlier than the one before it', why, count }],
  }
}

/** True if only a user and a system speak, and the system answers: then it is the assistant. */
export function isTwoParty(roles: readonly (Role | undefined)[]): boolean {
  const isOfTwo = roles.every((role) => role === 'user' || role === 'system')
  return isOfTwo && roles.some((role, index) => role === 'system' && roles[index - 1] === 'user')
}
