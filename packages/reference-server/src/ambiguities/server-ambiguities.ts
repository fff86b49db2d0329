import { type Ambiguities, ambiguityProblems, defaultAmbiguities } from './declarations.js'

/** The ambiguities of one server, each with its reading. A request uses those of its time. */
export class ServerAmbiguities {
  readonly #initial: Ambiguities
  #current: Ambiguities

  /** Throws a TypeError that names every unknown ambiguity and invalid reading. */
  constructor(initial: Partial<Ambiguities> = {}) {
    this.#initial = changed(defaultAmbiguities, initial)
    this.#current = this.#initial
  }

  /** All ambiguities; a change makes another object. */
  get current(): Ambiguities {
    return this.#current
  }

  /** Change some ambiguities. Throws a TypeError that names every unknown ambiguity and invalid reading; then nothing is changed. */
  set(changes: Partial<Ambiguities>): void {
    this.#current = changed(this.#current, changes)
  }

  /** Set every ambiguity to its default. */
  clear(): void {
    this.#current = defaultAmbiguities
  }

  /** Restore those of the start. */
  reset(): void {
    this.#current = this.#initial
  }
}

function changed(ambiguities: Ambiguities, changes: Partial<Ambiguities>): Ambiguities {
  const problems = ambiguityProblems(changes)
  if (problems.length > 0) throw new TypeError(`Invalid ambiguities: ${problems.join('; ')}.`)
  const chosen = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.freeze({ ...ambiguities, ...Object.fromEntries(chosen) })
}
