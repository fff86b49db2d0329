import { mapped } from './mapped.js'
import type { Loss } from './turn.js'

/** Why most fields cannot be carried. */
export const noPlace = 'the service has no place for it'

/** So much of a field's name is told. */
const longest = 40

/** Counts what a transcript loses, one entry for each kind of code and `what`, with the first reason that was given. */
export class Losses {
  /** Many things are read without any loss, so nothing is made before the first. */
  #kinds: Map<string, Loss> | undefined
  /** Those of fields, by where they stand and their names, for a file may have the same ones in each record. */
  #fields: Map<string, Map<string, Loss>> | undefined

  add(code: Loss['code'], what: string, why: string, count = 1): void {
    this.#add(code, what, why, count)
  }

  /** Counts the fields of an object that nobody reads; null and empty ones carry nothing. */
  addFields(fields: Record<string, unknown>, known: ReadonlySet<string>, where = ''): void {
    for (const key in fields) if (!known.has(key)) this.addField(key, fields[key], where)
  }

  /** Counts one such field. */
  addField(key: string, value: unknown, where = ''): void {
    if (isEmpty(value)) return
    this.#fields ??= new Map()
    const fields = this.#fields.get(where) ?? new Map<string, Loss>()
    const known = fields.get(key)
    if (known) {
      known.count++
      return
    }
    const loss = this.#add('dropped', `${where}field "${key.slice(0, longest)}"`, noPlace, 1)
    if (key.length > longest) return
    fields.set(key, loss)
    this.#fields.set(where, fields)
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

  #add(code: Loss['code'], what: string, why: string, count: number): Loss {
    const key = `${code} ${what}`
    this.#kinds ??= new Map()
    const known = this.#kinds.get(key)
    const loss = known ?? { code, what, why, count: 0 }
    loss.count += count
    if (known === undefined) this.#kinds.set(key, loss)
    return loss
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Losses as one line: `dropped image part (3 times): the service stores text, …`; empty when nothing was lost. */
export function describeLosses(losses: readonly Loss[]): string {
  return mapped(
    losses,
    ({ code, what, why, count }) => `${code} ${what}${count > 1 ? ` (${count} times)` : ''}: ${why}`,
  ).join(', ')
}
