import { isObject } from '../json/index.js'
import { type ColumnField, columnFields, fieldAt, nearestMap, normalizedName, TableRow } from '../records/index.js'

/** The depth at which fields are looked for in a record. */
const maxDepth = 12

/** The text that is read, in UTF-16 code units, while no record has a field. */
const mostLength = 1 << 22

/** The names of fields that are kept for the nearest one. */
const maxNames = 1_000

/** Fields whose readers refuse each record without them. */
const refused: readonly ColumnField[] = ['id', 'order']

/** The fields that a user maps, until a record has them. */
export class MappedFields {
  readonly #open: Map<string, string>
  readonly #names = new Set<string>()

  #seenLength = 0

  /** @param fields those that the format uses; default: all */
  constructor(columns: Readonly<Record<string, string>> = {}, fields: readonly ColumnField[] = columnFields) {
    this.#open = new Map(
      fields.flatMap((field) => {
        const name = columns[field]
        return name && !refused.includes(field) ? [[field, name]] : []
      }),
    )
  }

  /** True while no record has one of the fields. */
  get isOpen(): boolean {
    return this.#open.size > 0
  }

  /** True if so much was read that no record is expected to have it. */
  get isMissing(): boolean {
    return this.isOpen && this.#seenLength > mostLength
  }

  /** Note the fields of a record. A table reports missing columns itself. `length`: of its text. */
  see(value: unknown, length = 0): void {
    if (!this.isOpen) return
    this.#seenLength += length
    this.#see(value, 0)
  }

  #see(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > maxDepth || this.#open.size === 0) return
    if (value instanceof TableRow) return this.#open.clear()
    if (isObject(value)) {
      const keys = Object.keys(value)
      for (const [field, name] of this.#open) {
        const isThere = fieldAt(value, name) !== undefined
        if (isThere || keys.some((key) => normalizedName(key) === normalizedName(name))) this.#open.delete(field)
      }
      for (const key of keys) if (this.#names.size < maxNames) this.#names.add(key)
    }
    for (const each of Object.values(value)) this.#see(each, depth + 1)
  }

  /** The problem of the fields that no record has. */
  get problem(): string {
    const fields = [...this.#open].map(([field, name]) => `${JSON.stringify(name)} (${field})`)
    const what = `the mapped ${fields.length === 1 ? 'field' : 'fields'} ${fields.join(' and ')}`
    return `expected ${what} in a record, found none${nearestMap(this.#open, this.#names)}`
  }
}

/** The columns whose names the records have, and the roles beside them; undefined without any. */
export function presentColumns(
  columns: Readonly<Record<string, string>>,
  records: readonly unknown[],
): Record<string, string> | undefined {
  const isThere = (name: string) => {
    const field = new MappedFields({ content: name })
    for (const record of records) field.see(record)
    return !field.isOpen
  }
  const present = Object.entries(columns).filter(
    ([field, name]) => field.startsWith('role:') || name === '' || isThere(name),
  )
  return present.length > 0 ? Object.fromEntries(present) : undefined
}
