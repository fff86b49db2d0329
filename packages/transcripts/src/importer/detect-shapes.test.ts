import { describe, expect, it } from 'vitest'
import { detect } from './detect.js'
import { parse } from './parse.js'

const layouts = (messages: readonly unknown[]) => ({
  'an array': JSON.stringify(messages),
  'one on each line': messages.map((message) => JSON.stringify(message)).join('\n'),
  'an array on each line': `${JSON.stringify(messages)}\n${JSON.stringify(messages)}`,
  'an object with messages': JSON.stringify({ messages }),
})
const words = { role: 'user', content: 'Hi' }
const part = (type: string, fields: object) => ({ type, toolCallId: '1', toolName: 'look', ...fields })
const ofSdk = [
  words,
  { role: 'user', content: 'Look' },
  { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, part('tool-call', { input: {} })] },
  { role: 'tool', content: [part('tool-result', { output: { type: 'text', value: 'two' } })] },
  { role: 'assistant', content: [{ type: 'text', text: 'Two.' }] },
  { role: 'assistant', content: 'Bye' },
]
const ofPeople = [
  { role: 'agent', content: 'Hello' },
  { role: 'customer', content: 'Hi' },
]
const ofChat = [
  words,
  { role: 'assistant', content: null, tool_calls: [{ id: '1', function: { name: 'look', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: '1', content: 'two' },
]

describe.each([
  ['ui-messages', ofSdk, ['user', 'user', 'assistant', 'tool', 'assistant', 'assistant']],
  ['dialogues', ofPeople, ['human_agent', 'user']],
  ['openai-chat', ofChat, ['user', 'assistant', 'tool']],
])('messages of %s', (format, messages, roles) => {
  it.each(Object.entries(layouts(messages)))('are read as such in %s', (_, text) => {
    expect(detect(text)?.format).toBe(format)
    for (const { turns } of parse(text).transcripts) expect(turns.map(({ role }) => role)).toEqual(roles)
  })
})

it('turns with roles that people give each other are a dialogue', () => {
  expect(detect(JSON.stringify({ turns: ofPeople }))?.format).toBe('dialogues')
  expect(detect(JSON.stringify({ turns: [words, { role: 'agent', content: 'Hello' }] }))?.format).toBe('dialogues')
})

it.each(['conversation', 'dialogue', 'chat', 'log'])('plain messages are read in a list named %s', (name) => {
  const { transcripts } = parse(JSON.stringify({ id: 'c', title: 'A title', [name]: [words] }))
  expect(transcripts).toMatchObject([{ name: 'A title', turns: [{ role: 'user', content: 'Hi' }] }])
})

it('a system prompt beside messages with calls is the first turn', () => {
  const { format, transcripts } = parse(JSON.stringify({ system: 'Be brief.', messages: ofChat }))
  expect(format).toBe('openai-chat')
  expect(transcripts[0]?.turns[0]).toMatchObject({
    role: 'system',
    content: 'Be brief.',
    place: { pointer: '/system' },
  })
  expect(transcripts[0]?.losses).toEqual([])
})

it('lists the known roles for turns with an unknown role', () => {
  expect(() => parse(JSON.stringify([words, { role: 'xyz', content: 'Hello' }, words]))).toThrow(
    /column \d+ \(\/role\): expected a role of user, assistant, system, tool, human_agent; found the string "xyz"/,
  )
})

describe('an export of many', () => {
  const said = { uuid: 'a', sender: 'human', text: 'Hi', content: [{ type: 'text', text: 'Hi' }] }
  const chat = (uuid: string, ...chat_messages: unknown[]) => ({ uuid, name: uuid, chat_messages })

  it('skips conversations without content and reports their places', () => {
    const text = JSON.stringify([chat('one', said), chat('two'), chat('three', said), chat('four')], null, 1)
    const { transcripts, skipped } = parse(text)
    expect(transcripts.map(({ externalId }) => externalId)).toEqual(['one', 'three'])
    expect(skipped).toMatchObject([
      { line: text.slice(0, text.indexOf('"two"')).split('\n').length - 1, column: 2, record: 2 },
      { column: 2, record: 4, message: 'expected at least one turn, found none with any content' },
    ])
  })

  it('an export of many of nothing but such conversations is refused for each of them', () => {
    expect(() => parse(JSON.stringify([chat('one'), chat('two')]))).toThrow(
      /^line 1, column 2: expected at least one turn.*\nline 1, column \d+: expected at least one turn/,
    )
  })
})
