import { expect, test } from 'vitest'
import { checkDeclaredLength, isJson, parseJson } from './body.js'

test.each([
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/problem+json', true],
  ['text/plain', false],
  ['application/jsonx', false],
  ['', false],
  [null, false],
])('%j is JSON: %s', (type, expected) => {
  expect(isJson(type)).toBe(expected)
})

test('bytes that are no JSON or no UTF-8 are refused without quoting them', () => {
  const attempt = (bytes: Uint8Array) => () => parseJson(bytes, 'application/json', 422)
  expect(attempt(new TextEncoder().encode('{"secret'))).toThrow(
    expect.objectContaining({ status: 422, message: 'The body is not valid JSON.' }),
  )
  expect(attempt(new Uint8Array([0x22, 0xff, 0x22]))).toThrow(expect.objectContaining({ status: 422 }))
  expect(attempt(new Uint8Array())).toThrow(expect.objectContaining({ status: 422 }))
})

test('JSON is refused where it is nested more than 500 deep', () => {
  const parse = (depth: number) =>
    parseJson(new TextEncoder().encode('['.repeat(depth) + ']'.repeat(depth)), 'application/json', 400)
  expect(() => parse(500)).not.toThrow()
  const message = 'The body is nested more than 500 deep.'
  expect(() => parse(501)).toThrow(expect.objectContaining({ status: 400, message }))
  expect(() => parse(1_000_000)).toThrow(expect.objectContaining({ status: 400, message }))
})

test('a declared length is refused only above the limit', () => {
  expect(() => checkDeclaredLength('10', 10)).not.toThrow()
  expect(() => checkDeclaredLength(undefined, 10)).not.toThrow()
  expect(() => checkDeclaredLength('11', 10)).toThrow(expect.objectContaining({ status: 413 }))
})
