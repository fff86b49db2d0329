import type { Answer } from './call.js'
import type { Listener, SocketCall } from './node-exchange.js'

/**
 * Answers that are ready in one turn of the event loop, written together at its end: to wake a caller for each of them
 * costs more than to make them.
 */
export class AnswerBatch {
  readonly #listener: Listener
  #ready: { call: SocketCall; answer: Answer }[] = []

  constructor(listener: Listener) {
    this.#listener = listener
  }

  /** Writes an answer in this turn, but not before all that has come is read. */
  add(call: SocketCall, answer: Answer): void {
    if (this.#ready.push({ call, answer }) === 1) setImmediate(() => this.#write())
  }

  #write(): void {
    const ready = this.#ready
    this.#ready = []
    for (const { call, answer } of ready) {
      try {
        call.give(answer, this.#listener)
      } catch {
        call.drop()
      }
    }
  }
}
