import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { filesOf, lay, newFolder, refusal } from '../../test/fixtures/data.js'
import type { Change } from '../world/store.js'
import { openStore, StoreError } from './index.js'
import { loadLibrary } from './sqlite.js'

type Files = ReadonlyMap<string, Buffer>

const change = (table: Change['table'], id: string, value: unknown): Change => ({ table, id, value })
const text = (seed: number, length: number) => `é${(seed * 7919).toString(36)}`.repeat(length / 5)

/** Small records, some that fill pages of their own, one rewritten, and pages that a removed one left free. */
async function fill(folder: string, count: number): Promise<Files> {
  const store = await openStore(folder)
  for (let i = 0; i < count; i += 1) {
    store.write([change('transcripts', `tr_${i}`, { name: text(i, 100) }), change('projects', 'hp-1', { count: i })])
  }
  for (let i = 0; i < 4; i += 1) store.write([change('turns', `tr_${i}`, [text(i, 12_000)])])
  store.write([change('turns', 'tr_2', null)])
  store.close()
  return filesOf(folder)
}

/** The files as they are in the middle of a write: some of its pages are in place, and the journal holds the old ones. */
async function interrupt(folder: string): Promise<Files> {
  const connection = (await loadLibrary(folder))(join(folder, 'world.db'))
  connection.prepare('PRAGMA cache_size=1').all()
  connection.exec(`BEGIN; UPDATE turns SET value = '"new"'; DELETE FROM transcripts WHERE rowid % 5 = 0;
    INSERT INTO transcripts SELECT id || 'new', value FROM transcripts`)
  const files = filesOf(folder)
  connection.exec('ROLLBACK')
  connection.close()
  return files
}

/** Opens a store on the files: its records, or the error with which it refuses them. */
async function startOn(folder: string, files: Files): Promise<Change[] | StoreError> {
  lay(folder, files)
  try {
    const store = await openStore(folder)
    const records = [...store.load()]
    store.close()
    return records
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return error
  }
}

/** A copy of the files with something done to one of them. */
function changed(files: Files, name: string, change: (bytes: Buffer) => Uint8Array): Files {
  return new Map(
    [...files].map(([file, bytes]) => [file, file === name ? Buffer.from(change(Buffer.from(bytes))) : bytes]),
  )
}

/** A file that has bytes, and one of its bytes. */
const places = (files: Files) =>
  fc
    .constantFrom(...[...files].filter(([, { length }]) => length > 0).map(([name]) => name))
    .chain((name) => fc.tuple(fc.constant(name), fc.nat((files.get(name)?.length ?? 1) - 1)))

const pageSize = 4096
const page = (bytes: Buffer, number: number) => bytes.subarray(number * pageSize, (number + 1) * pageSize)

let records: Change[]
let whole: Files
let interrupted: Files

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-data-'))
  whole = await fill(folder, 20)
  records = (await startOn(folder, whole)) as Change[]
  interrupted = await interrupt(folder)
  rmSync(folder, { recursive: true })
})

const namesOf = (changes: readonly Change[]) => changes.map(({ table, id }) => `${table} ${id}`)

/**
 * Whatever was done to the files, a start refuses, or reads every record that was written and no other. SQLite has no
 * checksum: a changed letter inside a value can stay unseen.
 */
async function holds<T>(files: () => Files, arbitrary: (files: Files) => fc.Arbitrary<T>, damage: (value: T) => Files) {
  const folder = newFolder()
  const property = fc.asyncProperty(arbitrary(files()), async (value) => {
    const result = await startOn(folder, damage(value))
    if (result instanceof StoreError) expect(['damaged', 'newer', 'unusable']).toContain(result.reason)
    else expect(namesOf(result)).toEqual(namesOf(records))
  })
  await fc.assert(property, { numRuns: runs(40) })
}

test('reads a complete file, and rolls back an incomplete write', async () => {
  expect(await startOn(newFolder(), whole)).toEqual(records)
  expect(interrupted.get('world.db')).not.toEqual(whole.get('world.db'))
  expect(interrupted.get('world.db-journal')?.length).toBeGreaterThan(pageSize)
  expect(await startOn(newFolder(), interrupted)).toEqual(records)
})

describe.each([
  ['at rest', () => whole],
  ['of a server that was killed as it wrote', () => interrupted],
])('files %s', (_, files) => {
  test('are refused, or give every record and no other, with any byte changed', () =>
    holds(
      files,
      (given) => fc.tuple(places(given), fc.integer({ min: 1, max: 255 })),
      ([[name, at], mask]) =>
        changed(files(), name, (bytes) => {
          bytes[at] = (bytes[at] ?? 0) ^ mask
          return bytes
        }),
    ))

  test('are refused, or give every record and no other, with any of them cut off anywhere', () =>
    holds(files, places, ([name, at]) => changed(files(), name, (bytes) => bytes.subarray(0, at))))

  test('are refused, or give every record and no other, with a sector wiped', () =>
    holds(files, places, ([name, at]) =>
      changed(files(), name, (bytes) => bytes.fill(0, at - (at % 512), Math.min(at - (at % 512) + 512, bytes.length))),
    ))

  test('are refused, or give every record and no other, with a page in the place of another', () =>
    holds(
      files,
      (given) => {
        const pages = (given.get('world.db')?.length ?? 0) / pageSize
        return fc.tuple(fc.nat(pages - 1), fc.nat(pages - 1))
      },
      ([to, from]) =>
        changed(files(), 'world.db', (bytes) => {
          page(bytes, from).copy(page(bytes, to))
          return bytes
        }),
    ))
})

test.each([
  ['is gone', () => new Map([...interrupted].filter(([name]) => name !== 'world.db-journal'))],
  ['is empty', () => changed(interrupted, 'world.db-journal', () => Buffer.alloc(0))],
  ['is of another write', () => new Map([...interrupted, ['world.db', whole.get('world.db') ?? Buffer.alloc(0)]])],
])('a half-done write whose journal %s is never taken for a whole one', async (_, files) => {
  const result = await startOn(newFolder(), files())
  if (!(result instanceof StoreError)) expect(result).toEqual(records)
  else expect(result.reason).toBe('damaged')
})

test('reports a journal without its file as damage', async () => {
  const folder = newFolder()
  lay(folder, new Map([...interrupted].filter(([name]) => name !== 'world.db')))
  expect((await refusal(folder)).message).toContain('the file is missing, but not its journal')
})
