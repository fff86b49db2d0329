import { expect, it } from 'vitest'
import { cut, firstNames, shellLine } from './phrases.js'

it('cuts a text at characters, not inside them', () => {
  expect(cut('🙂🙂🙂', 2)).toBe('🙂…')
  expect(cut('abc', 3)).toBe('abc')
  expect(cut('🙂🙂', 2)).toBe('🙂🙂')
  expect(cut('ab', 0)).toBe('…')
})

it('names the first of many and counts the others', () => {
  expect(firstNames(['a', 'b', 'c'])).toBe('a, b, c')
  expect(firstNames(['a', 'b', 'c', 'd'], 20)).toBe('a, b, c and 17 more')
})

it('quotes the words of a command line only if the shell would change them', () => {
  expect(shellLine(['svc', 'check', "it's here/", '--max=5%'])).toBe("svc check 'it'\\''s here/' --max=5%")
})
