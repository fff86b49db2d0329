import { expect, it } from 'vitest'
import { type Checked, checkJson, checkValue, type Shape } from './checked-json.js'

/** The longer a pointer, the further left is its place. */
const places = {
  jsonProblem: () => ({ line: 3, column: 4, message: 'expected a value, found secret' }),
  locate: (_: string, { pointer }: { pointer: string }) => ({ line: 1, column: 10 - pointer.length }),
}

/** A schema that knows the name `size` alone, which must be 1. */
const shape: Shape<object> = {
  safeParse(value) {
    const { size, ...others } = Object(value)
    const keys = Object.keys(others)
    const issues = [
      ...(size === 1 ? [] : [{ code: 'custom', path: ['size'], message: 'expected 1' }]),
      ...(keys.length > 0 ? [{ code: 'unrecognized_keys', path: [], message: '', keys }] : []),
    ]
    return issues.length === 0 ? { success: true, data: { size } } : { success: false, error: { issues } }
  },
}
const namesAt = () => ['size']
const read = (text: string): Promise<Checked<object>> =>
  checkJson({ path: 'a.json', text }, shape, namesAt, () => places)

it('returns the value that the schema gives', async () => {
  expect(await read(' {"size": 1}')).toEqual({ value: { size: 1 } })
})

it('names every wrong place, in the order of the file, with the nearest name', async () => {
  expect(await read('{"size": 2, "siz": 3, "a/bc": 4}')).toEqual({
    problems: [
      'a.json:1:4 /a~1bc unknown name; expected one of size',
      'a.json:1:5 /size expected 1',
      'a.json:1:6 /siz unknown name; did you mean size?',
    ],
  })
})

it('does not show the value of a text that is no JSON, and refuses what cannot be written again', async () => {
  const problem = { problems: ['a.json:3:4 expected a value'] }
  for (const text of ['', '{', '{"size": 1e999}', `${'['.repeat(600)}${']'.repeat(600)}`])
    expect(await read(text)).toEqual(problem)
})

it('names the places of a value by their pointers alone', () => {
  expect(checkValue({ size: 0 }, shape, namesAt)).toEqual({ problems: ['/size expected 1'] })
})
