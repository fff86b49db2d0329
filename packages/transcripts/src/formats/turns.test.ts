import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from '../parse.js'

it.each([
  ['a bare array', '', (turns: unknown[]) => turns],
  ['an object with turns', '/turns', (turns: unknown[]) => ({ turns })],
  ['an annotation request', '/transcript', (transcript: unknown[]) => ({ transcript, annotator: 'general' })],
])('reads %s', (_, root, wrap) => {
  const parsed = parse(
    JSON.stringify(
      wrap([
        { role: 'user', content: 'a' },
        { role: 'human_agent', content: 'b', is_user_visible: false },
      ]),
    ),
  )
  const lone = root === ''
  expect(parsed.format).toBe('turns')
  expect(parsed.transcripts[0]?.turns).toEqual([
    {
      role: 'user',
      content: 'a',
      visible: true,
      place: { record: 1, offset: lone ? 1 : 0, pointer: lone ? '' : `${root}/0` },
    },
    {
      role: 'human_agent',
      content: 'b',
      visible: false,
      place: { record: lone ? 2 : 1, offset: lone ? 31 : 0, pointer: lone ? '' : `${root}/1` },
    },
  ])
})

it('names no source system, since nothing tells it', () => {
  expect(parse('[{"role":"user","content":"a"}]').transcripts[0]).not.toHaveProperty('sourceSystem')
})

it('counts what an annotation request says beside the transcript', () => {
  const request = { transcript: [{ role: 'user', content: 'a' }], annotator: 'general', options: {} }
  expect(parse(JSON.stringify(request)).transcripts[0]?.losses.map(({ what }) => what)).toEqual([
    'field "annotator"',
    'field "options"',
  ])
})

it('gives plain messages the turns that openai-chat gives them', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'system'),
    content: fc.string({ unit: 'binary' }),
  })
  const talk = fc
    .array(message, { minLength: 1 })
    .filter((messages) => messages.some(({ role, content }) => role !== 'system' && /[^\s\0]/.test(content)))
  fc.assert(
    fc.property(talk, (messages) => {
      const text = JSON.stringify(messages)
      const [a] = parse(text, { format: 'turns' }).transcripts
      const [b] = parse(text, { format: 'openai-chat' }).transcripts
      expect(a?.turns).toEqual(b?.turns)
      expect(a?.losses).toEqual(b?.losses)
    }),
  )
})

const plain = Array.from({ length: 60 }, () => ({ role: 'user', content: 'a' }))
const openai = [
  { role: 'assistant', content: null, tool_calls: [{ id: '1', function: { name: 'f', arguments: '{}' } }] },
]
const anthropic = [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: {} }] }]

it.each([
  ['turns', 'openai-chat' as const, [...plain, ...openai]],
  ['turns', 'anthropic-messages' as const, [...plain, ...anthropic]],
  ['openai-chat', 'anthropic-messages' as const, { model: 'm', messages: [...plain, ...anthropic] }],
])('calls that come late in what is taken for %s name %s', (_, format, value) => {
  const text = JSON.stringify(value)
  expect(() => parse(text)).toThrow(`${format}; name the format`)
  expect(parse(text, { format }).transcripts[0]?.turns.at(-1)?.toolCalls).toMatchObject([{ name: 'f' }])
})
