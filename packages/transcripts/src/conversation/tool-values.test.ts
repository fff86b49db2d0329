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

it.each([
  ['a large exponent', '{"a":1e400}'],
  ['400 digits', `{"a":[${'9'.repeat(400)}]}`],
])('keeps a number that JavaScript cannot hold as text: %s', (_, text) => {
  const losses = new Losses()
  expect([toolArguments(text, losses), toolOutput(text)]).toEqual([text, text])
  expect(losses.list()).toMatchObject([{ code: 'changed', count: 1 }])
})

it('keeps JSON as text that is nested too deep to be written', () => {
  const text = '['.repeat(100_000) + ']'.repeat(100_000)
  expect([toolArguments(text, new Losses()), toolOutput(text)]).toEqual([text, text])
})
