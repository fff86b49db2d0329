import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, open, restarted } from '../../test/fixtures/data.js'
import type { Change } from '../world/store.js'
import { loadLibrary } from './sqlite.js'

const change = (table: Change['table'], id: string, value: unknown): Change => ({ table, id, value })

test('restores the latest value of every record, in the order of first writes', async () => {
  const folder = newFolder()
  const store = await open(folder)
  store.write([change('keys', 'sk-1', { revoked: false }), change('projects', 'hp-1', { count: 0 })])
  store.write([change('transcripts', 'tr_1', { name: 'a' }), change('turns', 'tr_1', [{ role: 'user' }])])
  store.write([change('projects', 'hp-1', { count: 1 })])
  store.write([change('keys', 'sk-1', null), change('keys', 'sk-2', {})])
  const kept = [
    change('keys', 'sk-2', {}),
    change('projects', 'hp-1', { count: 1 }),
    change('transcripts', 'tr_1', { name: 'a' }),
    change('turns', 'tr_1', [{ role: 'user' }]),
  ]
  expect([...store.load()]).toEqual(kept)
  store.close()
  expect(await restarted(folder)).toEqual(kept)
})

test('keeps records across restarts', async () => {
  const folder = newFolder()
  for (let start = 0; start < 5; start += 1) {
    const store = await open(folder)
    store.write([change('projects', `hp-${start}`, start), change('projects', 'hp-0', -start)])
    store.close()
  }
  expect((await restarted(folder)).map(({ id, value }) => [id, value])).toEqual([
    ['hp-0', -4],
    ['hp-1', 1],
    ['hp-2', 2],
    ['hp-3', 3],
    ['hp-4', 4],
  ])
})

test('deletes every earlier record on replace', async () => {
  const folder = newFolder()
  const store = await open(folder)
  store.write([change('projects', 'hp-1', 1), change('turns', 'tr_1', 'x'.repeat(100_000))])
  store.replace([change('projects', 'hp-2', 2)])
  store.write([change('projects', 'hp-3', 3)])
  store.close()
  expect(await restarted(folder)).toEqual([change('projects', 'hp-2', 2), change('projects', 'hp-3', 3)])
  const again = await open(folder)
  again.replace([])
  again.close()
  expect(await restarted(folder)).toEqual([])
})

test('keeps nothing of a failed write, and keeps the next one', async () => {
  const folder = newFolder()
  const store = await open(folder)
  store.write([change('projects', 'hp-1', 1)])
  const circle: unknown[] = []
  circle.push(circle)
  expect(() => store.write([change('projects', 'hp-1', 2), change('projects', 'hp-2', circle)])).toThrow('circular')
  expect(() => store.replace([change('projects', 'hp-3', () => {})])).toThrow('cannot be written as JSON')
  store.write([change('projects', 'hp-4', 4)])
  store.close()
  expect(await restarted(folder)).toEqual([change('projects', 'hp-1', 1), change('projects', 'hp-4', 4)])
})

test('rolls back a transaction that fails in the database, and keeps the next write', async () => {
  const folder = newFolder()
  const store = await open(folder)
  const other = (await loadLibrary(folder))(join(folder, 'world.db'))
  other.exec(`CREATE TRIGGER refusal BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  expect(() => store.write([change('projects', 'hp-1', 1), change('turns', 'tr_1', [])])).toThrow('refused')
  expect(() => store.replace([change('turns', 'tr_1', [])])).toThrow('refused')
  other.exec('DROP TRIGGER refusal')
  other.close()
  store.write([change('projects', 'hp-2', 2)])
  expect([...store.load()]).toEqual([change('projects', 'hp-2', 2)])
  store.close()
  expect(await restarted(folder)).toEqual([change('projects', 'hp-2', 2)])
})

test('restores every text exactly', async () => {
  const folder = newFolder()
  const odd = [
    '',
    '\u0000a\u0000',
    '\uFEFFbyte order mark',
    '\uD800 alone',
    '👩‍👧 é',
    '"\\\n\u2028',
    '-- ; DROP',
    '1e999',
  ]
  const records = odd.map((text) => change('keys', text, { text, [text]: [text] }))
  const store = await open(folder)
  store.write(records)
  store.close()
  expect(await restarted(folder)).toEqual(records)
})

test('restores the largest upload and a small record', async () => {
  const folder = newFolder()
  const turns = Array.from({ length: 5 }, (_, i) => ({ role: 'user', content: `${i}é`.repeat(350_000) }))
  const store = await open(folder)
  store.write([change('turns', 'tr_1', turns), change('annotations', 'tr_1', {})])
  store.close()
  expect(await restarted(folder)).toEqual([change('turns', 'tr_1', turns), change('annotations', 'tr_1', {})])
})

test('creates a missing folder, for its owner only', async () => {
  const folder = join(newFolder(), 'a', 'b')
  const store = await open(folder)
  store.close()
  expect(await restarted(folder)).toEqual([])
  expect(statSync(folder).mode & 0o077).toBe(0)
  expect(statSync(join(folder, 'world.db')).mode & 0o077).toBe(0)
})

test('refuses writes after close, and accepts a second close', async () => {
  const store = await open(newFolder())
  store.close()
  store.close()
  expect(() => store.write([change('projects', 'hp-1', 1)])).toThrow('it is closed')
})
