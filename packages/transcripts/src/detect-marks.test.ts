import { expect, it } from 'vitest'
import type { Format } from './format.js'
import { readers } from './formats/list.js'
import { isObject, type JsonObject } from './json.js'
import { sampleFiles } from './sample-files-fixture.js'

/** Each object of a sample, at any depth, and the same without each of its fields. */
function objectsIn(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (!isObject(value)) return []
  const lesser = Object.keys(value).map((left) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== left)),
  )
  return [value, ...lesser, ...Object.values(value).flatMap(objectsIn)]
}

const objects = Object.values(sampleFiles).flatMap(({ records }) => objectsIn(records))

it.each(readers.filter(({ marks }: Format) => marks !== undefined))(
  '$id knows no object without a mark of it',
  (format: Format) => {
    const known = objects.filter((value) => format.detect(value) > 0)
    expect(format.id === 'table' ? 1 : known.length).toBeGreaterThan(0)
    expect(known.filter((value) => !format.marks?.some((mark) => mark in value))).toEqual([])
  },
)

it('has a bit for each format', () => {
  expect(readers.length).toBeLessThanOrEqual(32)
})
