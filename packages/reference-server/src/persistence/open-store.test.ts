import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOf, newFolder, open, refusal, restarted } from '../../test/fixtures/data.js'
import { openStore, StoreError } from './index.js'
import { loadLibrary } from './sqlite.js'

test('refuses a second server on a folder, by any path, until the first has closed it', async () => {
  const folder = newFolder()
  const first = await open(folder)
  const other = join(newFolder(), 'link')
  symlinkSync(folder, other)
  for (const path of [folder, `${folder}/../${folder.split('/').at(-1)}`, other]) {
    expect(await refusal(path)).toMatchObject({ reason: 'in_use', hint: 'Stop it, or choose another folder.' })
  }
  expect((await refusal(folder)).message).toBe(`Another server is using ${folder}.`)
  first.write([{ table: 'projects', id: 'hp-1', value: 1 }])
  first.close()
  expect(await restarted(folder)).toHaveLength(1)
})

test('releases the folder after a failed start', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'world.db'), 'no database')
  expect((await refusal(folder)).reason).toBe('damaged')
  expect((await refusal(folder)).reason).toBe('damaged')
})

test.each([
  ['with a file in its way', (folder: string) => join(folder, 'file', 'data')],
  ['that is a file', (folder: string) => join(folder, 'file')],
])('a folder %s is named', async (_, path) => {
  const folder = newFolder()
  writeFileSync(join(folder, 'file'), '')
  const error = await refusal(path(folder))
  expect(error).toMatchObject({ reason: 'unusable', folder: path(folder) })
  expect(error.message).toContain(path(folder))
})

test('names a folder that has the name of the file', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'world.db'))
  expect(await refusal(folder)).toMatchObject({ reason: 'unusable', folder })
})

test('reports a file that is missing on close', async () => {
  const folder = newFolder()
  const store = await openStore(folder)
  rmSync(folder, { recursive: true })
  expect(() => store.close()).toThrow(StoreError)
  expect(() => store.close()).not.toThrow()
})

test.each([
  ['nothing', Buffer.alloc(0), 'it is no world of this server'],
  ['too little', Buffer.from('SQLite format 3\0'), 'file is not a database'],
  ['something else', Buffer.alloc(4096, 'text '), 'file is not a database'],
])('a file with %s in it is no world', async (_, bytes, what) => {
  const folder = newFolder()
  const file = join(folder, 'world.db')
  writeFileSync(file, bytes)
  const error = await refusal(folder)
  expect(error).toMatchObject({ reason: 'damaged', message: `${file} is damaged: ${what}.` })
  expect(error.hint).toContain(`remove ${file}`)
  expect(filesOf(folder).get('world.db')).toEqual(bytes)
})

test('refuses the database of another program', async () => {
  const folder = newFolder()
  const file = join(folder, 'world.db')
  const connection = (await loadLibrary(folder))(file)
  connection.exec('CREATE TABLE addresses (name TEXT)')
  connection.close()
  expect((await refusal(folder)).message).toBe(`${file} is damaged: it is no world of this server.`)
})

test.each([
  [1, 'unusable', 'Use an older version of the server, or another folder.'],
  [3, 'newer', 'Use a newer version of the server, or another folder.'],
])('a world of version %d is refused as %s', async (version, reason, hint) => {
  const folder = newFolder()
  ;(await open(folder)).close()
  const connection = (await loadLibrary(folder))(join(folder, 'world.db'))
  connection.exec(`PRAGMA user_version=${version}`)
  connection.close()
  expect(await refusal(folder)).toMatchObject({ reason, hint })
  expect((await refusal(folder)).message).toContain(`is of version ${version}; this server reads 2`)
})

test('recovers from a start that ended while it created the file', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'world.db.new'), 'half a database')
  writeFileSync(join(folder, 'world.db.new-journal'), 'half a journal')
  expect(await restarted(folder)).toEqual([])
  expect([...filesOf(folder).keys()].sort()).toEqual(['world.db', 'world.lock'])
})

test('reports a missing table and a record that is not JSON as damage', async () => {
  const folder = newFolder()
  const file = join(folder, 'world.db')
  const store = await open(folder)
  store.write([{ table: 'projects', id: 'hp-1', value: { name: 'mine' } }])
  store.close()
  const connect = await loadLibrary(folder)
  const change = async (sql: string) => {
    const connection = connect(file)
    connection.exec(sql)
    connection.close()
    return await refusal(folder)
  }
  const error = await change("UPDATE projects SET value = '{name}'")
  expect(error).toMatchObject({ reason: 'damaged', hint: expect.stringContaining('Restore a copy of') })
  expect(error.message).toBe(`${file} is damaged: the record "hp-1" of projects is not JSON.`)
  expect((await change('DROP TABLE projects')).message).toContain('no such table: projects')
})
