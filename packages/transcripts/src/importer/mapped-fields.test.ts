import { describe, expect, it } from 'vitest'
import { parse } from './parse.js'

const row = {
  chat: 'c',
  who: 'customer',
  msg: 'Hi',
  moment: '2026-01-02T10:00:00Z',
  engine: 'm-1',
  about: 'Order',
  by: 'u',
}
const rows = [row, { ...row, who: 'agent', msg: 'Hello.' }]
const columns = {
  ...{ id: 'chat', role: 'who', content: 'msg', time: 'moment', model: 'engine', name: 'about', user_id: 'by' },
}

const layouts = {
  JSONL: rows.map((each) => JSON.stringify(each)).join('\n'),
  'a JSON array': JSON.stringify(rows),
  'a list in an object': JSON.stringify({ chat: 'c', log: rows }),
  CSV: [Object.keys(row), ...rows.map((each) => Object.values(each))].map((cells) => cells.join()).join('\n'),
}

it.each(Object.entries(layouts))(
  'each mapped name that no record has is refused, with the nearest one: %s',
  (_, file) => {
    expect(parse(file, { columns }).transcripts[0]?.turns).toHaveLength(2)
    for (const [field, name] of Object.entries(columns)) {
      const mistyped = { ...columns, [field]: `${name}s` }
      expect(() => parse(file, { columns: mistyped }), field).toThrow(`did you mean --map "${field}=${name}"?`)
    }
  },
)

it('a mapped name is refused in exchanges, and in messages of a provider', () => {
  const exchanges = '{"question":"Q1","reply":"A1"}\n{"question":"Q2","reply":"A2"}'
  expect(() => parse(exchanges, { columns: { user: 'question', assistant: 'replyy' } })).toThrow(
    'expected the mapped field "replyy" (assistant) in a record, found none; did you mean --map "assistant=reply"?',
  )
  const chat = '{"messages":[{"role":"user","content":"Hi","stamp":"2026-01-02"}]}'
  expect(parse(chat, { columns: { time: 'stamp' } }).transcripts[0]?.turns[0]?.createdAt).toBe(
    '2026-01-02T00:00:00.000Z',
  )
  expect(() => parse(chat, { columns: { time: 'stmp' } })).toThrow('did you mean --map "time=stamp"?')
})

it('a mapped field may be in a late record, and nothing is given before it is known', () => {
  const records = (last: object) =>
    [...Array.from({ length: 200 }, (_, at) => ({ question: `Q${at}`, reply: `A${at}` })), last]
      .map((each) => JSON.stringify(each))
      .join('\n')
  const mapped = { user: 'question', assistant: 'reply', system: 'prompt' }
  const read = parse(records({ question: 'Q', reply: 'A', prompt: 'Be kind.' }), { columns: mapped })
  expect(read.transcripts).toHaveLength(201)
  expect(() => parse(records({ question: 'Q', reply: 'A' }), { columns: mapped })).toThrow('"prompt" (system)')
})

it('a mapped role of a name that nobody has is refused with the nearest one, and is a loss of files with roles', () => {
  const rows = [row, { ...row, who: 'Ada', msg: 'Hello.' }]
  const mapped = { role: 'who', content: 'msg', 'role:Ada': 'assistant' }
  const files = {
    JSONL: rows.map((each) => JSON.stringify(each)).join('\n'),
    'a JSON array': JSON.stringify(rows),
    'a list in an object': JSON.stringify({ chat: 'c', log: rows }),
    CSV: [Object.keys(row), ...rows.map((each) => Object.values(each))].map((cells) => cells.join()).join('\n'),
  }
  for (const [layout, file] of Object.entries(files)) {
    expect(parse(file, { columns: mapped }).transcripts[0]?.turns[1]?.role, layout).toBe('assistant')
    expect(() => parse(file, { columns: { ...mapped, 'role:customr': 'user' } }), layout).toThrow(
      'expected a speaker "customr", found none; did you mean --map "role:customer=user"?',
    )
    expect(() => parse(file, { columns: { ...mapped, 'role:Zoroaster': 'user' } }), layout).toThrow(
      'expected a speaker "Zoroaster", found none',
    )
    const optionalColumns = { 'role:Zoroaster': 'user' }
    expect(parse(file, { columns: mapped, optionalColumns }).transcripts, layout).toHaveLength(1)
  }
  const chat = '{"messages":[{"role":"user","content":"Hi"}]}'
  const { losses } = parse(chat, { columns: { 'role:Ada': 'user' } }).transcripts[0] ?? {}
  expect(losses?.map(({ what }) => what)).toEqual(['map of "role:Ada"'])
})

it('one of several texts may lack a speaker of another one, unless a name is near', () => {
  const text = 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Hi\n'
  expect(parse(text, { columns: { 'role:Ada': 'user', 'role:Zoroaster': 'user' } }).transcripts).toHaveLength(1)
  expect(() => parse(text, { columns: { 'role:Adda': 'user' } })).toThrow('did you mean --map "role:Ada=user"?')
})

describe('optional columns', () => {
  const optionalColumns = { id: 'ticket', role: 'who', content: 'said', 'role:Kim': 'user', 'role:Desk': 'assistant' }
  const rows = 'ticket,who,said\n7,Kim,no\n7,Desk,hi\n8,Kim,so\n8,Desk,yes\n'
  const known = JSON.stringify({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'yo' },
    ],
  })

  it('optional columns map the rows that have them', () => {
    expect(parse(rows, { optionalColumns }).transcripts.map(({ externalId }) => externalId)).toEqual(['7', '8'])
  })

  it('optional columns neither change, nor note, nor refuse a file of a known format', () => {
    expect(parse(known, { optionalColumns })).toEqual(parse(known))
    expect(() => parse(known, { columns: optionalColumns })).toThrow()
  })

  it('columns override optional ones of the same field', () => {
    const columns = { 'role:Kim': 'assistant', 'role:Desk': 'user' }
    const [first] = parse(rows, { columns, optionalColumns }).transcripts
    expect(first?.turns.map(({ role }) => role)).toEqual(['assistant', 'user'])
  })

  it('optional columns map the rows of a generic format that is named', () => {
    expect(parse(rows, { optionalColumns, format: 'table' }).transcripts).toHaveLength(2)
  })
})
