import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadOptions } from '../read-options.js'
import { readValues } from '../read-values-fixture.js'
import { claudeAiExport } from './claude-ai-export.js'

const text = (words: string) => ({ type: 'text', text: words })
const human = (uuid: string, content: Record<string, unknown>[], fields = {}) => ({
  uuid,
  sender: 'human',
  text: content.flatMap((block) => block.text ?? []).join('\n\n'),
  content,
  created_at: '2026-01-01T10:00:00.123456Z',
  attachments: [],
  files: [],
  ...fields,
})
const assistant = (uuid: string, content: Record<string, unknown>[], fields = {}) => ({
  ...human(uuid, content, fields),
  sender: 'assistant',
})
const conversation = (...messages: unknown[]) => ({
  uuid: 'c',
  name: 'Title',
  summary: 'Short.',
  created_at: '2026-01-01T09:59:00Z',
  account: { uuid: 'acc' },
  chat_messages: messages,
})

const read = (value: unknown, options?: ReadOptions) => readValues(claudeAiExport, [value], options)
const said = (value: unknown, options?: ReadOptions) =>
  read(value, options).drafts.map(({ turns }) => turns.map(({ role, content }) => `${role}: ${content}`))

describe('a conversation', () => {
  it('has its content, which the text only repeats', () => {
    const value = conversation(human('1', [text('Hi')]), assistant('2', [text('Hello')]))
    expect(claudeAiExport.detect(value)).toBe(0.97)
    expect(said(value)).toEqual([['user: Hi', 'assistant: Hello']])
    expect(read(value).drafts[0]).toMatchObject({
      name: 'Title',
      sourceSystem: 'claude-ai-export',
      externalId: 'c',
      externalUserId: 'acc',
      sourceTimestamp: '2026-01-01T09:59:00.000Z',
      metadata: { summary: 'Short.' },
      turns: [{ createdAt: '2026-01-01T10:00:00.123Z', place: { pointer: '/chat_messages/0' } }, {}],
      losses: [],
    })
  })

  it('has its text where there is no content, and no name where that is empty', () => {
    const value = {
      ...conversation(human('1', [], { text: 'Old' }), assistant('2', [text('')], { text: 'the same again' })),
      name: '',
    }
    expect(said(value)).toEqual([['user: Old', 'assistant: the same again']])
    expect(read(value).drafts[0]).not.toHaveProperty('name')
  })

  it('has the calls and results of the assistant in their order, also without ids', () => {
    const value = conversation(
      assistant('1', [
        { type: 'thinking', thinking: 'Hm.' },
        text('I search.'),
        { type: 'tool_use', id: null, name: 'web_search', input: { query: 'x' } },
        { type: 'tool_result', tool_use_id: null, name: 'web_search', content: [text('Found')] },
        { type: 'token_budget' },
        text('Here it is.'),
      ]),
    )
    expect(said(value)).toEqual([['assistant: I search.', 'tool: Found', 'assistant: Here it is.']])
    const [draft] = read(value).drafts
    expect(draft?.turns[1]).toMatchObject({ toolResults: [{ name: 'web_search' }] })
    expect(draft?.losses.map(({ what }) => what)).toEqual(['thinking'])
  })

  it('has the text of attachments and the names of files', () => {
    const attachments = [
      { file_name: 'a.txt', extracted_content: 'Words.' },
      { file_name: '', extracted_content: 'B' },
      5,
    ]
    const files = [{ file_name: 'p.png', file_kind: 'image', file_uuid: 'f' }]
    const value = conversation(human('1', [text('See')], { attachments, files, files_v2: files }))
    expect(said(value)).toEqual([['user: See\n[file: a.txt]\nWords.\n[file: pasted text]\nB\n[image: p.png]']])
  })
})

describe('a tree', () => {
  const root = '00000000-0000-4000-8000-000000000000'
  const messages = [
    human('1', [text('a')], { parent_message_uuid: root }),
    assistant('2', [text('b')], { parent_message_uuid: '1' }),
    human('1x', [text('edited')], { parent_message_uuid: root }),
    assistant('2x', [text('c')], { parent_message_uuid: '1x' }),
  ]

  it('is the newest branch, and the rest is counted', () => {
    expect(said(conversation(...messages))).toEqual([['user: edited', 'assistant: c']])
    expect(read(conversation(...messages)).drafts[0]?.losses).toMatchObject([
      { what: 'message of another branch', count: 2 },
    ])
  })

  it('is the branch that the conversation names', () => {
    expect(said({ ...conversation(...messages), current_leaf_message_uuid: '2' })).toEqual([
      ['user: a', 'assistant: b'],
    ])
  })

  it('gives the other branches on request', () => {
    expect(said(conversation(...messages), { branches: true })[1]).toEqual(['user: a', 'assistant: b'])
    expect(read(conversation(...messages), { branches: true }).drafts[1]).toMatchObject({
      externalId: 'c/2',
      metadata: { parent_session: 'c', branch: true },
    })
  })
})

it('reports messages that nobody sent, with their place', () => {
  const { problems } = read(conversation(human('1', [text('a')]), { sender: 'bot' }, 7))
  expect(problems.map(({ message, place }) => [message, place.pointer])).toEqual([
    ['expected a message of the sender human or assistant, found one of the string "bot"', '/chat_messages/1'],
    ['expected a message of the sender human or assistant, found the number 7', '/chat_messages/2'],
  ])
  expect(read([1]).problems).toHaveLength(1)
})

it('never throws', () => {
  const valid = conversation(human('1', [text('a')], { parent_message_uuid: '0' }))
  const message = fc
    .tuple(fc.constantFrom('uuid', 'content', 'attachments', 'files', 'parent_message_uuid', 'sender'), fc.jsonValue())
    .map(([key, other]) => ({ ...human('1', [text('a')]), [key]: other }))
  const mutated = fc
    .tuple(fc.constantFrom('chat_messages', 'name', 'account', 'created_at', 'uuid'), fc.jsonValue(), fc.array(message))
    .map(([key, other, messages]) => ({ ...valid, chat_messages: messages, [key]: other }))
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), mutated), (value) => {
      expect(claudeAiExport.detect(value)).toBeLessThanOrEqual(1)
      read(value, { branches: true, thinking: true })
    }),
  )
})
