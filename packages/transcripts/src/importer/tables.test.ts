import { expect, it } from 'vitest'
import { TranscriptFileError } from '../model/problem.js'
import { detect } from './detect.js'
import { parse } from './parse.js'

it.each([
  ['conversation_id,role,text\n1,user,"Hi, you"\n', 'Hi, you'],
  ['\uFEFFRole;Content\nuser;Hi\n', 'Hi'],
  ['thread id\tspeaker\tmessage\n1\tuser\tHi, there; you | me\n', 'Hi, there; you | me'],
  ['id|role|body\na|user|c', 'c'],
  ['sep=;\r\nrole;content\r\nuser;a, b\r\n', 'a, b'],
])('a table is read by the separator of its header: %j', (text, content) => {
  expect(parse(text).transcripts[0]?.turns.map((turn) => turn.content)).toEqual([content])
})

it('a table whose columns have no usual names is one if it is regular', () => {
  expect(detect('a,b\n1,2\n3,4\n')?.format).toBe('table')
})

it.each([
  ['a,b,c\n1,2,3\n4,5\n', 'table'],
  ['a,b,c\n1\n2\n4,5,6\n', undefined],
  ['a,b\n1,2\n3\n', undefined],
  ['a,b,c\n1,2,3\n4,5,6,7\n', undefined],
])('a table of three columns whose names are not usual may have rows that end early, but few: %j', (text, format) => {
  expect(detect(text)?.format).toBe(format)
})

it('a table whose rows end early is known by columns that a setting names', () => {
  const optionalColumns = { id: 'thread', role: 'who', content: 'said' }
  const text = 'thread,who,said,when\n1,customer,Hi?,x\n1,bot,Yes.\n1,bot,Or no.\n'
  expect(parse(text, { optionalColumns }).transcripts[0]?.turns).toHaveLength(3)
})

it('a table is known by a head that ends inside a quoted cell', () => {
  expect(detect(`role,text\nuser,Hi\nuser,"${'x'.repeat(70_000)}`)?.format).toBe('table')
})

it.each([
  'Hello there, friend.\nHow are you, friend?\nFine, thanks.',
  '# Notes\n\nSome text, with commas, in it.\nAnd, more\n',
  '1,2\n3,4\n5,6',
  'just words',
  '"',
])('text is no table: %j', (text) => {
  expect(detect(text)).toBeUndefined()
  expect(() => parse(text)).toThrow(TranscriptFileError)
})

it('rows may be shorter than the header, and no longer', () => {
  expect(parse('role,content\nassistant,fine\nuser\n').transcripts[0]?.turns).toMatchObject([{ content: 'fine' }])
  expect(() => parse('role,content\nuser,yo,extra,cells\nassistant,fine,too\n')).toThrow(
    /line 2, column 1: expected at most 2 cells[\s\S]*line 3, column 1: expected at most 2 cells/,
  )
})
