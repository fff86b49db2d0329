import { expect, it } from 'vitest'
import { grouped } from './grouped.js'

it('keeps the order of groups, and of the items in each', () => {
  expect([...grouped([3, 1, 2, 5, 4], (n) => n % 2)]).toEqual([
    [1, [3, 1, 5]],
    [0, [2, 4]],
  ])
})
