import { getOrInsert } from '../json/index.js'

interface Open<Call> {
  name: unknown
  call: Call
  isTaken: boolean
}

/** Open calls in their order. */
class Queue<Call> {
  #entries: Open<Call>[] = []
  /** All entries before this one are taken. */
  #next = 0

  add(entry: Open<Call>): void {
    this.#entries.push(entry)
  }

  take(): Call | undefined {
    for (;;) {
      const entry = this.#entries[this.#next]
      if (entry === undefined) return undefined
      this.#next++
      if (entry.isTaken) continue
      entry.isTaken = true
      return entry.call
    }
  }

  /** Those that are open. */
  rest(): Open<Call>[] {
    return this.#entries.slice(this.#next).filter(({ isTaken }) => !isTaken)
  }
}

class Round<Call> {
  readonly all = new Queue<Call>()
  readonly #named = new Map<unknown, Queue<Call>>()

  add(entry: Open<Call>): void {
    this.all.add(entry)
    getOrInsert(this.#named, entry.name, () => new Queue<Call>()).add(entry)
  }

  named(name: unknown): Call | undefined {
    return this.#named.get(name)?.take()
  }
}

/**
 * Tool calls without an id that have no result yet. A result belongs to the first one of the last round of calls; to one of an
 * earlier round, which stayed without a result, only if the last round has none. A round ends with its results or a message.
 */
export class OpenCalls<Call> {
  #round = new Round<Call>()
  readonly #earlier = new Round<Call>()
  #isAnswered = false

  add(name: unknown, call: Call): void {
    if (this.#isAnswered) this.endRound()
    this.#round.add({ name, call, isTaken: false })
  }

  /** Somebody else speaks. */
  endRound(): void {
    for (const entry of this.#round.all.rest()) this.#earlier.add(entry)
    this.#round = new Round()
    this.#isAnswered = false
  }

  /** Remove the first call and return it. */
  takeFirst(): Call | undefined {
    this.#isAnswered = true
    return this.#round.all.take() ?? this.#earlier.all.take()
  }

  /** Remove the first call of this name and return it. */
  takeNamed(name: unknown): Call | undefined {
    this.#isAnswered = true
    return this.#round.named(name) ?? this.#earlier.named(name)
  }
}
