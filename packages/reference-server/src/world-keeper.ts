import type { KeyRecord } from './guard.js'
import type { Change, Store } from './store.js'
import { keyRow } from './world-rows.js'

/** Brings the changes of a world to its store, if it has one. */
export class Keeper {
  readonly #store: Store | undefined
  /** Keys that were used since the last write. */
  #used = new Set<KeyRecord>()
  /** Where changes go while a world is planted anew. */
  #planted: Change[] | undefined

  constructor(store: Store | undefined) {
    this.#store = store
  }

  /** Whether changes go anywhere; where they do not, they need not be made up. */
  get keeps(): boolean {
    return this.#store !== undefined
  }

  /** A use of a key is written with the next change, or in the end. */
  use(key: KeyRecord): void {
    if (this.#store) this.#used.add(key)
  }

  /** What is done to a key on purpose is written instead of its last use. */
  forget(key: KeyRecord): void {
    this.#used.delete(key)
  }

  /** Throws when the changes cannot be kept; nothing of them is then in the store. */
  keep(changes: readonly Change[]): void {
    if (!this.#store) return
    if (this.#planted) return void this.#planted.push(...changes)
    const all = [...[...this.#used].map(keyRow), ...changes]
    if (all.length > 0) this.#store.write(all)
    this.#used.clear()
  }

  /** Everything in the store makes way, in one step, for the changes that are made meanwhile. */
  replaceBy(plant: () => void): void {
    this.#used.clear()
    this.#planted = []
    try {
      plant()
      this.#store?.replace(this.#planted)
    } finally {
      this.#planted = undefined
    }
  }

  close(): void {
    try {
      this.keep([])
    } finally {
      this.#store?.close()
    }
  }
}
