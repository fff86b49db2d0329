import './vitest.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { A, B, setUp, upload } from '../test/fixtures/server.js'
import { createJournal, type JournalEntry } from './journal/index.js'

/** A server that received two uploads and a list. */
async function used() {
  const { server, send, newProject } = setUp()
  const path = `${B}/projects/${await newProject()}/transcripts`
  await send(path, { body: { ...upload, name: 'first', metadata: { team: 'support', tier: 1 } } })
  await send(path, { body: { ...upload, name: 'second' } })
  await send(`${path}?limit=5&q=lamp`)
  return server
}

/** The message of the assertion that fails. */
function failure(assertion: () => void): string {
  try {
    assertion()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('The assertion holds.')
}

test('finds a request by its operation, and by parts of its body, query, headers and status', async () => {
  const server = await used()
  expect(server).toHaveReceived('transcripts.upload')
  expect(server).toHaveReceived('transcripts.upload', { times: 2 })
  expect(server).toHaveReceived('transcripts.upload', { body: { metadata: { team: 'support' } }, times: 1 })
  expect(server).toHaveReceived('transcripts.upload', { body: { name: expect.stringContaining('sec') }, status: 201 })
  expect(server).toHaveReceived('transcripts.list', {
    query: { limit: '5' },
    headers: { authorization: expect.stringContaining('…') },
  })
  expect(server.requests).toHaveReceived('transcripts.list', { body: undefined, workspace: 'reference' })
  expect(server).not.toHaveReceived('annotations.create')
  expect(server).not.toHaveReceived('transcripts.upload', { times: 1 })
  expect(server).not.toHaveReceived('transcripts.upload', { body: { name: 'third' } })
})

test('shows how the nearest request differs, and only in what is expected', async () => {
  const server = await used()
  const message = failure(() =>
    expect(server).toHaveReceived('transcripts.upload', { body: { name: 'first', metadata: { team: 'sales' } } }),
  )
  expect(message).toContain(
    'expected the server to receive transcripts.upload as described at least once; received 0 times',
  )
  expect(message).toContain('The nearest of 2 other transcripts.upload:')
  expect(message).toMatch(/- .*"team": "sales"/)
  expect(message).toMatch(/\+ .*"team": "support"/)
  expect(message).not.toContain('tier')
  expect(message).not.toContain('second')
})

test('says what was received in place of an operation, and how often', async () => {
  const server = await used()
  expect(failure(() => expect(server).toHaveReceived('annotations.create'))).toContain(
    'It received only: transcripts.upload, transcripts.list.',
  )
  expect(failure(() => expect(setUp().server).toHaveReceived('health'))).toContain('It received no request.')
  expect(failure(() => expect(server).toHaveReceived('transcripts.upload', { times: 3 }))).toContain(
    '3 times; received 2 times',
  )
  expect(failure(() => expect(server).not.toHaveReceived('transcripts.list'))).toContain(
    'not to receive transcripts.list; received once',
  )
})

test('refuses an operation and a field that do not exist, with the nearest name', () => {
  const { server } = setUp()
  expect(() => expect(server).toHaveReceived('transcript.upload')).toThrow(
    'there is no operation "transcript.upload" (did you mean transcripts.upload?)',
  )
  const expected = { bodi: {} } as object
  expect(() => expect(server).not.toHaveReceived('health', expected)).toThrow(
    'no such field "bodi" (did you mean body?)',
  )
  expect(() => expect(3).toHaveReceived('health')).toThrow('expected a server')
})

test('does not say what it cannot know: requests that the journal has dropped', async () => {
  const { server, send } = setUp({ journalSize: 1 })
  await send(`${A}/health`, { key: null })
  await send(`${B}/projects`)
  expect(server).toHaveReceived('projects.list')
  expect(() => expect(server).not.toHaveReceived('health')).toThrow('the journal dropped 1 earlier requests')
  expect(() => expect(server).toHaveReceived('projects.list', { times: 1 })).toThrow('cannot tell')
  server.requests.clear()
  expect(server).not.toHaveReceived('health')
})

/** An entry of about 1000 bytes, and its bodies. */
const entryOf = (bodyBytes: number, answer = ''): JournalEntry => ({
  ...({ path: '', operation: 'health', at: 0 } as JournalEntry),
  ...(bodyBytes > 0 && { body: 'b', bodyBytes }),
  answer: { headers: {}, body: answer },
})

test('the journal keeps what fits into its bounds, and counts what it dropped', () => {
  const { requests, record } = createJournal({ entries: 3, bytes: 2_500 })
  for (let at = 0; at < 4; at += 1) record(entryOf(0))
  expect([requests.map(({ id }) => id), requests.dropped]).toEqual([[3, 4], 2])
  requests.clear()
  expect([requests.length, requests.dropped]).toEqual([0, 0])
  const few = createJournal({ entries: 1, bytes: 10_000 })
  for (let at = 0; at < 2; at += 1) few.record(entryOf(0))
  expect([few.requests.map(({ id }) => id), few.requests.dropped]).toEqual([[2], 1])
})

test('the journal drops the bodies of the oldest requests first, and says so with their size', () => {
  const { requests, record } = createJournal({ entries: 9, bytes: 4_000 })
  for (const entry of [entryOf(0), entryOf(300, 'x'.repeat(300)), entryOf(0, 'x'.repeat(300))]) record(entry)
  expect(requests.map(({ body, bodiesDropped }) => [body, bodiesDropped])).toEqual([
    [undefined, undefined],
    ['b', undefined],
    [undefined, undefined],
  ])
  record(entryOf(0))
  expect(
    requests.map(({ body, bodyBytes, bodiesDropped, answer }) => [body, bodyBytes, bodiesDropped, answer.body]),
  ).toEqual([
    [undefined, undefined, undefined, ''],
    [undefined, 300, true, undefined],
    [undefined, undefined, true, undefined],
    [undefined, undefined, undefined, ''],
  ])
  expect(requests.dropped).toBe(0)
  record(entryOf(5_000))
  expect([requests.length, requests.dropped, requests.at(-1)?.bodiesDropped]).toEqual([4, 1, true])
})

test('the journal never holds more than its bounds, and keeps every body while all fit', () => {
  const sizes = fc.array(fc.record({ body: fc.nat(3_000), answer: fc.nat(3_000) }), { maxLength: 30 })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1_000, max: 40_000 }), fc.nat(30), (drawn, bytes, entries) => {
      const { requests, record } = createJournal({ entries, bytes })
      const held = () => requests.reduce((sum, each) => sum + 1_000 + heldBodies(each), 0)
      for (const { body, answer } of drawn) record(entryOf(body, 'x'.repeat(answer)))
      expect(requests.length).toBeLessThanOrEqual(entries)
      expect(held()).toBeLessThanOrEqual(bytes)
      const all = drawn.reduce((sum, { body, answer }) => sum + 1_000 + body + answer, 0)
      if (all <= bytes) expect(requests.some(({ bodiesDropped }) => bodiesDropped)).toBe(false)
      requests.clear({ operation: 'none' })
      expect(held()).toBeLessThanOrEqual(bytes)
      expect(requests.length + requests.dropped).toBe(drawn.length)
    }),
  )
})

const heldBodies = ({ bodiesDropped, bodyBytes = 0, answer }: JournalEntry) =>
  bodiesDropped ? 0 : bodyBytes + (answer.body?.length ?? 0)

test('finds a request by a body of 200 kB, and does not say what it cannot know of a dropped body', async () => {
  const turns = [{ role: 'user', content: 'x'.repeat(200_000) }]
  const { server, send, newProject } = setUp({ journalBytes: 400_000 })
  const path = `${B}/projects/${newProject()}/transcripts`
  await send(path, { body: { name: 'first', turns } })
  expect(server).toHaveReceived('transcripts.upload', { body: { name: 'first', turns } })
  await send(path, { body: { name: 'second', turns } })
  expect(server).toHaveReceived('transcripts.upload', { body: { name: 'second' } })
  expect(server).toHaveReceived('transcripts.upload', { status: 201, times: 2 })
  for (const assertion of [
    () => expect(server).toHaveReceived('transcripts.upload', { body: { name: 'first' } }),
    () => expect(server).not.toHaveReceived('transcripts.upload', { body: { name: 'third' } }),
    () => expect(server).toHaveReceived('transcripts.upload', { body: { name: 'second' }, times: 1 }),
  ])
    expect(assertion).toThrow(
      /cannot tell, because the journal dropped the body of 1 requests \(2000\d\d bytes\); raise journalBytes/,
    )
  // Whatever its body was, it had another status.
  expect(server).not.toHaveReceived('transcripts.upload', { body: { name: 'first' }, status: 400 })
})

test('says that the body of a request was not read, where an earlier refusal left it unread', async () => {
  const { server, send } = setUp()
  await send(`${B}/projects`, { body: { name: 'P' }, key: null })
  expect(failure(() => expect(server).toHaveReceived('projects.create', { body: { name: 'P' } }))).toContain(
    'body\nnot read, because the request got 401 before',
  )
})

test('the journal gives the requests of an operation, and plain arrays', async () => {
  const { requests } = await used()
  expect(requests.for('transcripts.upload').map(({ body }) => (body as { name: string }).name)).toEqual([
    'first',
    'second',
  ])
  expect(requests.map(({ status }) => status)).toStrictEqual([201, 201, 200])
})
