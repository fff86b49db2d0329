import { expect, test } from 'vitest'
import { filtered, readFilter } from './filter.js'
import { seededIds } from './ids.js'
import type { StoredTranscript } from './records.js'
import { World } from './world.js'

const world = new World({ clock: { now: () => 0 }, ids: seededIds(), workspace: 'w' })
const transcript = world.createTranscript(world.createProject({ name: 'p' }), {
  name: 'title word',
  turns: [
    { role: 'user', content: 'Wo ist die Straße?' },
    { role: 'assistant', content: 'Links, 100% sicher.' },
  ],
  modelName: 'm-1',
  language: 'de',
  sourceSystem: 'desk',
  sourceTimestamp: '2026-03-10T23:30:00Z',
  annotations: { mood: 'calm', score: 3, note: 'a:b' },
})
const undated = world.createTranscript(world.createProject({ name: 'p' }), {
  name: 'n',
  turns: [{ role: 'user', content: '' }],
})

const asSeeded = ({ annotations }: StoredTranscript, key: string) => annotations[key]
const finds = (query: string, of = transcript) =>
  filtered(readFilter(new URLSearchParams(query)), of.projectId, world, asSeeded).length === 1

test.each([
  ['', true],
  ['q=', true],
  ['q=strasse', true],
  ['q=STRAßE links', true],
  ['q=straße rechts', false],
  ['q=word', false],
  ['q=100%25', true],
  ['q=L*s', false],
  ['model_name=m-1', true],
  ['model_name=M-1', false],
  ['language=de&source_system=desk', true],
  ['language=de&source_system=mail', false],
  ['annotation=mood:calm', true],
  ['annotation=score:3', true],
  ['annotation=note:a:b', true],
  ['annotation=mood:cal', false],
  ['annotation=toString:x', false],
  ['date_from=2026-03-10', true],
  ['date_from=2026-03-11', false],
  ['date_to=2026-03-10', true],
  ['date_to=2026-03-09', false],
  ['date_from=2026-03-10T23:30:00Z&date_to=2026-03-10T23:30:00Z', true],
  ['date_from=2026-03-11T00:30:00%2B01:00', true],
  ['date_to=2026-03-10T00:00:00Z', false],
])('%s finds it: %s', (query, expected) => {
  expect(finds(query)).toBe(expected)
})

test('a transcript without a source timestamp is in no range', () => {
  expect(finds('date_to=2099-01-01', undated)).toBe(false)
})

test.each(['annotation=mood', 'date_from=soon', 'date_to=2026-02-30', 'date_from=2026-01-01T00:00:00+01:00'])(
  '%s is refused',
  (query) => {
    expect(() => finds(query)).toThrow(expect.objectContaining({ status: 400 }))
  },
)
