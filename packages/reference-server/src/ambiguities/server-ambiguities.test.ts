import { expect, test } from 'vitest'
import { A, B, type Json, setUp, upload } from '../../test/fixtures/server.js'
import {
  type Ambiguities,
  ambiguityProblem,
  ambiguityValues,
  createServer,
  defaultAmbiguities,
  readSaved,
  type SavedService,
  steeredClock,
} from '../core.js'
import { ambiguityProblems } from './declarations.js'

test('every ambiguity has its default as the first of its readings, or is an integer', () => {
  for (const [name, value] of Object.entries(defaultAmbiguities)) {
    const values = ambiguityValues[name as keyof Ambiguities]
    if (values) expect(values[0]).toBe(value)
    else expect(Number.isSafeInteger(value)).toBe(true)
    for (const each of values ?? [value]) expect(ambiguityProblems({ [name]: each })).toEqual([])
  }
})

test.each([
  ['order', 'random', 'order must be descending, ascending or unstable'],
  ['pastEnd', '404', 'pastEnd must be empty, 404 or 400'],
  ['created', 204, 'created must be 201, 200, 202 or empty'],
  ['dateHeader', 'yes', 'dateHeader must be true or false'],
  ['pageCap', -1, 'pageCap must be an integer from 0'],
  ['databaseSkewMs', 1e13, 'databaseSkewMs must be an integer from -1000000000000 to 1000000000000'],
  ['rowField', 'id', 'unknown ambiguity rowField (did you mean rowFields?); expected one of annotatorsNeedKey, '],
  ['toString', 'id', 'unknown ambiguity toString; expected one of '],
])('the reading %s = %j is refused', (name, value, problem) => {
  expect(ambiguityProblems({ [name]: value }).join()).toContain(problem)
})

test('the command and a saved service take no ambiguity that only a test needs', () => {
  expect(ambiguityProblem('totalLags', false)).toContain('unknown ambiguity totalLags')
  const saved = { schema: 'svc/contract@1', ambiguities: { totalLags: { reading: false } } }
  expect(() => readSaved(saved)).toThrow('unknown ambiguity totalLags')
})

test('names every problem of ambiguities at once, when a server is created and later', () => {
  const wrong = { order: 'none', page: 1, legacy: undefined } as unknown as Partial<Ambiguities>
  const problems = /order must be .*; (\/ambiguities: )?unknown ambiguity page/
  expect(() => createServer({ ambiguities: wrong })).toThrow(problems)
  const { ambiguities } = createServer({ ambiguities: { order: 'ascending' } })
  expect(() => ambiguities.set({ ...wrong, total: 'low' })).toThrow(TypeError)
  expect(() => ambiguities.set(wrong)).toThrow(problems)
  expect(ambiguities.current).toEqual({ ...defaultAmbiguities, order: 'ascending' })
})

test('each request uses the readings of its time, until they are cleared or reset', async () => {
  const { server, send, status } = setUp({ ambiguities: { legacy: false, created: 200 } })
  const create = async () => [
    await status(`${B}/projects`, { body: { name: 'P' } }),
    await status(`${B}/halfpipe/sessions`, { body: { name: 'P' } }),
  ]
  expect(await create()).toEqual([200, 404])
  server.ambiguities.set({ legacy: true })
  expect(await create()).toEqual([200, 200])
  server.ambiguities.clear()
  expect(await create()).toEqual([201, 201])
  server.ambiguities.reset()
  expect(await create()).toEqual([200, 404])
  server.ambiguities.set({ errorBody: 'detail' })
  expect((await send(`${B}/none`)).body).toEqual({ detail: 'There is no such path.' })
  server.reset()
  expect(server.ambiguities.current).toEqual({ ...defaultAmbiguities, legacy: false, created: 200 })
})

test('the control plane changes and clears the ambiguities, and keeps its own envelope and date', async () => {
  const { send, status } = setUp({ control: { token: 't' }, ambiguities: { order: 'ascending' } })
  const control = (method: string, body?: object) =>
    send(`${A}/_svc/ambiguities`, { method, key: 't', ...(body && { body }) })
  const current = async () => (await send(`${A}/_svc/world`, { key: 't' })).body.ambiguities
  expect(await current()).toEqual({ ...defaultAmbiguities, order: 'ascending' })
  expect((await control('POST', { errorBody: 'text', dateHeader: false, pageCap: 7 })).status).toBe(204)
  expect(await current()).toMatchObject({ order: 'ascending', errorBody: 'text', pageCap: 7 })
  const refused = await control('POST', { pageCap: 1.5, pageCaps: 1, total: 'low' })
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    expect.stringMatching(/pageCap must be an integer from 0; .*unknown ambiguity pageCaps/),
  ])
  expect(refused.headers.get('date')).not.toBeNull()
  expect((await control('POST', [])).status).toBe(400)
  expect(await current()).toMatchObject({ total: 'exact' })
  expect((await control('DELETE')).status).toBe(204)
  expect(await current()).toEqual(defaultAmbiguities)
  expect(await status(`${A}/_svc/reset`, { method: 'POST', key: 't' })).toBe(204)
  expect(await current()).toEqual({ ...defaultAmbiguities, order: 'ascending' })
})

test('the lag of a list is not changed by a date that is corrected', async () => {
  const clock = steeredClock({ now: () => Date.UTC(2026, 0, 1) })
  const { send, newProject } = setUp({ clock, ambiguities: { listLagMs: 8000 } })
  newProject()
  const listed = async () => ((await send(`${B}/projects`)).body.data as Json[]).length
  clock.jumpWall(3_600_000)
  expect(await listed()).toBe(0)
  clock.jumpWall(-7_200_000)
  clock.advance(8000)
  expect(await listed()).toBe(1)
})

test('an unstable order starts again after a reset', async () => {
  const { server, send } = setUp({ ambiguities: { order: 'unstable' } })
  const orders = async () => {
    for (let made = 0; made < 6; made += 1) await send(`${B}/projects`, { body: { name: `P${made}` } })
    const list = async () => ((await send(`${B}/projects`)).body.data as Json[]).map(({ name }) => name).join()
    return [await list(), await list(), await list()]
  }
  const first = await orders()
  expect(new Set(first).size).toBe(3)
  server.reset()
  expect(await orders()).toEqual(first)
})

test('a page of another origin may read the headers that a reading adds', async () => {
  const { server, send, newProject } = setUp({ ambiguities: { created: 'empty' } })
  const headers = { origin: 'https://app.test' }
  const exposed = async (sent: object) =>
    (await send(`${B}/projects/${newProject()}/transcripts`, { headers, ...sent })).headers.get(
      'access-control-expose-headers',
    )
  const base = 'retry-after, date, allow, www-authenticate'
  expect([await exposed({ body: upload }), await exposed({})]).toEqual([`${base}, location`, base])
  server.faults.add('limited; ms=1; form=ms')
  expect(await exposed({})).toBe(`${base}, retry-after-ms`)
})

test('a server starts like a saved service; its own ambiguities win, and a reset restores both', () => {
  const seen = { total: { reading: 'low' }, order: { reading: 'ascending' }, listLagMs: { notSeen: 'below one poll' } }
  const like = { schema: 'svc/contract@1', ambiguities: seen } as SavedService
  const { ambiguities } = createServer({ like, ambiguities: { order: 'unstable' } })
  const expected = { ...defaultAmbiguities, total: 'low', order: 'unstable' }
  expect(ambiguities.current).toEqual(expected)
  ambiguities.clear()
  ambiguities.reset()
  expect(ambiguities.current).toEqual(expected)
})

test.each([
  [{ schema: 'svc/contract@2', ambiguities: {} }, '/schema: expected "svc/contract@1", found "svc/contract@2"'],
  [{ schema: 'svc/contract@1', ambiguities: { order: { reading: 'random' } } }, 'order must be descending'],
  [{ schema: 'svc/contract@1', ambiguities: { ordre: { notSeen: 'x' } } }, 'unknown ambiguity ordre'],
  [[], 'expected an object, as `svc contract --save` writes it'],
])('a saved service is refused with its problem: %j', (value, problem) => {
  expect(() => readSaved(value)).toThrow(problem)
  expect(() => createServer({ like: value as SavedService })).toThrow(TypeError)
})
