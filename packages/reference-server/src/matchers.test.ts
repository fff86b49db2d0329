import './vitest.js'
import { expect, test } from 'vitest'
import { A, B, setUp, upload } from '../test/fixtures/server.js'
import { BoundedJournal } from './journal/index.js'

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

test('the journal keeps what fits into its bounds, and counts what it dropped', () => {
  const { server } = setUp()
  const entry = { operation: 'health' } as (typeof server.requests)[number]
  const journal = new BoundedJournal({ entries: 3, bytes: 100 })
  for (const bytes of [10, 10, 10, 10]) journal.record(entry, bytes)
  expect([journal.length, journal.dropped]).toEqual([3, 1])
  journal.record(entry, 75)
  expect([journal.length, journal.dropped]).toEqual([3, 2])
  journal.record(entry, 101)
  expect([journal.length, journal.dropped]).toEqual([0, 6])
  journal.clear()
  expect(journal.dropped).toBe(0)
})

test('the journal gives the requests of an operation, and plain arrays', async () => {
  const { requests } = await used()
  expect(requests.for('transcripts.upload').map(({ body }) => (body as { name: string }).name)).toEqual([
    'first',
    'second',
  ])
  expect(requests.map(({ status }) => status)).toStrictEqual([201, 201, 200])
})
