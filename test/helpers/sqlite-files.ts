import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const Database = createRequire(new URL('../../packages/transcripts/package.json', import.meta.url))('libsql')

/** Write a database with these statements. */
export function writeDatabase(path: string, statements: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true })
  const database = new Database(path)
  database.exec(statements.join(';'))
  database.close()
}

/** A value as a SQL text of JSON. */
export const sqlJson = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`
