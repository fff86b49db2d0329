/** A source of UUIDs; each call returns a new one. `crypto.randomUUID` is one too. */
export type IdSource = () => string

/**
 * UUIDs that are the same in every run for a seed (default 1). They begin with a counter, so they sort by creation.
 *
 * @param made how many of them to leave out, default 0
 */
export function seededIds(seed = 1, made = 0): IdSource {
  let count = made
  return () => {
    count += 1
    const parts = [count, hash(seed, count * 3), hash(seed, count * 3 + 1), hash(seed, count * 3 + 2)]
    const hex = parts.map((bits) => (bits >>> 0).toString(16).padStart(8, '0')).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`
  }
}

/** 32 bits of two numbers: the finalizer of murmur3. */
function hash(seed: number, step: number): number {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(step, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** True if a value has the form `hp-<uuid>`: the prefix in lower case, the UUID in any case. */
export const isProjectId = (id: unknown): id is string =>
  typeof id === 'string' && /^hp-[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}$/.test(id)
