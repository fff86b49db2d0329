import { expect, it } from 'vitest'
import { Losses } from '../model/losses.js'
import { toolArguments, toolOutput } from './tool-values.js'

it('keeps arguments as text where a number of theirs would be rounded', () => {
  const losses = new Losses()
  const text = '{"id":12345678901234567890}'
  expect(toolArguments(text, losses)).toBe(text)
  expect(losses.list()).toMatchObject([{ code: 'changed', count: 1 }])
  expect(toolArguments('{"id":"12345678901234567890"}', losses)).toEqual({ id: '12345678901234567890' })
})

it('keeps an answer as text where a number of its would be rounded', () => {
  expect(toolOutput('{"id":12345678901234567890}')).toBe('{"id":12345678901234567890}')
  expect(toolOutput('{"id":1234567890123456}')).toEqual({ id: 1_234_567_890_123_456 })
})

it('parses a text as JSON only if both of its ends look like JSON', () => {
  expect(toolOutput("{'a': 1}")).toBe("{'a': 1}")
  expect(toolOutput('[INFO] done')).toBe('[INFO] done')
  expect(toolOutput(' {"a": [1]}\n')).toEqual({ a: [1] })
  expect(toolOutput('[]')).toEqual([])
  expect(toolOutput('{"a": ')).toBe('{"a": ')
})
