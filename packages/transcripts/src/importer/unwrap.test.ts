import { expect, it } from 'vitest'
import { startOfFile } from '../model/index.js'
import { locate } from './locate.js'
import { parse } from './parse.js'

const messages = [
  { role: 'developer', content: 'Be kind.' },
  { role: 'user', content: 'Hi' },
]

it.each([
  ['a list', { data: messages }, ['/data/0', '/data/1']],
  ['an object with a list', { data: { messages } }, ['/data/messages/0', '/data/messages/1']],
  ['a list of conversations', { object: 'list', data: [{ messages }] }, ['/data/0/messages/0', '/data/0/messages/1']],
  [
    'a list inside an object',
    { result: { items: [{ messages }] } },
    ['/result/items/0/messages/0', '/result/items/0/messages/1'],
  ],
  ['a history', { chat_history: messages }, ['/chat_history/0', '/chat_history/1']],
])('reads what %s wraps, and points into it', (_, value, pointers) => {
  const text = JSON.stringify(value, null, 2)
  const { format, transcripts } = parse(text)
  expect(format).toBe('openai-chat')
  expect(transcripts.flatMap(({ turns }) => turns.map(({ place }) => place.pointer))).toEqual(pointers)
  const { line, column } = locate(text, transcripts[0]?.turns[1]?.place ?? startOfFile)
  expect(text.split('\n')[line - 1]?.slice(column - 1)).toBe('{')
  expect(text.split('\n')[line]).toContain('"role": "user"')
})

it('counts the fields beside the list', () => {
  const { transcripts } = parse(JSON.stringify({ data: messages, note: 'read me', next: null }))
  expect(transcripts[0]?.losses).toMatchObject([{ code: 'dropped', what: 'field "note"', count: 1 }])
})

it('points to the text of JSON that holds the messages', () => {
  const line = JSON.stringify({ id: 'c', messages: JSON.stringify(messages) })
  const { transcripts } = parse(line)
  const [turn] = transcripts[0]?.turns.slice(1) ?? []
  expect(turn?.place.pointer).toBe('/messages/1')
  expect(locate(line, turn?.place ?? startOfFile)).toMatchObject({ line: 1, column: line.indexOf('"[') + 1 })
})

it('unwraps each line of a log of answers', () => {
  const line = JSON.stringify({ data: { messages } })
  expect(parse(`${line}\n${line}`).transcripts.map(({ place }) => place.record)).toEqual([1, 2])
})

it.each(['chat_history', 'history', 'data', 'items'])(
  'keeps the conversations apart that lines wrap in "%s"',
  (name) => {
    const line = (text: string) => JSON.stringify({ [name]: [{ role: 'user', content: text }] })
    const { transcripts } = parse(`${line('a')}\n${line('b')}`)
    expect(transcripts.map(({ turns }) => turns.map(({ content }) => content))).toEqual([['a'], ['b']])
    expect(transcripts.map(({ turns, place }) => [place.record, turns[0]?.place.pointer])).toEqual([
      [1, `/${name}/0`],
      [2, `/${name}/0`],
    ])
  },
)

it.each([
  ['a text', '"an answer"', /line 2, column 1: expected/],
  ['null', 'null', /line 2, column 1: expected/],
  ['an empty object', '{}', /line 2, column 1/],
  ['a list without messages', '{"chat_history":[]}', /line 2, column \d+ .*expected at least one turn/],
])('refuses %s among records that wrap conversations', (_, line, problem) => {
  expect(() => parse(`${JSON.stringify({ chat_history: messages })}\n${line}`)).toThrow(problem)
})

it('refuses elements of an array that wrap nothing', () => {
  expect(() => parse(JSON.stringify([{ messages }, {}, null, 5]))).toThrow(/expected/)
})

it('reports a problem of a wrapped record at its place', () => {
  const text = JSON.stringify({
    data: [
      { role: 'developer', content: 'a' },
      { role: 'bot', content: 'b', refusal: 'c' },
    ],
  })
  expect(() => parse(text)).toThrow(/line 1, column \d+ \(\/data\/1\/role\): expected a role/)
})

it('unwraps a list also if the format is given, but not a document of that format', () => {
  const wrapped = JSON.stringify({ data: [{ messages }], note: 'read me' })
  const [conversation] = parse(wrapped, { format: 'openai-chat' }).transcripts
  expect(conversation?.turns.map(({ place }) => place.pointer)).toEqual(['/data/0/messages/0', '/data/0/messages/1'])
  expect(conversation?.losses).toMatchObject([{ what: 'field "note"' }])
  const own = JSON.stringify({ messages, data: [{ messages: [{ role: 'user', content: 'Another' }] }] })
  expect(() => parse(own, { format: 'openai-chat' })).toThrow(/does not read the messages in the field "data"/)
})
