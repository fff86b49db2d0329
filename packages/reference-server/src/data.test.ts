import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore, StoreError } from './data.js'
import { filesOf, newFolder, open, refusal, restarted } from './data-fixture.js'
import { loadLibrary } from './data-library.js'

test('the second server on a folder is refused, by whatever path it comes, until the first has closed it', async () => {
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

test('a refused start leaves the folder free', async () => {
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

test('a folder in the place of the file is named', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'world.db'))
  expect(await refusal(folder)).toMatchObject({ reason: 'unusable', folder })
})

test('a file that is gone when the store is closed is named', async () => {
  const folder = newFolder()
  const store = await openStore(folder)
  rmSync(folder, { recursive: true })
  expect(() => store.close()).toThrow(StoreError)
  expect(() => store.close()).not.toThrow()
})

test.each([
  ['nothing', Buffer.alloc(0), 'it ends after 0 bytes'],
  ['too little', Buffer.from('SQLite format 3\0'), 'it ends after 16 bytes'],
  ['something else', Buffer.alloc(4096, 'text '), 'it is no SQLite database'],
])('a file with %s in it is no world', async (_, bytes, what) => {
  const folder = newFolder()
  const file = join(folder, 'world.db')
  writeFileSync(file, bytes)
  const error = await refusal(folder)
  expect(error).toMatchObject({ reason: 'damaged', message: `${file} is damaged: ${what}.` })
  expect(error.hint).toContain(`remove ${file}`)
  expect(filesOf(folder).get('world.db')).toEqual(bytes)
})

test('a database of another program is left alone', async () => {
  const folder = newFolder()
  const file = join(folder, 'world.db')
  const connection = (await loadLibrary(folder))(file)
  connection.exec('CREATE TABLE addresses (name TEXT)')
  connection.close()
  expect((await refusal(folder)).message).toBe(`${file} is damaged: it is a database, and no world of this server.`)
})

test('a newer world is left to a newer server', async () => {
  const folder = newFolder()
  ;(await open(folder)).close()
  const connection = (await loadLibrary(folder))(join(folder, 'world.db'))
  connection.exec('PRAGMA user_version=2')
  connection.close()
  expect(await refusal(folder)).toMatchObject({ reason: 'newer' })
  expect((await refusal(folder)).message).toContain('is of version 2; this server reads 1')
})

test('a start that was cut off while it made the file is made good by the next', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'world.db.new'), 'half a database')
  writeFileSync(join(folder, 'world.db.new-journal'), 'half a journal')
  expect(await restarted(folder)).toEqual([])
  expect([...filesOf(folder).keys()].sort()).toEqual(['world.db', 'world.lock'])
})

test('a table more, or a value that was changed by hand, is damage', async () => {
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
    return (await refusal(folder)).message
  }
  const renamed = `UPDATE records SET value = '{"name":"thine"}'`
  expect(await change(renamed)).toBe(`${file} is damaged: record 1 (projects "hp-1") is not as it was written.`)
  expect(await change('DELETE FROM records')).toContain('records are missing, or from an earlier time')
  expect(await change('CREATE TABLE more (id TEXT)')).toContain('its tables are others')
})
