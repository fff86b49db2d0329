import { describe, expect, it } from 'vitest'
import { quietContext, type ReadOptions } from '../model/index.js'
import { ConversationBuilder } from './conversation-builder.js'

const notes = (options: ReadOptions = {}) => quietContext({ format: 'turns', options })
const place = (record: number) => ({ record, offset: 0, pointer: '' })
const about = (record: number) => ({ place: place(record) })

describe('a thought', () => {
  it('belongs to the words or the calls after it, which stand where they are said', () => {
    const conversation = new ConversationBuilder(notes({ thinking: true }))
    conversation.addMessage('assistant', 'One.', about(1))
    conversation.addThinking('hm', about(2))
    conversation.addThinking('hm, hm', about(3))
    conversation.addMessage('assistant', 'Two.', { ...about(4), at: '2026-01-01T00:00:00Z' })
    conversation.addThinking('and', about(5))
    conversation.addToolCalls([{ name: 'f', args: {} }], about(6))
    const { turns } = conversation.build({ place: place(1) })
    expect(turns).toMatchObject([
      { content: 'One.' },
      { content: 'Two.', metadata: { thinking: 'hm\nhm, hm' }, place: place(4), createdAt: '2026-01-01T00:00:00.000Z' },
      { content: '[tool call: f]', metadata: { thinking: 'and' }, place: place(6) },
    ])
    expect(turns[0]?.metadata).toBeUndefined()
  })

  it('a thought without words is a turn of its own where it is asked for, else none', () => {
    for (const thinking of [true, false]) {
      const conversation = new ConversationBuilder(notes({ thinking }))
      conversation.addThinking('hm', about(1))
      conversation.addMessage('user', 'Well?', about(2))
      const roles = conversation.build({ place: place(1) }).turns.map(({ role }) => role)
      expect(roles).toEqual(thinking ? ['assistant', 'user'] : ['user'])
    }
  })

  it('keeps its tools in the turn of a message that comes in parts', () => {
    const conversation = new ConversationBuilder(notes({ thinking: true }))
    const part = (record: number) => ({ ...about(record), message: 'm' })
    conversation.addMessage('assistant', 'One.', part(1))
    conversation.addThinking('hm', part(2))
    conversation.addToolCalls([{ name: 'f', args: {} }], part(3))
    expect(conversation.build({ place: place(1) }).turns).toMatchObject([
      { content: 'One.', toolCalls: [{ name: 'f' }], metadata: { thinking: 'hm' } },
    ])
  })
})

it('a result has the name of the call with its id, in order where ids repeat in a message', () => {
  const conversation = new ConversationBuilder(notes())
  const call = (...calls: string[]) =>
    conversation.addToolCalls(
      calls.map((each) => ({ id: each[0], name: each, args: {} })),
      about(1),
    )
  const answer = (...ids: string[]) => {
    for (const id of ids) conversation.addToolResult({ id, output: 'x' }, about(1))
  }
  call('a1', 'b1', 'b2')
  answer('b', 'a', 'b', 'b')
  call('a2')
  answer('a', 'c')
  const { turns } = conversation.build({ place: place(1) })
  const names = turns.flatMap(({ toolResults = [] }) => toolResults.map(({ name }) => name))
  expect(names).toEqual(['b1', 'a1', 'b2', 'b2', 'a2', 'unknown'])
})
