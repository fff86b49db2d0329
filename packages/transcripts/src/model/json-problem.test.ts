import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonProblem } from './problem.js'

/** Beginnings of JSON texts, and what each ends in. */
const cutOff = [
  ...(['{', '{"a"', '{"a": 1', '{"a": 1,', '[{}, {'] as const).map((text) => [text, 'an object'] as const),
  ...(['[', '[1,', '[1, 2', '[{}'] as const).map((text) => [text, 'an array'] as const),
  ...(['"abc', '{"a', '"a\\', '"a\\u', '"a\\u12', '"a\\u1234'] as const).map((text) => [text, 'a string'] as const),
  ...(['-', '[1.', '[1e'] as const).map((text) => [text, 'a number'] as const),
  ...(['[tru', 'fals', '{"a":n'] as const).map((text) => [text, 'a value'] as const),
]

describe('the problem of a text that is no JSON', () => {
  it.each<readonly [string, number, string]>([
    ['', 0, 'expected a value, found the end'],
    [' ', 1, 'expected a value, found the end'],
    ['[1 2]', 3, 'expected "," or "]", found 2'],
    ['[1,]', 3, 'expected another element; remove the comma before it, found ]'],
    ['{"a":1,}', 7, 'expected another element; remove the comma before it, found }'],
    ['{"a" 1}', 5, 'expected ":", found 1'],
    ['{a: 1}', 1, 'expected a key in double quotes, found a'],
    ["['a']", 1, "expected a value, found ' (JSON strings need double quotes)"],
    ['[None]', 1, 'expected a value, found None (Python; write it with json.dumps)'],
    ['"a\nb"', 2, 'expected an escape such as \\n inside a string, found a line break'],
    ['"a\u0001"', 2, 'expected an escape such as \\n inside a string, found the control character U+0001'],
    ['"\\x"', 2, 'expected one of " \\ / b f n r t uXXXX after a backslash, found x'],
    ['"\\u12"', 2, 'expected one of " \\ / b f n r t uXXXX after a backslash, found u12'],
    ['01', 1, 'expected the end of the document, found 1'],
    ['1.e5', 2, 'expected a digit, found e5'],
    ...cutOff.map(
      ([text, inside]) => [text, text.length, `the JSON ends in the middle of ${inside}: it is cut off`] as const,
    ),
    ['{} {}', 3, 'expected the end of the document, found {'],
  ])('the problem of a text that is no JSON is where %j stops being JSON', (text, offset, message) => {
    expect(jsonProblem(text)).toEqual({ line: 1, column: offset + 1, message })
  })

  it('the problem of a text that is no JSON has the line and the column in it', () => {
    expect(jsonProblem('{\n  "a": 1,\n}')).toMatchObject({ line: 3, column: 1 })
    expect(jsonProblem('{\n  "a": nope\n}')).toMatchObject({ line: 2, column: 8 })
  })

  it('the problem of a text that is no JSON is there exactly where JSON.parse fails, also on damaged texts', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', '-', '.', '\n', 'e'))
      .map(
        ([json, at, insert]) =>
          json.slice(0, at % (json.length + 1)) + insert + json.slice((at % (json.length + 1)) + 1),
      )
    fc.assert(
      fc.property(fc.oneof(fc.json(), damaged, fc.string()), (text) => {
        expect(jsonProblem(text) === undefined).toBe(parses(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('calls every beginning of a JSON text cut off, or it is JSON itself', () => {
    const beginnings = fc
      .tuple(fc.json(), fc.nat())
      .map(([json, at]) => json.slice(0, 1 + (at % json.length)).trimEnd())
    fc.assert(
      fc.property(beginnings, (text) => {
        const { message = 'the JSON ends in' } = jsonProblem(text) ?? {}
        expect(message).toMatch(/^the JSON ends in/)
      }),
      { numRuns: 1000 },
    )
  })

  it('the problem of a text that is no JSON is a nesting of more than 512 levels', () => {
    expect(jsonProblem('['.repeat(512) + ']'.repeat(512))).toBeUndefined()
    expect(jsonProblem('['.repeat(200_000))).toMatchObject({ column: 513, message: /512 levels/ })
    expect(jsonProblem('{"a":'.repeat(200_000))).toMatchObject({ message: /512 levels/ })
  })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
