import { describe, expect, it } from 'vitest'
import { parse } from '../importer/parse.js'

const row = (id: unknown, role: string, content: string) => ({ conversation_id: id, role, content })
const rows = [row('a', 'user', '1'), row('b', 'user', '2'), row('a', 'assistant', '3'), row(4, 'user', '4')]
const read = (text: string) =>
  parse(text).transcripts.map(({ externalId, turns, losses }) => ({
    externalId,
    said: turns.map(({ content }) => content).join(),
    losses,
  }))

describe('messages with the id of their conversation', () => {
  const conversations = [
    { externalId: 'a', said: '1,3', losses: [] },
    { externalId: 'b', said: '2', losses: [] },
    { externalId: '4', said: '4', losses: [] },
  ]

  it.each([
    ['an array', JSON.stringify(rows)],
    ['lines', rows.map((each) => JSON.stringify(each)).join('\n')],
    ['lines of arrays', `${JSON.stringify(rows)}\n`],
  ])('messages with the id of their conversation are conversations by that id in %s', (_, text) => {
    expect(read(text)).toEqual(conversations)
  })

  it.each(['conversationId', 'session_id', 'thread_id', 'chat_id'])(
    'messages with the id of their conversation may call it %s',
    (field) => {
      const lines = ['a', 'b'].map((id) => JSON.stringify({ [field]: id, role: 'user', content: id }))
      expect(read(lines.join('\n')).map(({ externalId }) => externalId)).toEqual(['a', 'b'])
    },
  )

  it('keeps the calls of each conversation apart', () => {
    const called = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const calls = ['a', 'b'].map((id) => ({
      conversation_id: id,
      role: 'assistant',
      content: null,
      tool_calls: [called],
    }))
    const answers = ['a', 'b'].map((id) => ({ conversation_id: id, role: 'tool', tool_call_id: '1', content: id }))
    expect(read(JSON.stringify([...calls, ...answers]))).toMatchObject([
      { externalId: 'a', losses: [] },
      { externalId: 'b', losses: [] },
    ])
  })

  it('reads records without an id as one conversation', () => {
    expect(
      read(
        JSON.stringify([
          { role: 'user', content: '1' },
          { role: 'assistant', content: '2' },
        ]),
      ),
    ).toEqual([{ externalId: undefined, said: '1,2', losses: [] }])
  })
})
