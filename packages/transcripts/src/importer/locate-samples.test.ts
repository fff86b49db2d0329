import { describe, expect, it } from 'vitest'
import { sampleLayouts } from '../../test/fixtures/sample-files.js'
import { endOfValue } from '../json/scan.js'
import { locate, locateAll, locateStream } from './locate.js'
import { parse } from './parse.js'

const placesOf = (text: string) =>
  parse(text).transcripts.flatMap(({ place, turns }) => [place, ...turns.map((turn) => turn.place)])
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The JSON value that stands at an index of a text. */
function valueAt(text: string, index: number): unknown {
  return JSON.parse(text.slice(index, endOfValue(text, index)))
}

/** The part of a value at a JSON pointer. */
function inside(value: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>((at, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return (at as Record<string, unknown>)[key]
  }, value)
}

/** The index of a position in a text, as an editor counts: the mark is no column. */
function indexOf(text: string, { line, column }: { line: number; column: number }): number {
  const shown = text.replace('\uFEFF', '')
  const before = shown.split('\n').slice(0, line - 1)
  const start = before.reduce((sum, each) => sum + each.length + 1, 0)
  return text.length - shown.length + start + column - 1
}

// A record that is a list has places for its elements.
const json = sampleLayouts.filter(({ records }) => records !== undefined && !Array.isArray(records[0]))

describe('a place', () => {
  it.each(json)('a place in $id as $layout names its record by number and bytes', ({ layout, text, records }) => {
    for (const { record, offset } of placesOf(text)) {
      const value = valueAt(new TextDecoder().decode(bytesOf(text).subarray(offset)), 0)
      const index = records?.findIndex((each) => JSON.stringify(each) === JSON.stringify(value)) ?? -1
      expect(index).not.toBe(-1)
      const line = new TextDecoder().decode(bytesOf(text).subarray(0, offset)).split('\n').length
      expect(record).toBe(layout.startsWith('lines') ? line : index + 1)
    }
  })

  it.each(json)('a place in $id as $layout has the line and column of its JSON', ({ text }) => {
    for (const place of placesOf(text)) {
      const record = valueAt(new TextDecoder().decode(bytesOf(text).subarray(place.offset)), 0)
      const expected = inside(record, place.pointer)
      expect(expected).toBeDefined()
      expect(valueAt(text, indexOf(text, locate(text, place)))).toEqual(expected)
    }
  })

  it.each(['\n', '\r\n'])('the place of a row is its line, which ends with %j', (end) => {
    const text = ['role,content', 'user,"Grüße\n😀?"', 'tool,zwei', 'assistant,Zwei'].join(end)
    const [, ...rows] = placesOf(text)
    expect(rows.map(({ record }) => record)).toEqual([2, 4, 5])
    for (const place of rows) {
      expect(locate(text, place)).toEqual({ line: place.record, column: 1 })
      const line = text.split('\n')[place.record - 1]
      expect(new TextDecoder().decode(bytesOf(text).subarray(place.offset)).split('\n')[0]).toBe(line)
    }
  })
})

it.each(sampleLayouts)('many places are found at once, in any parts: $id as $layout', async ({ text }) => {
  const places = placesOf(text)
  const found = places.map((place) => locate(text, place))
  const parts = [...text].map((character) => character)
  expect(locateAll([text], places)).toEqual(found)
  expect(locateAll([bytesOf(text)], places)).toEqual(found)
  expect(locateAll(parts, places)).toEqual(found)
  expect(await locateStream(parts, places)).toEqual(found)
})

it('a place in a file of an archive is looked for in that file', () => {
  const place = { record: 1, offset: 0, pointer: '/a' }
  const chunks = [{ member: 'x' }, '{"a":1}', { member: 'y' }, '{"b":0,\n"a":1}']
  const found = locateAll(chunks, [
    { ...place, member: 'y' },
    { ...place, member: 'x' },
    { ...place, member: 'z' },
  ])
  expect(found).toEqual([
    { line: 2, column: 5 },
    { line: 1, column: 6 },
    { line: 1, column: 1 },
  ])
})
