import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, systemClock } from './clock.js'

/** How long a socket that has said its last word is read on, so that the caller sees the word and no reset. */
export const lingerMs = 1000

const watched = new WeakMap<Socket, Set<() => void>>()

/** Calls back when a socket has closed; gives a function that takes it back. */
export function whenClosed(socket: Socket, callback: () => void): () => void {
  let callbacks = watched.get(socket)
  if (!callbacks) {
    // One listener for all: a caller may have a hundred calls under way on one socket, and Node warns of eleven listeners.
    const all = new Set<() => void>()
    socket.once('close', () => {
      for (const each of all) each()
    })
    watched.set(socket, all)
    callbacks = all
  }
  callbacks.add(callback)
  return () => callbacks.delete(callback)
}

/** Calls back once the answers before this one are written. */
export function whenInTurn(response: ServerResponse, callback: () => void): void {
  if (response.socket) callback()
  // What was written to the response in the meantime goes out between the event and the next microtask.
  else response.once('socket', () => queueMicrotask(callback))
}

/** Ends a socket after what was written to it, and reads away what still comes. */
export function endSoftly(socket: Socket, lastWords = ''): void {
  const cancel = after(systemClock, lingerMs, () => socket.destroy())
  whenClosed(socket, cancel)
  socket.resume()
  socket.end(lastWords)
}

/** Answers that are held back on purpose, until the caller goes or the server closes. */
export class HeldAnswers {
  readonly #ends = new Set<() => void>()
  #isOver = false

  /** Keeps a socket until it closes; gives a function that lets go of it. */
  hold(socket: Socket): () => void {
    const end = () => socket.destroy()
    const release = () => {
      this.#ends.delete(end)
      forget()
    }
    const forget = whenClosed(socket, release)
    this.#ends.add(end)
    if (this.#isOver) end()
    return release
  }

  /** Cuts what is held, and what will be. */
  endAll(): void {
    this.#isOver = true
    for (const end of this.#ends) end()
  }
}
