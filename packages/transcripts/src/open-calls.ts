import type { Call, Result } from './talk.js'

interface Open {
  id: unknown
  name: unknown
  closed: boolean
}

/** The calls of a talk that wait for an answer, found by id, or by name where one of the two has no id. */
export class OpenCalls {
  readonly #byId = new Map<unknown, Open>()
  readonly #byName = new Map<unknown, Open[]>()
  readonly #answered = new Set<unknown>()

  called({ id, name }: Call): void {
    const open = { id, name, closed: false }
    if (id !== undefined) this.#byId.set(id, open)
    const same = this.#byName.get(name)
    if (same) same.push(open)
    else this.#byName.set(name, [open])
  }

  /** Takes the call that this answers out of those that wait; undefined when none does. */
  answered({ id, name }: Pick<Result, 'id' | 'name'>): { id: unknown } | undefined {
    const open = this.#waiting(id, name)
    if (id !== undefined) this.#answered.add(id)
    if (open === undefined) return undefined
    open.closed = true
    this.#byId.delete(open.id)
    if (open.id !== undefined) this.#answered.add(open.id)
    return open
  }

  /** True if the call with that id has been answered, and none with the same id waits. */
  isAnswered(id: unknown): boolean {
    return id !== undefined && this.#answered.has(id) && !this.#byId.has(id)
  }

  #waiting(id: unknown, name: unknown): Open | undefined {
    const known = id === undefined ? undefined : this.#byId.get(id)
    if (known) return known
    const same = this.#byName.get(name) ?? []
    while (same[0]?.closed) same.shift()
    const [first] = same
    return id === undefined || first?.id === undefined ? first : undefined
  }
}
