import { expect, test } from 'vitest'
import { B, setUp, upload } from '../../test/fixtures/server.js'
import { createServer } from '../core.js'
import type { Change, Store } from './store.js'

/** A store in memory that writes what it is given as JSON, as one on disk does. */
function memory() {
  const rows = new Map<string, string>()
  let full = false
  const apply = (changes: readonly Change[]) => {
    for (const change of changes) {
      const name = `${change.table} ${change.id}`
      if (change.value === null) rows.delete(name)
      else rows.set(name, JSON.stringify(change))
    }
  }
  const store: Store = {
    load: () => [...rows.values()].map((row) => JSON.parse(row) as Change),
    write(changes) {
      if (full) throw new Error('no space left')
      apply(changes)
    },
    replace(changes) {
      if (full) throw new Error('no space left')
      rows.clear()
      apply(changes)
    },
    close() {},
  }
  return { store, rows, fill: (now: boolean) => (full = now) }
}

test('restores a world from its store', async () => {
  const { store } = memory()
  const { server, send, clock } = setUp({
    store,
    seed: { keys: [{ key: 'k', permissions: ['projects-read'] }, { key: 'w' }] },
  })
  const { body } = await send(`${B}/projects`, { body: { name: 'P' }, key: 'w' })
  const { id } = body.data as { id: string }
  for (const name of ['a', 'b']) await send(`${B}/projects/${id}/transcripts`, { body: { ...upload, name }, key: 'w' })
  server.world.revoke('k')
  clock.time += 5
  const [newest] = server.world.transcripts(id)
  if (newest) server.world.annotate(newest, { mood: 'calm' })
  server.close()

  const again = createServer({ store, clock })
  expect(again.world.projects('reference')).toEqual(server.world.projects('reference'))
  expect(again.world.transcripts(id)).toEqual(server.world.transcripts(id))
  expect(again.world.key('k')).toEqual(server.world.key('k'))
  expect(again.world.key('w')).toMatchObject({ last_used_at: clock.time - 5 })
  expect(again.world.key('sk-service-api03-reference')).toBeUndefined()
})

test('does not repeat ids after a restart', () => {
  const { store } = memory()
  const made = [0, 1].map(() => createServer({ store }).world.createProject({ name: 'p' }).record.id)
  expect(new Set(made).size).toBe(2)
})

test('responds with 500 if the store refuses a write, and keeps nothing in memory', async () => {
  const errors: unknown[] = []
  const { store, fill } = memory()
  const { server, send, newProject } = setUp({ store, onError: (error) => errors.push(error) })
  const project = newProject()
  fill(true)
  expect((await send(`${B}/projects/${project}/transcripts`, { body: upload })).status).toBe(500)
  expect(server.world.transcripts(project)).toEqual([])
  expect(server.world.project(project)?.record.transcript_count).toBe(0)
  expect(errors).toEqual([new Error('no space left')])
  fill(false)
  expect((await send(`${B}/projects/${project}/transcripts`, { body: upload })).status).toBe(201)
})

test('runs a model again after a restart only if it had not answered', async () => {
  const { store } = memory()
  const asked: string[] = []
  const model = ({ record }: { record: { name: string } }) => {
    asked.push(record.name)
    return record.name === 'slow' ? new Promise<never>(() => {}) : { done: true }
  }
  const { server, send, newProject } = setUp({ store, pipeline: { model } })
  const project = newProject()
  for (const name of ['slow', 'quick'])
    await send(`${B}/projects/${project}/transcripts`, { body: { ...upload, name } })
  await new Promise(setImmediate)
  server.close()
  createServer({ store, pipeline: { model } })
  expect(asked).toEqual(['slow', 'quick', 'slow'])
})

test('replaces the content of the store by the seed on reset', () => {
  const { store, rows } = memory()
  const steps: string[] = []
  const write = (changes: readonly Change[]) => {
    steps.push('write')
    store.write(changes)
  }
  const replace = (changes: readonly Change[]) => {
    steps.push('replace')
    store.replace(changes)
  }
  const server = createServer({ store: { ...store, write, replace } })
  server.world.createProject({ name: 'p' })
  server.reset()
  // A server that is killed between two steps would leave what is neither the old world nor the new.
  expect(steps).toEqual(['replace', 'write', 'replace'])
  expect([...rows.keys()]).toEqual(['keys sk-service-api03-reference'])
})

test('changes nothing if the store refuses a reset', async () => {
  const { store, fill, rows } = memory()
  const { server, send, newProject, clock } = setUp({ store })
  const id = newProject()
  await send(`${B}/projects/${id}/transcripts`, { body: upload })
  const kept = [...rows.values()]
  fill(true)
  clock.time += 7
  await send(`${B}/projects`)
  expect(() => server.reset()).toThrow('no space left')
  expect([...rows.values()]).toEqual(kept)
  const { keys } = server.world
  const before = {
    keys: [...keys.call(server.world)],
    projects: server.world.projects(),
    transcripts: server.world.transcripts(id),
  }
  expect(before.projects.map(({ record }) => record.id)).toEqual([id])
  fill(false)
  // The use of a key that was still to be written is not lost either.
  server.close()
  const { world } = createServer({ store, clock })
  expect([...world.keys()]).toEqual(before.keys)
  expect(world.projects()).toEqual(before.projects)
  expect(world.transcripts(id)).toEqual(before.transcripts)
})

test('changes nothing if a seed cannot be created', () => {
  const { world } = createServer()
  const { record } = world.createProject({ name: 'p' })
  const plant = () => {
    world.createProject({ name: 'q' })
    throw new Error('no such seed')
  }
  expect(() => world.replaceAll(plant)).toThrow('no such seed')
  expect(world.projects().map(({ record: { name } }) => name)).toEqual(['p'])
  expect(world.project(record.id)?.record).toBe(record)
})

test('closes a store whose last write fails', async () => {
  const { store, fill } = memory()
  let closed = false
  const { server, send } = setUp({ store: { ...store, close: () => (closed = true) } })
  await send(`${B}/projects`)
  fill(true)
  expect(() => server.close()).toThrow('no space left')
  expect(closed).toBe(true)
})

test('a transcript without its turns is a damaged store', () => {
  const { store, rows } = memory()
  const { world } = createServer({ store })
  const { record } = world.createTranscript(world.createProject({ name: 'p' }), { name: 't', turns: [] })
  rows.delete(`turns ${record.id}`)
  expect(() => createServer({ store })).toThrow(`no turns of the transcript ${record.id}`)
})
