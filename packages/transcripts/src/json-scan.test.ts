import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { children, endOfValue, maxDepth, syntaxError } from './json-scan.js'

describe('syntaxError', () => {
  it.each([
    ['', 0, 'expected a value, found the end'],
    ['[1, 2', 5, 'expected "," or "]", found the end'],
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
    ['"abc', 4, 'expected the closing quote of a string, found the end'],
    ['01', 1, 'expected the end of the document, found 1'],
    ['-', 1, 'expected a digit, found the end'],
    ['1.e5', 2, 'expected a digit, found e5'],
    ['{} {}', 3, 'expected the end of the document, found {'],
  ])('says where %j stops being JSON', (text, offset, message) => {
    expect(syntaxError(text)).toMatchObject({ offset, message })
  })

  it('agrees with JSON.parse on every text, also on damaged ones', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', '-', '.', '\n', 'e'))
      .map(
        ([json, at, insert]) =>
          json.slice(0, at % (json.length + 1)) + insert + json.slice((at % (json.length + 1)) + 1),
      )
    fc.assert(
      fc.property(fc.oneof(fc.json(), damaged, fc.string()), (text) => {
        expect(syntaxError(text) === undefined).toBe(parses(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('bounds the depth instead of exhausting the stack', () => {
    expect(syntaxError('['.repeat(maxDepth) + ']'.repeat(maxDepth))).toBeUndefined()
    expect(syntaxError('['.repeat(200_000))).toMatchObject({ offset: maxDepth, message: /512 levels/ })
    expect(syntaxError('{"a":'.repeat(200_000))).toMatchObject({ message: /512 levels/ })
  })
})

describe('children', () => {
  it('finds each child of any array or object where JSON.parse finds it', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
        fc.nat(3),
        (value, space) => {
          const text = JSON.stringify(value, null, space)
          const found = children(text, 0)
          expect([...found.keys()].sort()).toEqual(Object.keys(value).sort())
          for (const [key, at] of found) {
            const child = JSON.parse(text.slice(at, endOfValue(text, at)))
            expect(child).toEqual(JSON.parse(JSON.stringify(Object.entries(value).find(([name]) => name === key)?.[1])))
          }
        },
      ),
    )
  })

  it('takes the last of equal keys, as JSON.parse does', () => {
    expect(children('{"a":1,"a":2}', 0).get('a')).toBe(11)
  })

  it('has none for a scalar', () => {
    expect(children('"[1]"', 0).size).toBe(0)
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
