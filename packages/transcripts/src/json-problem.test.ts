import { expect, it } from 'vitest'
import { jsonProblem } from './json-problem.js'

it('says where a text stops being JSON, and nothing of one that is', () => {
  expect(jsonProblem('{"a": [1, 2]}\n')).toBeUndefined()
  expect(jsonProblem('{\n  "a": 1,\n}')).toMatchObject({
    line: 3,
    column: 1,
    message: expect.stringContaining('comma'),
  })
  expect(jsonProblem('{\n  "a": nope\n}')).toMatchObject({ line: 2, column: 8 })
  expect(jsonProblem('')).toMatchObject({ line: 1, column: 1 })
  expect(jsonProblem('{')).toMatchObject({ line: 1, column: 2 })
})
