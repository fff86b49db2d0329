import { describe, expect, it } from 'vitest'
import { isObject } from './json.js'
import { readRecords } from './records.js'
import type { Place } from './turn.js'

const isTalk = (value: unknown) =>
  Array.isArray(value) ? value.some((item) => isObject(item) && 'role' in item) : isObject(value) && 'messages' in value

function read(text: string) {
  const problems: { message: string; place: Place }[] = []
  const records = readRecords(text, isTalk, (message, place) => problems.push({ message, place }))
  return { records, problems }
}

const talk = { messages: [] }
const json = JSON.stringify(talk)

describe('a single document', () => {
  it('is record 1, where its first character stands', () => {
    expect(read(` \n${JSON.stringify(talk, null, 2)}\n`).records).toEqual([{ value: talk, record: 1, offset: 2 }])
  })

  it('may begin with a byte order mark', () => {
    expect(read(`\uFEFF${json}`).records).toEqual([{ value: talk, record: 1, offset: 1 }])
  })

  it('is one record when it is an array of messages', () => {
    expect(read('[{"role":"user"},{"role":"user"}]').records).toHaveLength(1)
  })
})

describe('an array of transcripts', () => {
  it('is one record an element, each with its own offset', () => {
    const text = `[${json},\n  ${json}]`
    expect(read(text).records).toEqual([
      { value: talk, record: 1, offset: 1 },
      { value: talk, record: 2, offset: text.lastIndexOf('{') },
    ])
  })

  it('may hold arrays of messages', () => {
    expect(read('[[{"role":"user"}],[{"role":"user"}]]').records.map((record) => record.record)).toEqual([1, 2])
  })
})

describe('JSONL', () => {
  it('is numbered by line; blank lines, CRLF and a byte order mark do no harm', () => {
    const { records, problems } = read(`\uFEFF\r\n${json}\r\n\r\n  ${json}\r\n\r\n`)
    expect(problems).toEqual([])
    expect(records.map(({ record, offset }) => [record, offset])).toEqual([
      [2, 3],
      [4, 3 + json.length + 6],
    ])
  })

  it('may have its byte order mark right before the first document', () => {
    expect(read(`\uFEFF${json}\n${json}`).records.map(({ offset }) => offset)).toEqual([1, 2 + json.length])
  })

  it('reports every bad line and reads the others', () => {
    const { records, problems } = read(`${json}\n{"messages": [}\n${json}\n5\n{"messages":`)
    expect(records.map((record) => record.record)).toEqual([1, 3])
    expect(problems.map(({ message, place }) => [place.record, message])).toEqual([
      [2, 'expected a value, found }'],
      [4, 'expected an object or an array on each line, found the number 5'],
      [5, 'expected a value, found the end'],
    ])
  })

  it('is recognised though its first line is bad', () => {
    const { records, problems } = read(`{"messages":\n${json}\n${json}`)
    expect(records).toHaveLength(2)
    expect(problems).toHaveLength(1)
  })
})

it('reports one place for a broken document of many lines', () => {
  const text = '[\n  {"role": "user", "content": "a"},\n  {"role": "user" "content": "b"},\n  {"role": "user"}\n]'
  const { records, problems } = read(text)
  expect(records).toEqual([])
  expect(problems).toEqual([
    {
      message: 'expected "," or "}", found a string. Give one JSON document, or one on each line (JSONL).',
      place: { record: 1, offset: text.indexOf('"content": "b"'), pointer: '' },
    },
  ])
})

it.each(['', ' \r\n\t', '\uFEFF'])('reports an empty file (%j)', (text) => {
  expect(read(text).problems[0]?.message).toBe('the file is empty; expected at least one transcript')
})
