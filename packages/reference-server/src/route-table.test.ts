import { expect, test } from 'vitest'
import { operations } from './operations/index.js'
import { defaultReadings } from './readings.js'
import { routeTable } from './route-table.js'

const find = routeTable(operations(defaultReadings))

test.each([
  ['annotation', '/health', 'GET, HEAD, OPTIONS'],
  ['annotation', '/v1/annotations', 'POST, OPTIONS'],
  ['workspace', '/projects', 'GET, HEAD, POST, OPTIONS'],
  ['workspace', '/projects/x/transcripts', 'GET, HEAD, POST, OPTIONS'],
] as const)('%s %s allows %s', (surface, path, allow) => {
  expect(find(surface, path)?.route.allow).toBe(allow)
})

test.each([
  ['annotation', '/projects'],
  ['workspace', '/health'],
  ['workspace', '/projects/'],
  ['workspace', '//projects'],
  ['workspace', '/projects//transcripts'],
  ['workspace', '/Projects'],
  ['workspace', ''],
] as const)('%s has no %s', (surface, path) => {
  expect(find(surface, path)).toBeUndefined()
})

test('parameters are decoded, and undefined where they cannot be', () => {
  expect(find('workspace', '/transcripts/tr_%C3%A9%2F')?.params).toEqual({ transcriptId: 'tr_é/' })
  expect(find('workspace', '/transcripts/%E0%A4%A')?.params).toEqual({ transcriptId: undefined })
})

test('the legacy routes are there by a reading', () => {
  expect(find('workspace', '/halfpipe/sessions')).toBeDefined()
  expect(
    routeTable(operations({ ...defaultReadings, legacy: false }))('workspace', '/halfpipe/sessions'),
  ).toBeUndefined()
})
