import fc from 'fast-check'
import { expect, it } from 'vitest'
import { maxDepth } from '../json/scan.js'
import { Losses } from '../model/losses.js'
import { sanitize, sanitizeText } from './sanitize.js'

it('replaces lone surrogates as toWellFormed does and leaves pairs alone', () => {
  const losses = new Losses()
  expect(sanitizeText('a\uD800b\uDC00c 😀 \uDC00\uD800', losses)).toBe('a\uFFFDb\uFFFDc 😀 \uFFFD\uFFFD')
  expect(losses.list()).toEqual([{ code: 'changed', what: 'lone surrogate', why: 'UTF-8 has none', count: 4 }])
})

it('removes U+0000 and counts it', () => {
  const losses = new Losses()
  expect(sanitizeText('a\u0000b\u0000', losses)).toBe('ab')
  expect(losses.list()).toEqual([
    { code: 'changed', what: 'null character', why: 'many databases refuse it', count: 2 },
  ])
})

it('joins no two halves that a null character kept apart into something it then damages', () => {
  expect(sanitizeText('\uD83D\u0000\uDE00', new Losses())).toBe('😀')
})

it('reaches keys and values at every depth', () => {
  const dirty = { 'k\u0000': [{ deep: '\uD800' }], fine: 1 }
  expect(sanitize(dirty, new Losses())).toEqual({ k: [{ deep: '\uFFFD' }], fine: 1 })
})

it('gives back the same object when nothing had to change', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!text.includes('\\u') && !/\d{16}/.test(text))
      const losses = new Losses()
      expect(sanitize(value, losses)).toBe(value)
      expect(losses.list()).toEqual([])
    }),
  )
})

it('counts whole numbers that lost their last digits when they were parsed', () => {
  const losses = new Losses()
  const value = JSON.parse('{"id":12345678901234567890,"fine":9007199254740991,"large":1e300,"part":0.1}')
  expect(sanitize(value, losses)).toEqual(value)
  expect(losses.list()).toEqual([
    { code: 'changed', what: 'whole number beyond 2^53', why: 'JavaScript rounds it', count: 1 },
  ])
})

it('keeps a key called __proto__ a key', () => {
  const value = sanitize(JSON.parse('{"__proto__":{"polluted":"\\u0000"}}'), new Losses())
  expect(Object.keys(value)).toEqual(['__proto__'])
  expect(value.polluted).toBeUndefined()
})

it('cuts values that are nested too deep to be written', () => {
  const losses = new Losses()
  const value = sanitize(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)), losses)
  expect(JSON.stringify(value)).toBe(`${'['.repeat(maxDepth)}null${']'.repeat(maxDepth)}`)
  expect(losses.list()).toEqual([
    { code: 'cut', what: 'value nested deeper than 512 levels', why: 'it could not be written again', count: 1 },
  ])
})

it('drops numbers that JavaScript cannot hold, and counts them', () => {
  const losses = new Losses()
  const value = sanitize(JSON.parse(`{"a":1e400,"b":[-1e400,${'9'.repeat(1_000)}],"c":1e308}`), losses)
  expect(value).toEqual({ a: null, b: [null, null], c: 1e308 })
  expect(losses.list()).toEqual([
    { code: 'dropped', what: 'number above 1.8e308', why: 'JavaScript cannot hold it', count: 3 },
  ])
})
