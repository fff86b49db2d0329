import { expect, it } from 'vitest'
import { closed, openRole } from './maps.js'
import { parse, suggestColumns } from './parse.js'

const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n')

it.each<[string, string, Record<string, string>]>([
  [
    'a table whose columns and speakers are unknown',
    'ticket,who,said\n7,Ann,hello?\n7,Robo,hi\n8,Ann,hey?\n8,Robo,yes\n',
    { id: 'ticket', role: 'who', content: 'said', 'role:Ann': 'user', 'role:Robo': 'assistant' },
  ],
  [
    'a table whose columns are known, but not its speakers',
    'ticket,speaker,text\n7,Ann,hello?\n7,Robo,hi\n8,Ann,hey?\n8,Robo,yes\n',
    { id: 'ticket', role: 'speaker', content: 'text', 'role:Ann': 'user', 'role:Robo': 'assistant' },
  ],
  [
    'a speaker whose role the turns do not show',
    lines(
      { thread: '1', sender: 'visitor', text: 'Hi' },
      { thread: '1', sender: 'Robo', text: 'Hello' },
      { thread: '2', sender: 'visitor', text: 'Where is it?' },
      { thread: '2', sender: 'Robo', text: 'I ask.' },
      { thread: '2', sender: 'Ada', text: 'On its way.' },
    ),
    { id: 'thread', role: 'sender', content: 'text', 'role:Robo': 'assistant', 'role:Ada': openRole },
  ],
  [
    'rows with the id of a conversation that do not show who speaks',
    'ticket,who,said\n7,Kim,no\n7,Desk,hi\n8,Kim,so\n8,Desk,yes\n',
    { id: 'ticket', role: 'who', content: 'said', 'role:Kim': openRole, 'role:Desk': openRole },
  ],
  [
    'people alone, many of whom ask',
    lines(
      ...Array.from({ length: 24 }, (_, at) => ({
        ...{ thread: `${at >> 2}`, sender: at % 2 ? 'Ada Moreau' : `Customer ${String.fromCharCode(65 + (at >> 2))}` },
        text: at % 2 ? `I have order ${at} here.` : `Order ${at} has not come.`,
      })),
    ),
    {
      ...{ id: 'thread', role: 'sender', content: 'text', 'role:Ada Moreau': openRole },
      ...Object.fromEntries([...'ABCDE'].map((letter) => [`role:Customer ${letter}`, openRole])),
      'role:*': openRole,
    },
  ],
  [
    'several people who answer',
    'ticket,who,said\n7,customer,no?\n7,Kim,hi\n8,customer,so?\n8,Ada,yes\n9,customer,hm?\n9,Kim,ok\n',
    { id: 'ticket', role: 'who', content: 'said', 'role:Kim': openRole, 'role:Ada': openRole },
  ],
  [
    'two turns, of which one speaker has a known name',
    JSON.stringify({
      no: 'T-1',
      dialog: [
        { who: 'client', said: 'where?' },
        { who: 'helper', said: 'on its way' },
      ],
    }),
    { role: 'who', content: 'said', 'role:helper': 'assistant' },
  ],
  [
    'lines of a tool before an answer',
    lines(
      { case: 'c-1', who: 'Shopper', said: 'where is it?' },
      { case: 'c-1', who: 'Helper Bot', said: 'let me look' },
      { case: 'c-1', who: 'Backend', said: '{"order":7}' },
      { case: 'c-1', who: 'Helper Bot', said: 'on its way' },
      { case: 'c-2', who: 'Shopper', said: 'hello?' },
      { case: 'c-2', who: 'Helper Bot', said: 'hi' },
    ),
    {
      ...{ id: 'case', role: 'who', content: 'said' },
      ...{ 'role:Shopper': 'user', 'role:Helper Bot': 'assistant', 'role:Backend': 'ROLE' },
    },
  ],
  [
    'questions and answers',
    lines({ q: 'hello?', answer: 'yes' }, { q: 'now?', answer: 'no' }),
    { user: 'q', assistant: 'answer' },
  ],
  [
    'lines with an id of their own',
    lines(
      { file_no: 'c-1001', who: 'user', said: 'hello?' },
      { file_no: 'c-1001', who: 'bot', said: 'hi' },
      { file_no: 'c-1002', who: 'user', said: 'hello?' },
      { file_no: 'c-1002', who: 'bot', said: 'hi' },
    ),
    { id: 'file_no', role: 'who', content: 'said' },
  ],
])('the map that reads %s is found by trial', (_, text, columns) => {
  expect(suggestColumns(text)).toEqual(columns)
  expect(parse(text, { columns: closed(columns) }).transcripts.length).toBeGreaterThan(0)
})

it.each([
  [
    'is read as it is',
    lines({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'yo' },
      ],
    }),
  ],
  [
    'does not show who speaks, nor which rows are those of a conversation',
    'who,said\nKim,no\nDesk,hi\nKim,so\nDesk,yes\n',
  ],
  ['holds no conversation', '{"transcription":{"text":"hello world"},"lang":"en"}'],
  ['is no JSON', 'hello'],
])('no map is suggested for a file that %s', (_, text) => {
  expect(suggestColumns(text)).toBeUndefined()
})

it('a map that is given is kept, and not suggested again', () => {
  const text = 'ticket,who,said\n7,Kim,no\n7,Desk,hi\n8,Kim,so\n8,Desk,yes\n'
  const columns = { 'role:Kim': 'user', 'role:Desk': 'assistant' }
  expect(suggestColumns(text, { columns })).toEqual({ id: 'ticket', role: 'who', content: 'said' })
})

it.each([
  [{ 'role:Kim': 'boss' }, '"role:Kim" expected the role user, assistant, system, tool or human_agent, found "boss"'],
  [{ rolle: 'who' }, /"rolle" expected one of id, .*, or role:NAME, found "rolle"/],
])('a map that no file can be read with is refused: %j', (columns, problem) => {
  expect(() => parse('who,said\nKim,no\n', { columns })).toThrow(RangeError)
  expect(() => parse('who,said\nKim,no\n', { columns })).toThrow(problem)
})
