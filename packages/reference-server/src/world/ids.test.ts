import { expect, test } from 'vitest'
import { seededIds } from './ids.js'

const take = (next: () => string) => Array.from({ length: 500 }, next)

test('the same seed gives the same uuids, another seed others', () => {
  expect(take(seededIds(7))).toEqual(take(seededIds(7)))
  expect(take(seededIds(7))[0]).not.toBe(take(seededIds(8))[0])
})

test('creates unique uuids that sort by creation', () => {
  const ids = take(seededIds())
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids.map((id) => id.slice(9))).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
})
