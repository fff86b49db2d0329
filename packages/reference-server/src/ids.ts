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
    const hex = [0, 1, 2].map((part) => mix(seed, made * 3 + part)).join('')
    const count = made.toString(16).padStart(8, '0')
    return `${count}-${hex.slice(0, 4)}-4${hex.slice(4, 7)}-a${hex.slice(7, 10)}-${hex.slice(10, 22)}`
  }
}

/** Eight hex digits that depend on both numbers; the finalizer of murmur3. */
function mix(seed: number, step: number): string {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(step, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0).toString(16).padStart(8, '0')
}
