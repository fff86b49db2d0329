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
    const parts = [made, mix(seed, made * 3), mix(seed, made * 3 + 1), mix(seed, made * 3 + 2)]
    const hex = parts.map((bits) => (bits >>> 0).toString(16).padStart(8, '0')).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`
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

const projectIdForm = /^hp-[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}$/

/** Whether a value has the form `hp-<uuid>`: the prefix in lower case, the uuid in any. */
export const isProjectId = (id: unknown): id is string => typeof id === 'string' && projectIdForm.test(id)
