import { expect, test } from 'vitest'
import { emptyInventory, plan, settle } from './data-inventory.js'
import type { Change } from './store.js'

const change = (id: string, value: unknown): Change => ({ table: 'projects', id, value })

function after(...writes: Change[][]) {
  const inventory = emptyInventory()
  for (const changes of writes) settle(inventory, plan(inventory, changes))
  return inventory
}

test('an id keeps its place when it is written again, and gets a new one when it was taken away', () => {
  const inventory = after([change('a', 1), change('b', 1)], [change('a', 2)], [change('b', null)], [change('b', 3)])
  expect([...inventory.entries].map(([key, { seq }]) => [key, seq])).toEqual([
    ['projects "a"', 1],
    ['projects "b"', 3],
  ])
})

test('the seal of all records hangs on what they are, and not on how they came to be', () => {
  const made = after([change('a', 1), change('b', 2)])
  expect(after([change('a', 0)], [change('b', 2), change('c', 3)], [change('a', 1), change('c', null)]).seal).toBe(
    made.seal,
  )
  expect(after([change('a', 1), change('b', 3)]).seal).not.toBe(made.seal)
  expect(after([change('b', 2), change('a', 1)]).seal).not.toBe(made.seal)
  expect(after([change('a', 1)]).seal).not.toBe(made.seal)
})

test('changes of one write that meet in one record leave the last of them', () => {
  const inventory = emptyInventory()
  const { steps, total } = plan(inventory, [change('a', 1), change('a', null), change('a', 2)])
  expect(steps.map(({ seq, value }) => [seq, value])).toEqual([
    [1, '1'],
    [1, null],
    [2, '2'],
  ])
  expect(total).toMatch(/^1 [0-9a-f]{16}$/)
})

test('what takes away a record that is not there does nothing', () => {
  expect(plan(emptyInventory(), [change('a', null)])).toMatchObject({ steps: [], total: '0 0000000000000000' })
})

test('a plan that is not carried out changes nothing', () => {
  const inventory = after([change('a', 1)])
  const before = { ...inventory, entries: new Map(inventory.entries) }
  plan(inventory, [change('a', 2), change('b', 3)])
  expect(inventory).toEqual(before)
})

test('a value that JSON cannot hold is refused before anything is written', () => {
  expect(() => plan(emptyInventory(), [change('a', undefined)])).toThrow('The value of projects a is nothing')
})
