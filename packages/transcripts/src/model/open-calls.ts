import { getOrInsert } from '../json/index.js'

interface Open<Call> {
  call: Call
  isTaken: boolean
}

interface Queue<Call> {
  entries: Open<Call>[]
  /** All entries before this one are taken. */
  next: number
}

const newQueue = <Call>(): Queue<Call> => ({ entries: [], next: 0 })

/** Tool calls without a result, in their order and by their names. */
export class OpenCalls<Call> {
  readonly #all = newQueue<Call>()
  readonly #named = new Map<unknown, Queue<Call>>()

  add(name: unknown, call: Call): void {
    const entry = { call, isTaken: false }
    this.#all.entries.push(entry)
    getOrInsert(this.#named, name, () => newQueue<Call>()).entries.push(entry)
  }

  /** Remove the first call and return it. */
  takeFirst(): Call | undefined {
    return take(this.#all)
  }

  /** Remove the first call of this name and return it. */
  takeNamed(name: unknown): Call | undefined {
    const queue = this.#named.get(name)
    return queue && take(queue)
  }
}

function take<Call>(queue: Queue<Call>): Call | undefined {
  for (;;) {
    const entry = queue.entries[queue.next]
    if (entry === undefined) return undefined
    queue.next++
    if (entry.isTaken) continue
    entry.isTaken = true
    return entry.call
  }
}
