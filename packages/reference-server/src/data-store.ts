import { StoreError, said } from './data-error.js'
import { damaged, flush } from './data-file.js'
import { emptyInventory, type Inventory, type Plan, plan, settle, totalOf } from './data-inventory.js'
import { type Connection, closeConnection, type Statement } from './data-library.js'
import type { Lock } from './data-lock.js'
import { rows, textOf, texts } from './data-rows.js'
import type { Change, Store } from './store.js'

/** A world in one file. What is known of its records without their values stays in memory. */
export class FileStore implements Store {
  readonly #file: string
  readonly #folder: string
  readonly #connection: Connection
  readonly #lock: Lock
  readonly #statements: Readonly<Record<'keep' | 'remove' | 'clear' | 'count', Statement>>
  #inventory: Inventory
  #closed = false
  #failed = false

  constructor(folder: string, file: string, open: { connection: Connection; inventory: Inventory }, lock: Lock) {
    const { connection, inventory } = open
    this.#folder = folder
    this.#file = file
    this.#connection = connection
    this.#inventory = inventory
    this.#lock = lock
    this.#statements = {
      keep: connection.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)'),
      remove: connection.prepare('DELETE FROM records WHERE seq = ?'),
      clear: connection.prepare('DELETE FROM records'),
      count: connection.prepare('UPDATE total SET seal = ?'),
    }
  }

  *load(): Generator<Change> {
    for (const { seq, table, id, value } of rows(this.#connection)) {
      try {
        yield { table: table as Change['table'], id: JSON.parse(id), value: JSON.parse(textOf(value)) }
      } catch (cause) {
        throw damaged(this.#file, `record ${seq} (${table} ${id}) is no JSON`, cause)
      }
    }
  }

  write(changes: readonly Change[]): void {
    if (changes.length > 0) this.#commit(changes, false)
  }

  replace(changes: readonly Change[]): void {
    this.#commit(changes, true)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    try {
      closeConnection(this.#connection)
      flush(this.#file)
    } catch (cause) {
      throw this.#notWritten(said(cause), cause)
    } finally {
      this.#lock.release()
    }
  }

  #commit(changes: readonly Change[], replaced: boolean): void {
    if (this.#closed) throw this.#notWritten('it is closed')
    if (this.#failed) throw this.#notWritten('an earlier write failed half-way, which only a new start can put right')
    const inventory = replaced ? emptyInventory() : this.#inventory
    const planned = plan(inventory, changes)
    try {
      this.#carryOut(planned, replaced)
    } catch (cause) {
      this.#takeBack()
      throw this.#notWritten(said(cause), cause)
    }
    settle(inventory, planned)
    this.#inventory = inventory
  }

  #carryOut({ steps, total }: Plan, replaced: boolean): void {
    const { keep, remove, clear, count } = this.#statements
    this.#connection.exec('BEGIN IMMEDIATE')
    if (replaced) clear.run()
    for (const { seq, table, id, seal, value } of steps) {
      if (value === null) remove.run(seq)
      else keep.run(seq, table, id, seal, value)
    }
    count.run(total)
    this.#connection.exec('COMMIT')
  }

  /** After a write that failed: the file is as it was before, or nothing is written any more. */
  #takeBack(): void {
    try {
      this.#connection.exec('ROLLBACK')
    } catch {
      // SQLite has taken it back by itself.
    }
    try {
      if (texts(this.#connection, 'seal', 'total')[0] === totalOf(this.#inventory.entries.size, this.#inventory.seal))
        return
    } catch {
      // Then it cannot be known.
    }
    this.#failed = true
  }

  #notWritten(why: string, cause?: unknown) {
    return new StoreError('not_written', this.#folder, `${this.#file} was not written: ${why}.`, { cause })
  }
}
