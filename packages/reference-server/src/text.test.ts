import { expect, test } from 'vitest'
import { clip, codePoints, fold, headline, together, tokens, utf8Length } from './text.js'

const samples = ['', 'plain', 'é', '漢字', '😀', 'a😀b', '\ud83d', '\ude00x', 'x\ud83d']

test.each(samples)('counts the bytes of %j as an encoder does', (text) => {
  expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
})

test.each(samples)('counts the code points of %j as iteration does', (text) => {
  expect(codePoints(text)).toBe([...text].length)
})

test('clipping never cuts a pair in two', () => {
  expect(clip('a😀b', 2)).toBe('a')
  expect(clip('a😀b', 3)).toBe('a😀')
})

test('a headline is one line, cut at a word', () => {
  expect(headline('one\n two', 80)).toBe('one two')
  expect(headline('one two three four', 12)).toBe('one two…')
})

test('a token is four bytes begun', () => {
  expect(['', 'a', 'abcd', 'abcde'].map(tokens)).toEqual([0, 1, 1, 2])
})

test.each([
  ['ẞ', 'ss'],
  ['ſ', 's'],
  ['K', 'k'],
  ['Å', 'å'],
  ['Σ', 'ς'],
])('%s and %s are folded alike', (one, other) => {
  expect(fold(one)).toBe(fold(other))
})

test('within Latin-1 lower case changes nothing for upper case', () => {
  const all = Array.from({ length: 256 }, (_, unit) => String.fromCharCode(unit))
  expect(all.map(fold)).toEqual(all.map((unit) => unit.toLowerCase().toUpperCase()))
})

test('texts kept together stay apart, those of Latin-1 from the rest', () => {
  expect(together(['Straße', 'ÿ', '配送 a', '', 'b', 'Σ'])).toEqual(['Straße\nÿ\n\nb', '配送 a\nΣ'])
})
