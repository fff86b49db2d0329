import { expect, test } from 'vitest'
import { paginate, readPage } from './query.js'

const read = (query: string, lenient = false) => readPage(new URLSearchParams(query), lenient)

test('has defaults', () => {
  expect(read('')).toEqual({ page: 1, limit: 20 })
  expect(read('page=3&limit=100')).toEqual({ page: 3, limit: 100 })
})

test.each([
  'page=0',
  'page=-1',
  'page=1.5',
  'page=',
  'page=x',
  'limit=0',
  'limit=101',
  'limit=1e1',
  'page=99999999999999999999',
])('%s is refused', (query) => {
  expect(() => read(query)).toThrow(expect.objectContaining({ status: 400 }))
})

test('is moved into the bounds where paging is lenient', () => {
  expect(read('page=0&limit=500', true)).toEqual({ page: 1, limit: 100 })
  expect(read('page=x&limit=-2', true)).toEqual({ page: 1, limit: 1 })
})

test('a page past the end is empty and still says the total', () => {
  expect(paginate([1, 2, 3], { page: 2, limit: 2 })).toEqual({ data: [3], pagination: { page: 2, limit: 2, total: 3 } })
  expect(paginate([1, 2, 3], { page: 9, limit: 2 }).data).toEqual([])
})
