import { expect, test } from 'vitest'
import { B, type Json, setUp } from '../../test/fixtures/server.js'

const { send, newProject } = setUp()
const path = `${B}/projects/${newProject()}/transcripts`

test.each([
  ['2026-01-31T10:20:30.29Z', '2026-01-31T10:20:30.290Z'],
  ['2026-01-31T10:20-0130', '2026-01-31T11:50:00.000Z'],
  ['2026-01-31T10:20:30', '2026-01-31T10:20:30.000Z'],
  ['0050-01-01', '0050-01-01T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2026-01-01T00:00:00.9999999999999Z', '2026-01-01T00:00:00.999Z'],
  ['2026', undefined],
  ['2026-01-01T10:00:00 01:00', undefined],
  ['0000-01-01T00:00:00+01:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
])('the sourceTimestamp %s is the instant %s', async (sourceTimestamp, expected) => {
  const body = { name: 't', turns: [{ role: 'user', content: '' }], sourceTimestamp }
  const { status, body: answer } = await send(path, { body })
  expect(status).toBe(expected === undefined ? 400 : 201)
  expect((answer.data as Json | undefined)?.source_timestamp).toBe(expected)
})
