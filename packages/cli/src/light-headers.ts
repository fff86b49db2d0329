const name = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const unsendable = /[\0\r\n]|[^\0-\xff]/

/**
 * What the client uses of `Headers`. Node's own brings all of its fetch with it, which takes as long to load as Node
 * itself; the build puts this in its place.
 */
export class LightHeaders implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>()

  /** Whatever is read like headers counts as such, Node's own too. */
  static [Symbol.hasInstance](value: unknown): boolean {
    const { get, entries } = Object(value) as Record<string, unknown>
    return typeof get === 'function' && typeof entries === 'function'
  }

  constructor(init: Iterable<readonly [string, string]> | Record<string, string> = {}) {
    const entries = Symbol.iterator in init ? (init as Iterable<[string, string]>) : Object.entries(init)
    for (const [key, value] of entries) this.append(key, value)
  }

  get(key: string): string | null {
    return this.#values.get(named(key)) ?? null
  }

  has(key: string): boolean {
    return this.#values.has(named(key))
  }

  set(key: string, value: string): void {
    this.#values.set(named(key), sendable(value))
  }

  append(key: string, value: string): void {
    const at = named(key)
    const before = this.#values.get(at)
    this.#values.set(at, before === undefined ? sendable(value) : `${before}, ${sendable(value)}`)
  }

  delete(key: string): void {
    this.#values.delete(named(key))
  }

  entries(): IterableIterator<[string, string]> {
    return [...this.#values].sort((a, b) => (a[0] < b[0] ? -1 : 1)).values()
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries()
  }
}

/** Stands for the `FormData` that no body of ours is: merely to ask whether one is makes Node load its fetch. */
export class NoFormData {}

function named(key: string): string {
  if (!name.test(key)) throw new TypeError(`${JSON.stringify(key)} is no name of a header.`)
  return key.toLowerCase()
}

/** Without the value in the error: a header may be a secret. */
function sendable(value: string): string {
  const trimmed = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
  if (unsendable.test(trimmed)) throw new TypeError('The value of a header holds what cannot be sent.')
  return trimmed
}
