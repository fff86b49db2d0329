import { expect, it } from 'vitest'
import { ToolNames } from './tool-names.js'

it('names results of parallel calls in whatever order they come', () => {
  const names = new ToolNames()
  names.called([
    { id: 'a', name: 'first' },
    { id: 'b', name: 'second' },
  ])
  expect([names.answered('b'), names.answered('a')]).toEqual(['second', 'first'])
})

it('takes a reused id for the later call, though the earlier was never answered', () => {
  const names = new ToolNames()
  names.called([{ id: 'a', name: 'old' }])
  names.called([{ id: 'a', name: 'new' }])
  expect(names.answered('a')).toBe('new')
})

it('answers equal ids of one message in order, and a second answer by the last', () => {
  const names = new ToolNames()
  names.called([
    { id: 'a', name: 'one' },
    { id: 'a', name: 'two' },
  ])
  expect([names.answered('a'), names.answered('a'), names.answered('a')]).toEqual(['one', 'two', 'two'])
})

it('knows nothing of a call that was never made', () => {
  const names = new ToolNames()
  names.called([{ id: undefined, name: 'nameless' }])
  expect(names.answered('a')).toBeUndefined()
})
