import { expect, it } from 'vitest'
import { cut, firstNames, shellLine, titleText } from './phrases.js'

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

it('titles a transcript by its own id and its name', () => {
  const each = { path: 'rows.csv', record: 35, part: 1, name: 'rows (35)' }
  expect(titleText(each)).toBe('rows (35)')
  expect(titleText({ ...each, external_id: 'T-1042' })).toBe('T-1042 · rows (35)')
  expect(titleText({ ...each, external_id: '3' })).toBe('3 · rows (35)')
  expect(titleText({ ...each, name: 'Ticket T-1042', external_id: 'T-1042' })).toBe('Ticket T-1042')
  expect(titleText({ ...each, name: ' ', external_id: 'T-1042' })).toBe('T-1042 · rows.csv record 35')
  expect(titleText({ ...each, external_id: 'x'.repeat(100) })).toBe(`${'x'.repeat(59)}… · rows (35)`)
})
