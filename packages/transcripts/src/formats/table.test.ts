import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CsvParser } from '../csv.js'
import type { ReadOptions } from '../read-options.js'
import { readValues } from '../read-values-fixture.js'
import { columnsOf, TableRow } from '../table-row.js'
import { table } from './table.js'

function rowsOf(csv: string): TableRow[] {
  const parser = new CsvParser(',')
  const [header, ...rows] = [...parser.push(csv), ...parser.end()]
  const columns = columnsOf(header?.cells ?? [])
  return rows.map(({ cells }) => new TableRow(columns, cells))
}
const read = (csv: string, columns: ReadOptions['columns'] = undefined) => readValues(table, rowsOf(csv), { columns })
const said = (csv: string, columns?: ReadOptions['columns']) =>
  read(csv, columns).drafts.map(({ turns }) => turns.map(({ role, content }) => `${role}: ${content}`))

describe('talks', () => {
  it('are the rows of one id, which need not follow each other', () => {
    const { drafts, problems } = read(
      'conversation_id,role,content,created_at,model\nA,user,hi,2024-05-01T10:00:00Z,\nB,user,ho,,\nA,assistant,yes,2024-05-01T10:00:01Z,m-1\n',
    )
    expect(problems).toEqual([])
    expect(drafts).toMatchObject([
      {
        externalId: 'A',
        sourceSystem: 'table',
        modelName: 'm-1',
        sourceTimestamp: '2024-05-01T10:00:00.000Z',
        turns: [
          { role: 'user', content: 'hi', createdAt: '2024-05-01T10:00:00.000Z', place: { record: 1 } },
          { role: 'assistant', content: 'yes', place: { record: 3 } },
        ],
      },
      { externalId: 'B', turns: [{ content: 'ho', place: { record: 2 } }] },
    ])
  })

  it('are one for the whole table without a column of ids, or where the ids only number the rows', () => {
    expect(said('speaker,text\nhuman,a\nbot,b\n')).toEqual([['user: a', 'assistant: b']])
    expect(said('id,speaker,text\n1,human,a\n2,bot,b\n')).toEqual([['user: a', 'assistant: b']])
    expect(said('id,speaker,text\n1,human,a\n1,bot,b\n2,human,c\n')).toHaveLength(2)
    expect(said('id,speaker,text\n1,human,a\n2,bot,b\n', { id: 'id' })).toHaveLength(2)
  })

  it('may name their id in camel case', () => {
    expect(said('conversationId,role,text\nA,user,a\nB,user,b\n')).toEqual([['user: a'], ['user: b']])
  })

  it('go on over rows that leave the id empty, as spreadsheets do', () => {
    expect(said('thread_id,role,text\nA,user,a\n,bot,b\nB,user,c\n')).toEqual([
      ['user: a', 'assistant: b'],
      ['user: c'],
    ])
  })

  it('are in the order that a column of numbers gives, else in that of the file', () => {
    expect(said('role,text,turn_index\nuser,b,10\nuser,a,9\n')).toEqual([['user: a', 'user: b']])
    expect(said('role,text,turn_index\nuser,b,10\nuser,a,\n')).toEqual([['user: b', 'user: a']])
  })

  it('have columns that all rows share as metadata, and other columns as that of the turn', () => {
    const [draft] = read('role,text,team,mood\nuser,a,blue,bad\nbot,b,blue,good\nbot,c,blue,\n').drafts
    expect(draft?.metadata).toEqual({ team: 'blue' })
    expect(draft?.turns.map(({ metadata }) => metadata)).toEqual([{ mood: 'bad' }, { mood: 'good' }, undefined])
  })

  it('take a column called __proto__ for a column', () => {
    const [draft] = read('role,text,__proto__\nuser,a,x\nuser,b,y\n').drafts
    expect(Object.entries(draft?.turns[0]?.metadata ?? {})).toEqual([['__proto__', 'x']])
  })
})

describe('columns that a row does not need', () => {
  it('are metadata of its turn: another subject or user than the talk, the tool of a person, another model', () => {
    const [draft] = read(
      'conversation_id,role,content,subject,user_id,tool_name,model\nA,user,a,S,u1,,m\nA,user,b,T,u2,find,n\nA,bot,c,S,u1,,m\n',
    ).drafts
    expect(draft).toMatchObject({ name: 'S', externalUserId: 'u1', modelName: 'm' })
    expect(draft?.turns.map(({ metadata }) => metadata)).toEqual([
      undefined,
      { subject: 'T', user_id: 'u2', tool_name: 'find', model: 'n' },
      undefined,
    ])
  })
})

describe('a tool that an assistant row names', () => {
  const csv = (content: string, args: string) =>
    `role,content,tool_name,tool_args\nassistant,${content},search,${args}\ntool,found,search,\n`

  it('is called, with the arguments of the row', () => {
    expect(read(csv('', '"{""q"":1}"')).drafts).toMatchObject([
      {
        turns: [
          { role: 'assistant', toolCalls: [{ name: 'search', args: { q: 1 } }] },
          { role: 'tool', toolResults: [{ name: 'search', result: 'found' }] },
        ],
      },
    ])
    expect(read(csv('One moment', '{}')).drafts[0]?.turns[0]).toMatchObject({
      content: 'One moment',
      toolCalls: [{ name: 'search', args: {} }],
    })
    expect(read(csv('', '')).drafts[0]?.turns[0]?.toolCalls).toEqual([{ name: 'search', args: {} }])
  })

  it('is only noted beside words without arguments', () => {
    expect(read(csv('I searched', '')).drafts[0]?.turns[0]).toMatchObject({
      content: 'I searched',
      metadata: { tool_name: 'search' },
    })
  })
})

describe('roles', () => {
  it('go by many names; an agent is a human agent', () => {
    const rows = ['Customer', 'AGENT', 'Bot', 'end-user', 'system', 'human_agent']
    const [turns] = said(`role,text\n${rows.map((role) => `${role},x\n`).join('')}`)
    expect(turns).toEqual(
      ['user', 'human_agent', 'assistant', 'user', 'system', 'human_agent'].map((role) => `${role}: x`),
    )
  })

  it('that nobody knows are refused once each, with the option that helps', () => {
    const csv = 'role,text\nAda,x\nAda,y\nBob,z\n'
    const { problems } = read(csv)
    expect(problems.map(({ message, place }) => [place.record, message])).toEqual([
      [1, 'expected a role in column "role", found the string "Ada". Say who that is: --map "role:Ada=user"'],
      [3, 'expected a role in column "role", found the string "Bob". Say who that is: --map "role:Bob=user"'],
    ])
    expect(said(csv, { 'role:Ada': 'user', 'role:Bob': 'assistant' })).toEqual([['user: x', 'user: y', 'assistant: z']])
  })

  it('of tools make results', () => {
    const [draft] = read('role,text,tool_name\ntool,"{""a"":1}",search\n').drafts
    expect(draft?.turns[0]?.toolResults).toEqual([{ name: 'search', result: { a: 1 } }])
  })

  it('do not make visible what a column hides', () => {
    const [draft] = read('role,text,public\nagent,a,false\nagent,b,true\n').drafts
    expect(draft?.turns.map(({ visible }) => visible)).toEqual([false, true])
  })
})

describe('columns', () => {
  it('are those that the user names', () => {
    expect(said('who,what\nuser,a\n', { role: 'who', content: 'What' })).toEqual([['user: a']])
  })

  it('of the role and the content are required', () => {
    expect(read('who,what\nuser,a\nuser,b\n')).toMatchObject({
      drafts: [],
      problems: [
        {
          message:
            'expected columns for role and content; the columns are "who", "what". Say which they are: --map role=COLUMN --map content=COLUMN',
          place: { record: 1 },
        },
      ],
    })
  })

  it('that the user names must be there', () => {
    const { problems } = read('role,text\nuser,a\n', { content: 'words' })
    expect(problems.map(({ message }) => message)).toEqual([
      'expected a column "words"; the columns are "role", "text"',
    ])
  })

  it('are counted where a row has more or fewer cells than the header', () => {
    const [draft] = read('role,text,note\nuser,a\nuser,b,c,d\n').drafts
    expect(draft?.turns.map(({ metadata }) => metadata)).toEqual([undefined, { note: 'c', 'column 4': 'd' }])
  })
})

it('is known by its rows alone', () => {
  expect(rowsOf('role,text\nuser,a\n').map(table.detect)).toEqual([0.95])
  expect(rowsOf('who,what\nuser,a\n').map(table.detect)).toEqual([0.5])
  expect(table.detect({ role: 'user', text: 'a' })).toBe(0)
  expect(readValues(table, [{ role: 'user' }]).problems).toHaveLength(1)
})

it('gives turns fit to be sent for any cells', () => {
  const cell = fc.oneof(fc.constantFrom('user', 'bot', '', ' ', '0', '1', '2024-05-01', '{}'), fc.string())
  const columns = fc.uniqueArray(
    fc.oneof(fc.constantFrom('id', 'role', 'text', 'turn', 'time', 'visible'), fc.string()),
  )
  const property = fc.property(columns, fc.array(fc.array(cell)), (names, rows) => {
    const { drafts } = readValues(
      table,
      rows.map((cells) => new TableRow(names, cells)),
    )
    expect(drafts.every(({ turns }) => turns.every(({ content }) => content.trim() !== ''))).toBe(true)
  })
  fc.assert(property)
})
