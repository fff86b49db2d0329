import { defaultReadings, type Readings, readingProblems } from './declarations.js'

/** The readings of one server. Each request uses those of its time. */
export class ServerReadings {
  readonly #initial: Readings
  #current: Readings

  /** Throws a TypeError that names every unknown reading and invalid value. */
  constructor(initial: Partial<Readings> = {}) {
    this.#initial = changed(defaultReadings, initial)
    this.#current = this.#initial
  }

  /** All readings; a change makes another object. */
  get current(): Readings {
    return this.#current
  }

  /** Change some readings. Throws a TypeError that names every unknown reading and invalid value; then nothing is changed. */
  set(changes: Partial<Readings>): void {
    this.#current = changed(this.#current, changes)
  }

  /** Set every reading to its default. */
  clear(): void {
    this.#current = defaultReadings
  }

  /** Restore the readings of the start. */
  reset(): void {
    this.#current = this.#initial
  }
}

function changed(readings: Readings, changes: Partial<Readings>): Readings {
  const problems = readingProblems(changes)
  if (problems.length > 0) throw new TypeError(`Invalid readings: ${problems.join('; ')}.`)
  const chosen = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.freeze({ ...readings, ...Object.fromEntries(chosen) })
}
