import { describe, expect, it } from 'vitest'
import { detect } from './detect.js'

const format = (value: unknown) => detect(JSON.stringify(value))?.format
const plain = { role: 'user', content: 'a' }

describe('an array of messages', () => {
  it.each([
    [plain],
    [{ role: 'human_agent', content: 'a' }],
    [{ role: 'assistant', content: 'a', toolCalls: [] }],
    [{ role: 'user', content: 'a', is_user_visible: true }],
  ])('an array of messages is turns: %j', (message) => {
    expect(format([plain, message])).toBe('turns')
  })

  it.each([
    [{ role: 'assistant', content: 'a', tool_calls: [] }],
    [{ role: 'tool', content: 'a', tool_call_id: '1' }],
    [{ role: 'assistant', content: null }],
    [{ role: 'user', content: [{ type: 'text', text: 'a' }] }],
    [{ role: 'developer', content: 'a' }],
    [{ role: 'function', content: 'a' }],
  ])('an array of messages is openai-chat: %j', (message) => {
    expect(format([plain, message])).toBe('openai-chat')
  })
})

it('distinguishes the wrapped shapes by their keys', () => {
  expect(format({ messages: [plain] })).toBe('openai-chat')
  expect(format([{ messages: [plain] }])).toBe('openai-chat')
  expect(format({ turns: [plain] })).toBe('turns')
  expect(format({ transcript: [plain], annotator: 'a' })).toBe('turns')
  expect(format({ name: 'n', turns: [plain] })).toBe('upload')
})

it('chooses the format that recognizes most lines', () => {
  const lines = [...Array(9).fill([plain]), [plain, { role: 'tool', content: 'a', tool_call_id: '1' }]]
  expect(detect(lines.map((line) => JSON.stringify(line)).join('\n'))?.format).toBe('openai-chat')
})

it('is less sure when it knows fewer records', () => {
  const known = JSON.stringify({ messages: [plain] })
  expect(detect(`${known}\n${known}`)?.confidence).toBeCloseTo(0.9)
  expect(detect(`${known}\n${known}\n{"x":1}`)?.confidence).toBeCloseTo(0.6)
})

it.each(['', 'hello', '{}', '[]', '[1]', '{"mapping":{}}', '[[[[]]]]', '{"messages":[{"type":"human"}]}'])(
  'does not know %j',
  (text) => {
    expect(detect(text)).toBeUndefined()
  },
)

it('knows the fields of a dialogue however they are spelled', () => {
  const messages = [
    { 'Sender-Type': 'customer', 'Message ': 'hello' },
    { 'Sender-Type': 'agent', 'Message ': 'how can I help?' },
  ]
  expect(detect(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))?.format).toBe('dialogues')
})

it('knows a document by its beginning, wherever that is cut', () => {
  const messages = ['a "b", [c', 'd', '{"e"', 'f\\', 'g', 'h'].map((content) => ({ role: 'user', content }))
  for (const text of [JSON.stringify({ messages }), JSON.stringify({ messages }, null, 2)]) {
    for (let end = text.indexOf('"f'); end <= text.length; end++) {
      expect(detect(text.slice(0, end))?.format).toBe('openai-chat')
    }
  }
  expect(detect('['.repeat(1_000_000))).toBeUndefined()
})
