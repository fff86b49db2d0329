import { parse, toUpload } from '@svc/transcripts'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const body = {
  name: 'Order 7',
  turns: [
    { role: 'user', content: 'Where is it?', createdAt: '2025-01-01T00:00:00.000Z', metadata: { channel: 'web' } },
    { role: 'assistant', content: 'Let me see.', toolCalls: [{ name: 'get', args: { id: 7 } }] },
    { role: 'tool', content: 'shipped', toolResults: [{ name: 'get', result: 'shipped' }] },
  ],
  modelName: 'm',
  language: 'en',
  sourceSystem: 's',
  externalId: 'e',
  externalUserId: 'u',
  metadata: { a: 1 },
  sourceTimestamp: '2025-01-01',
  process: false,
}

function uploadOf(value: unknown) {
  const { format, transcripts } = parse(JSON.stringify(value))
  expect(format).toBe('upload')
  expect(transcripts.map(({ losses }) => losses)).toEqual([[]])
  return transcripts[0] && toUpload(transcripts[0])
}

it('an upload body comes back whole', () => {
  expect(uploadOf(body)).toStrictEqual(body)
})

it('an upload body comes back whole whatever its turns say', () => {
  const text = fc.string({ unit: 'grapheme' }).map((content) => `x${content.replaceAll('\u0000', '')}`)
  const turn = fc.record(
    {
      role: fc.constantFrom('user', 'assistant', 'system', 'tool', 'human_agent'),
      content: text,
      toolCalls: fc.array(fc.record({ name: text, args: fc.dictionary(text, fc.integer()) })),
      metadata: fc.dictionary(text, text),
    },
    { requiredKeys: ['role', 'content'], noNullPrototype: true },
  )
  fc.assert(
    fc.property(text, fc.array(turn), (name, turns) => {
      const sent = JSON.parse(JSON.stringify({ name, turns: [{ role: 'user', content: 'a' }, ...turns] }))
      expect(uploadOf(sent)).toEqual(sent)
    }),
  )
})

it('plain messages are the same turns for turns and for openai-chat', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'system'),
    content: fc.string({ unit: 'binary' }),
  })
  const conversation = fc
    .array(message, { minLength: 1 })
    .filter((messages) => messages.some(({ role, content }) => role !== 'system' && /[^\s\0]/.test(content)))
  fc.assert(
    fc.property(conversation, (messages) => {
      const [a, b] = (['turns', 'openai-chat'] as const).map(
        (format) => parse(JSON.stringify(messages), { format }).transcripts[0],
      )
      expect(a?.turns).toEqual(b?.turns)
      expect(a?.losses).toEqual(b?.losses)
    }),
  )
})

const plain = Array.from({ length: 60 }, () => ({ role: 'user', content: 'a' }))
const openai = { role: 'assistant', content: null, tool_calls: [{ id: '1', function: { name: 'f', arguments: '{}' } }] }
const anthropic = { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: {} }] }

it.each([
  ['turns', 'openai-chat' as const, [...plain, openai]],
  ['turns', 'anthropic-messages' as const, [...plain, anthropic]],
  ['openai-chat', 'anthropic-messages' as const, { model: 'm', messages: [...plain, anthropic] }],
])('calls that come late in what is taken for %s name %s', (_, format, value) => {
  const text = JSON.stringify(value)
  expect(() => parse(text)).toThrow(`${format}; name the format`)
  expect(parse(text, { format }).transcripts[0]?.turns.at(-1)?.toolCalls).toMatchObject([{ name: 'f' }])
})
