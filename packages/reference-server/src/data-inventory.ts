import { put, type Seal, sealOf, sealText, take } from './data-seal.js'
import type { Change } from './store.js'

/** What is known of a record without its value. */
export interface Entry {
  /** Its place in the order in which ids were first written. */
  readonly seq: number
  readonly seal: Seal
}

/** What is known of all records without their values. */
export interface Inventory {
  readonly entries: Map<string, Entry>
  /** The seals of all of them, put together. */
  seal: Seal
  /** The last place in the order that was given away. */
  last: number
}

/** A row to be put in the place of the one of the same `seq`, or, without a value, to be taken away. */
export interface Step {
  seq: number
  table: string
  /** JSON. */
  id: string
  seal: string
  /** JSON. */
  value: string | null
}

/** What a write does to the rows, and what is known once it is done. */
export interface Plan {
  steps: Step[]
  total: string
  changed: Map<string, Entry | undefined>
  after: Pick<Inventory, 'seal' | 'last'>
}

export const emptyInventory = (): Inventory => ({ entries: new Map(), seal: 0n, last: 0 })

/** The key of a record among those of all tables; `id` is JSON. */
export const keyOf = (table: string, id: string) => `${table} ${id}`

/** What the file says of all its records: how many they are, and their seal. */
export const totalOf = (count: number, seal: Seal): string => `${count} ${sealText(seal)}`

/** Works a write out; the inventory stays as it is. */
export function plan(inventory: Inventory, changes: readonly Change[]): Plan {
  const steps: Step[] = []
  const changed: Plan['changed'] = new Map()
  let { seal, last } = inventory
  let count = inventory.entries.size
  for (const change of changes) {
    const { table } = change
    const [id, value] = [JSON.stringify(change.id), json(change)]
    const key = keyOf(table, id)
    const old = changed.has(key) ? changed.get(key) : inventory.entries.get(key)
    if (old) {
      seal = take(seal, old.seal)
      count -= 1
    }
    if (value !== null) {
      const seq = old?.seq ?? ++last
      const own = sealOf(seq, table, id, value)
      seal = put(seal, own)
      count += 1
      steps.push({ seq, table, id, seal: sealText(own), value })
      changed.set(key, { seq, seal: own })
    } else if (old) {
      steps.push({ seq: old.seq, table, id, seal: '', value })
      changed.set(key, undefined)
    }
  }
  return { steps, total: totalOf(count, seal), changed, after: { seal, last } }
}

/** Brings the inventory up to a plan that was carried out. */
export function settle(inventory: Inventory, { changed, after }: Plan): void {
  for (const [key, entry] of changed) {
    if (entry) inventory.entries.set(key, entry)
    else inventory.entries.delete(key)
  }
  Object.assign(inventory, after)
}

function json({ table, id, value }: Change): string | null {
  const text = value === null ? null : (JSON.stringify(value) as string | undefined)
  if (text === undefined) throw new TypeError(`The value of ${table} ${id} is nothing that JSON can hold.`)
  return text
}
