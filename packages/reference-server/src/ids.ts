/** A source of uuids; each call gives a new one. `crypto.randomUUID` is one too. */
export type IdSource = () => string

/**
 * Uuids that are the same in every run for one seed (default 1). They begin with a counter, so that ids made in the same
 * millisecond still sort in the order of their making.
 */
export function seededIds(seed = 1): IdSource {
  let made = 0
  const units = Array.from(form, (character) => character.charCodeAt(0))
  /** Writes eight hex digits, or what of them there is still place for, over the gaps of the form from this one on. */
  const write = (gap: number, bits: number) => {
    for (let shift = 28, next = gap; shift >= 0 && next < gaps.length; shift -= 4, next += 1) {
      units[gaps[next] as number] = hexUnits[(bits >>> shift) & 15] as number
    }
  }
  return () => {
    made += 1
    write(0, made)
    write(8, mix(seed, made * 3))
    write(16, mix(seed, made * 3 + 1))
    write(24, mix(seed, made * 3 + 2))
    // At once: a text that is put together of many has to be copied before a map can look it up.
    return String.fromCharCode(...units)
  }
}

/** A uuid of version 4 with gaps for thirty hex digits. */
const form = '________-____-4___-a___-____________'
const gaps = Array.from(form, (character, at) => (character === '_' ? at : -1)).filter((at) => at >= 0)
const hexUnits = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

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
