import type { Place } from '../model/index.js'

/** A conversation is held until its end, so this bounds the memory that a file takes: 128 MiB. */
const maxBytes = 2 ** 27

/** About the bytes of a turn beside its texts: its place, time and role. */
export const bytesOfTurn = 1024

/** About the bytes of a line that waits for others of its message, beside its text. */
export const bytesOfLine = 256

/** A conversation is too large to be held. */
export class LargeConversationError extends Error {
  override readonly name = 'LargeConversationError'
  /** Its beginning. */
  readonly place: Place

  constructor(place: Place) {
    const most = `at most ${maxBytes / 2 ** 20} MiB (its texts, and 1 KiB for each turn)`
    super(`expected a conversation of ${most}, found a longer one; split the file, for instance by day`)
    this.place = place
  }
}

/** Measures what is held of one conversation. */
export class ConversationSize {
  #bytes = 0
  #first: Place | undefined

  /** @throws {LargeConversationError} if more is held than memory has room for */
  add(bytes: number, place: Place): void {
    this.#first ??= place
    this.#bytes += bytes
    if (this.#bytes > maxBytes) throw new LargeConversationError(this.#first)
  }
}

/** The bytes that a value takes in memory, about. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return wide.test(value) ? value.length * 2 : value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 64
  for (const name in value) bytes += 16 + bytesOf((value as Record<string, unknown>)[name])
  return bytes
}

/** Matches a character that makes a text take two bytes for each. */
const wide = /[^\0-\xff]/
