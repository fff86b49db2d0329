import { expect, test } from 'vitest'
import { seededIds } from './ids.js'
import type { Fields } from './transcript-list.js'
import { World } from './world.js'

const turns = [{ role: 'user' as const, content: 'hello' }]

function setUp() {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const world = new World({ clock, ids: seededIds(), workspace: 'w' })
  const project = world.createProject({ name: 'p' })
  const add = (name: string, modelName?: string, sourceTimestamp?: string) =>
    world.createTranscript(project, {
      name,
      turns,
      ...(modelName && { modelName }),
      ...(sourceTimestamp && { sourceTimestamp }),
    })
  const names = (fields: Partial<Fields>) =>
    world.transcriptsHaving(project.record.id, fields).map(({ record }) => record.name)
  return { clock, add, names }
}

test('a list finds what came after it was last asked, newest first', () => {
  const { add, names } = setUp()
  add('a', 'm')
  add('b', 'n')
  expect(names({ model_name: 'm' })).toEqual(['a'])
  add('c', 'm')
  expect(names({ model_name: 'm' })).toEqual(['c', 'a'])
  expect(names({})).toEqual(['c', 'b', 'a'])
  expect(names({ model_name: 'o' })).toEqual([])
})

test('a list that was asked before finds what is put in between after the clock was set back', () => {
  const { clock, add, names } = setUp()
  for (const name of ['a', 'b', 'c']) {
    clock.time += 1000
    add(name, name === 'b' ? 'n' : 'm', '2026-02-01')
  }
  expect(names({ model_name: 'm' })).toEqual(['c', 'a'])
  clock.time -= 1500
  add('d', 'm')
  add('e', 'n', '2026-03-01')
  expect(names({ model_name: 'm' })).toEqual(['c', 'd', 'a'])
  expect(names({ model_name: 'n' })).toEqual(['b', 'e'])
  expect(names({ model_name: 'n', from: Date.UTC(2026, 2, 1) })).toEqual(['e'])
  expect(names({ from: Date.UTC(2026, 2, 1) })).toEqual(['e'])
})
