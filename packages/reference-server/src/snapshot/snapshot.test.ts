import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { A, annotation, B, setUp, upload } from '../../test/fixtures/server.js'
import { createServer, readSeed, referenceKey, type Snapshot, steeredClock } from '../core.js'

const start = Date.UTC(2026, 0, 1)
/** A clock that stands until it is moved. */
const standing = () => steeredClock({ now: () => start, after: () => () => {} })

/** A server in the middle of its work: records, a used-up quota, faults, ambiguities and scripts that have begun. */
async function busy() {
  const clock = standing()
  const made = setUp({
    clock,
    pipeline: { afterMs: 1_000 },
    seed: {
      workspaces: ['one', 'two'],
      keys: [
        { key: referenceKey, name: 'main' },
        { key: 'k2', workspace: 'two' },
      ],
    },
    limits: { requests: 4, windowMs: 60_000 },
  })
  const { server, send } = made
  const project = server.world.createProject({ name: 'P', extra: { mood: 'calm' }, domain: 'ai_coding' }).record.id
  const path = `${B}/projects/${project}/transcripts`
  await send(path, { body: { ...upload, externalId: 'e', metadata: { a: [1] }, sourceTimestamp: '2025-01-01' } })
  clock.advance(1_500)
  const second = await send(path, { body: { ...upload, name: 'second', process: false } })
  server.world.annotate(server.world.transcript((second.body.data as { id: string }).id) ?? expect.fail(), {
    mood: 'x',
  })
  server.faults.add('projects.get: status; code=503; skip=1; times=2')
  server.faults.add('health: limited; ms=5000')
  await send(`${B}/projects/${project}`)
  await send(`${B}/projects/${project}`)
  await send(`${A}/health`)
  server.ambiguities.set({ listLagMs: 4_000, total: 'none' })
  server.restore({ ...server.snapshot(), annotators: [{ id: 'structural', answers: [{ times: 2, outcome: 'poor' }] }] })
  await send(`${A}/v1/annotations`, { body: annotation })
  return { ...made, clock, project, path }
}

type Made = Awaited<ReturnType<typeof busy>>

/** The answers of a server to a client, now and later. */
async function seenAt(
  { server, clock }: Pick<Made, 'server' | 'clock'>,
  { project, path }: Pick<Made, 'project' | 'path'>,
) {
  const answers: unknown[] = []
  const ask = async (url: string, body?: object, key = referenceKey) => {
    const init = { headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } }
    const request = body ? { ...init, method: 'POST', body: JSON.stringify(body) } : init
    const response = await server.fetch(url, request)
    const { processing_time_ms: _, ...value } = (await response.json()) as Record<string, unknown>
    answers.push([response.status, response.headers.get('retry-after'), response.headers.get('date'), value])
  }
  await ask(`${B}/projects/${project}`)
  await ask(path)
  await ask(`${B}/projects`)
  await ask(`${A}/health`)
  for (let i = 0; i < 3; i++) await ask(`${A}/v1/annotations`, annotation)
  clock.advance(2_000)
  await ask(`${B}/projects`, { name: 'N' }, 'k2')
  clock.advance(60_000)
  await ask(path)
  for (const { record } of server.world.transcripts(project)) await ask(`${B}/transcripts/${record.id}`)
  await ask(`${B}/projects/${project}`)
  await ask(`${B}/projects`, { name: 'M' })
  return answers
}

describe('a snapshot', () => {
  test('is JSON that is equal after it is restored, with and without keys', async () => {
    const { server } = await busy()
    for (const keys of [false, true]) {
      const snapshot = server.snapshot({ keys })
      const copy: Snapshot = JSON.parse(JSON.stringify(snapshot))
      expect(copy).toEqual(snapshot)
      server.restore(copy)
      expect(server.snapshot({ keys })).toEqual(snapshot)
    }
  })

  test('brings back all that a client can see, and all that happens next', async () => {
    const first = await busy()
    const snapshot = first.server.snapshot()
    const before = await seenAt(first, first)
    const after = first.server.snapshot()
    first.server.restore(snapshot)
    expect(await seenAt(first, first)).toEqual(before)
    expect(first.server.snapshot()).toEqual(after)
  })

  test('is a seed of another server, and resets it to itself', async () => {
    const first = await busy()
    const snapshot = first.server.snapshot({ keys: true })
    expect(readSeed(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot)
    const clock = standing()
    const server = createServer({ clock, pipeline: { afterMs: 1_000 }, seed: snapshot })
    expect(server.snapshot({ keys: true })).toEqual(snapshot)
    const before = await seenAt(first, first)
    expect(await seenAt({ server, clock }, first)).toEqual(before)
    clock.jumpWall(Date.parse(snapshot.clock?.now ?? '') - clock.now())
    server.reset()
    expect(server.snapshot({ keys: true })).toEqual(snapshot)
  })

  test('names its keys only on request, and says what it holds', async () => {
    const { server } = await busy()
    expect(JSON.stringify(server.snapshot())).not.toMatch(/sk-service|"k2"/)
    expect(server.snapshot().holds).not.toContain('keys')
    const { keys, holds } = server.snapshot({ keys: true })
    expect(keys).toMatchObject([{ key: referenceKey, name: 'main' }, { key: 'k2' }])
    expect(holds).toEqual(expect.arrayContaining(['keys', 'windows', 'clock']))
  })

  test('makes a fork that shares nothing with its server', async () => {
    const first = await busy()
    first.clock.stop()
    const fork = first.server.fork()
    expect(fork.snapshot({ keys: true })).toEqual(first.server.snapshot({ keys: true }))
    fork.world.createProject({ name: 'of the fork' })
    fork.faults.clear()
    fork.ambiguities.clear()
    expect(first.server.snapshot().projects).toHaveLength(1)
    expect(first.server.snapshot().faults).toHaveLength(2)
    expect(first.server.ambiguities.current.total).toBe('none')
  })

  test('of any records and settings is equal after it is restored', () => {
    const text = fc.string({ minLength: 1, maxLength: 20 })
    const transcript = fc.record(
      {
        name: text,
        turns: fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content: text }), {
          minLength: 1,
          maxLength: 3,
        }),
        externalId: text,
        metadata: fc.dictionary(text, fc.jsonValue()),
        processing_status: fc.constantFrom('queued', 'skipped', 'error'),
        annotations: fc.dictionary(text, fc.jsonValue()),
        ageMs: fc.nat(5_000),
        lags: fc.boolean(),
      },
      { requiredKeys: ['name', 'turns'] },
    )
    const seed = fc.record(
      {
        projects: fc.array(fc.record({ name: text, transcripts: fc.array(transcript, { maxLength: 3 }) }), {
          maxLength: 3,
        }),
        faults: fc.array(fc.constantFrom('health: lost; times=2', 'latency; ms=5', 'limited; ms=9'), { maxLength: 2 }),
        ambiguities: fc.record({ listLagMs: fc.nat(9_000), created: fc.constantFrom(200, 201) }),
        submitError: fc.boolean(),
        limits: fc.option(fc.record({ requests: fc.nat(9), windowMs: fc.integer({ min: 1, max: 9_000 }) })),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(seed, fc.nat(9_000), (given, ms) => {
        const clock = standing()
        const content = readSeed(JSON.parse(JSON.stringify(given)))
        const server = createServer({ clock, seed: content })
        clock.advance(ms)
        const snapshot = server.snapshot({ keys: true })
        const other = createServer({ clock: standing(), seed: JSON.parse(JSON.stringify(snapshot)) })
        expect(other.snapshot({ keys: true })).toEqual(snapshot)
      }),
      { numRuns: 60 },
    )
  })
})

test('restores nothing of a snapshot that is invalid, and names every problem', async () => {
  const { server } = await busy()
  const before = server.snapshot({ keys: true })
  const invalid = {
    ...before,
    limits: { requests: -1 },
    projects: [{ name: '' }],
    colour: 'red',
  } as unknown as Snapshot
  expect(() => server.restore(invalid)).toThrow(/\/projects\/0\/name: .*\/limits\/requests: .*\/colour: no such field/)
  expect(() => server.restore({ annotators: [{ id: 'mine' }] })).toThrow('/outcome: required')
  const twice = [{ name: 'a', id: `hp-${'0'.repeat(8)}-0000-0000-0000-000000000000` }]
  expect(() => server.restore({ projects: [...twice, ...twice] })).toThrow('expected another value')
  expect(server.snapshot({ keys: true })).toEqual(before)
})

test('holds limits without an end, as JSON, and changes nothing for a time out of range', () => {
  const saturation = { requests: 1, windowMs: 1_000 }
  const { server } = setUp({
    clock: standing(),
    limits: { requests: Number.POSITIVE_INFINITY, windowMs: 1, saturation },
  })
  const snapshot: Snapshot = JSON.parse(JSON.stringify(server.snapshot()))
  server.restore(snapshot)
  expect(server.snapshot()).toEqual(snapshot)
  server.faults.add('health: lost')
  expect(() => server.restore({ clock: { now: '1960-01-01' } })).toThrow('between the years 1970 and 9999')
  expect(server.faults.rules).toHaveLength(1)
})

test('keeps the time of a clock that cannot be steered', async () => {
  const { server, clock } = setUp()
  const snapshot = server.snapshot()
  clock.time += 5_000
  server.restore(snapshot)
  expect(server.snapshot().clock?.now).toBe(new Date(start + 5_000).toISOString())
})

test('the example of a seed is one', () => {
  const file = new URL('../../../../examples/mock-seed.json', import.meta.url)
  expect(
    createServer({ seed: readSeed(JSON.parse(readFileSync(file, 'utf8'))) }).snapshot().projects.length,
  ).toBeGreaterThan(0)
})
