import { cpSync, existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StoreError, said } from './data-error.js'
import { connectTo, damaged, tables } from './data-file.js'
import { emptyInventory, type Inventory, keyOf, totalOf } from './data-inventory.js'
import { type Connect, type Connection, closeConnection, machineCodes, resultCode } from './data-library.js'
import { rows, texts } from './data-rows.js'
import { put, sealOf, sealText } from './data-seal.js'

/** Whether a server was killed while it wrote: its journal then holds what was there before. */
export function isUnfinished(file: string): boolean {
  const journal = `${file}-journal`
  return existsSync(journal) && statSync(journal).size > 0
}

/**
 * Opens a file that is there and reads all of it, so that whatever is not as it was written is found now. Where a
 * server was killed while it wrote, SQLite takes the unfinished write back as it opens; that is tried on a copy first,
 * so that a start that fails changes nothing.
 */
export function openChecked(connect: Connect, file: string): { connection: Connection; inventory: Inventory } {
  if (isUnfinished(file)) {
    const folder = join(dirname(file), 'world.check')
    const copy = join(folder, 'world.db')
    try {
      rmSync(folder, { recursive: true, force: true })
      cpSync(file, copy)
      cpSync(`${file}-journal`, `${copy}-journal`)
      closeConnection(open(connect, copy, file).connection)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return open(connect, file, file)
}

function open(connect: Connect, file: string, name: string) {
  let connection: Connection | undefined
  try {
    connection = connectTo(connect, file)
    const inventory = check(connection, name)
    // A file that cannot be written is found now, and not by the first upload.
    connection.exec('BEGIN IMMEDIATE; ROLLBACK')
    return { connection, inventory }
  } catch (error) {
    if (connection) closeConnection(connection)
    if (error instanceof StoreError) throw error
    const machine = machineCodes[resultCode(error) ?? 0]
    if (!machine) throw damaged(name, said(error), error)
    throw new StoreError('unusable', dirname(name), `${name} cannot be read: ${said(error)} (${machine}).`, {
      cause: error,
    })
  }
}

function check(connection: Connection, file: string): Inventory {
  const [verdict = ''] = texts(connection, 'integrity_check', 'pragma_integrity_check')
  if (verdict !== 'ok') throw damaged(file, `its check says: ${verdict.replaceAll('\n', ' ')}`)
  const made = texts(connection, 'sql', 'sqlite_schema ORDER BY name')
  if (made.join() !== Object.values(tables).join()) throw damaged(file, 'its tables are others')

  const inventory = emptyInventory()
  for (const { seq, table, id, seal, value } of rows(connection)) {
    const own = sealOf(seq, table, id, value)
    if (sealText(own) !== seal) throw damaged(file, `record ${seq} (${table} ${id}) is not as it was written`)
    inventory.entries.set(keyOf(table, id), { seq, seal: own })
    inventory.seal = put(inventory.seal, own)
    inventory.last = seq
  }
  const [total] = texts(connection, 'seal', 'total')
  if (total !== totalOf(inventory.entries.size, inventory.seal))
    throw damaged(file, 'records are missing, or from an earlier time than the others')
  return inventory
}
