import type { JournalEntry, RequestProblem } from '../journal/index.js'

/** A problem of one or more requests, although the server answered them as the service would. */
export interface RequestViolation extends RequestProblem {
  /** The operation's id; null if no operation matches. */
  operation: string | null
  /** The method of the first of them. */
  method: string
  /** The path of the first of them, as in the journal. */
  path: string
  /** The time of the first of them, in milliseconds since the epoch. */
  at: number
  /** The number of requests with it. */
  requests: number
}

/** Distinct violations that are kept; a client that makes up names could have any number. */
const maxViolations = 1_000

/** The distinct violations of all requests, in the order of the first of each. */
export class Violations {
  readonly #violations = new Map<string, RequestViolation>()
  /** Every operation that was called, or the method and path of a request without one, with the number of its requests. */
  readonly operations = new Map<string, number>()
  /** Requests so far. */
  requests = 0
  /** Requests whose operation takes a body that was not read. */
  unchecked = 0
  /** Requests with violations that are not in the list, because it is full. */
  dropped = 0

  /** Count a request, and keep its violations. */
  add(entry: JournalEntry): void {
    const { operation, method, path, at, problems = [], isUnchecked } = entry
    this.requests++
    if (isUnchecked) this.unchecked++
    const name = nameOf(entry)
    if (this.operations.has(name) || this.operations.size < maxViolations)
      this.operations.set(name, (this.operations.get(name) ?? 0) + 1)
    const counted = new Set<RequestViolation>()
    for (const problem of problems) {
      // One field of all turns is one violation.
      const key = JSON.stringify([name, problem.in, problem.name.replaceAll(/\/\d+/g, '/*'), problem.problem])
      const earlier = this.#violations.get(key)
      if (earlier && !counted.has(earlier)) earlier.requests++
      const violation = earlier ?? { operation, method, path, at, ...problem, requests: 1 }
      counted.add(violation)
      if (!earlier && this.#violations.size < maxViolations) this.#violations.set(key, violation)
      else if (!earlier) this.dropped++
    }
  }

  /** The violations so far. */
  list(): readonly RequestViolation[] {
    return Array.from(this.#violations.values(), (each) => ({ ...each }))
  }

  /** Forget all requests. */
  clear(): void {
    this.#violations.clear()
    this.operations.clear()
    Object.assign(this, { requests: 0, unchecked: 0, dropped: 0 })
  }
}

/** The operation of a request, or its method and path without the query. */
export const nameOf = ({ operation, method, path }: Pick<JournalEntry, 'operation' | 'method' | 'path'>): string =>
  operation ?? `${method} ${path.split('?', 1)[0]}`
