/** A source of uuids; each call gives a new one. `crypto.randomUUID` is one too. */
export type IdSource = () => string

/**
 * Uuids that are the same in every run for one seed (default 1). They begin with a counter, so that ids made in the same
 * millisecond still sort in the order of their making.
 */
export function seededIds(seed = 1): IdSource {
  let made = 0
  return () => {
    made += 1
    const hex = digits(mix(seed, made * 3)) + digits(mix(seed, made * 3 + 1)) + digits(mix(seed, made * 3 + 2))
    return `${digits(made)}-${hex.slice(0, 4)}-4${hex.slice(4, 7)}-a${hex.slice(7, 10)}-${hex.slice(10, 22)}`
  }
}

/** An id that no record has yet; an Error where one has. */
export function unused(records: ReadonlyMap<string, unknown>, id: string): string {
  if (records.has(id)) throw new Error(`The id ${id} is taken in this world.`)
  return id
}

/** 32 bits that depend on both numbers; the finalizer of murmur3. */
function mix(seed: number, step: number): number {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(step, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** 32 bits as eight hex digits. Out of a table, as `toString(16)` takes four times as long for a whole id. */
const digits = (bits: number): string =>
  `${pairs[bits >>> 24]}${pairs[(bits >>> 16) & 0xff]}${pairs[(bits >>> 8) & 0xff]}${pairs[bits & 0xff]}`
