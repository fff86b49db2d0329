import { expect, test } from 'vitest'
import { clip, codePoints, fold, headline, tokens, utf8Length } from './text.js'

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
