import type { Loss } from './turn.js'

/** Why most fields cannot be carried. */
export const noPlace = 'the service has no place for it'

/** Counts what a transcript loses, one entry for each kind of code and `what`, with the first reason that was given. */
export class Losses {
  /** Many things are read without any loss, so nothing is made before the first. */
  #kinds: Map<string, Loss> | undefined

  add(code: Loss['code'], what: string, why: string, count = 1): void {
    const key = `${code} ${what}`
    this.#kinds ??= new Map()
    const known = this.#kinds.get(key)
    if (known) known.count += count
    else this.#kinds.set(key, { code, what, why, count })
  }

  /** Counts the fields of an object that nobody reads; null and empty ones carry nothing. */
  addFields(fields: Record<string, unknown>, known: ReadonlySet<string>, where = ''): void {
    for (const key in fields) if (!known.has(key)) this.addField(key, fields[key], where)
  }

  /** Counts one such field. */
  addField(key: string, value: unknown, where = ''): void {
    if (!isEmpty(value)) this.add('dropped', `${where}field "${key.slice(0, 40)}"`, noPlace)
  }

  addAll(losses: readonly Loss[]): void {
    for (const { code, what, why, count } of losses) this.add(code, what, why, count)
  }

  /** How many kinds. */
  get size(): number {
    return this.#kinds?.size ?? 0
  }

  /** In the order in which they were first met. */
  list(): Loss[] {
    return this.#kinds ? [...this.#kinds.values()] : []
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Losses as one line: `dropped image part (3 times): the service stores text, …`; empty when nothing was lost. */
export function describeLosses(losses: readonly Loss[]): string {
  return losses
    .map(({ code, what, why, count }) => `${code} ${what}${count > 1 ? ` (${count} times)` : ''}: ${why}`)
    .join(', ')
}
