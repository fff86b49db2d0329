import { parse } from '@svc/transcripts'
import { expect, it } from 'vitest'

const question = [{ role: 'user', content: 'Where is it?' }]
const text = 'On the table.'
const message = { role: 'assistant', content: text }
const answers: [string, unknown][] = [
  ['a text', text],
  ['a message', message],
  ['a list of messages', [message]],
  ['content alone', { content: text }],
  ['a text in an object', { text }],
  ['a message in an object', { message }],
  ['choices with messages', { choices: [{ message }] }],
  ['choices with texts', { choices: [{ text }] }],
  ['parts', { role: 'assistant', content: [{ type: 'text', text }] }],
]
const places: [string, (answer: unknown) => unknown][] = [
  ['output beside messages', (answer) => ({ messages: question, output: answer })],
  ['response beside messages', (answer) => ({ messages: question, response: answer })],
  ['completion beside messages', (answer) => ({ messages: question, completion: answer })],
  ['answer beside messages', (answer) => ({ messages: question, answer })],
  ['response beside a request', (answer) => ({ request: { messages: question }, response: answer })],
  ['output beside a request', (answer) => ({ request: { messages: question }, output: answer })],
  ['bodies of HTTP', (answer) => ({ request: { body: { messages: question } }, response: { body: answer } })],
  ['output beside an input with messages', (answer) => ({ input: { messages: question }, output: answer })],
  ['output beside a list as input', (answer) => ({ input: question, output: answer })],
  ['completion beside a list as prompt', (answer) => ({ prompt: question, completion: answer })],
]

it.each(places.flatMap(([place, record]) => answers.map(([form, answer]) => ({ place, form, value: record(answer) }))))(
  'an answer is read that is $form as $place',
  ({ value }) => {
    const { transcripts } = parse(JSON.stringify(value))
    expect(transcripts.map(({ turns }) => turns.map(({ role, content }) => `${role}: ${content}`))).toEqual([
      ['user: Where is it?', `assistant: ${text}`],
    ])
    expect(transcripts[0]?.losses).toEqual([])
  },
)

it('an answer that repeats all messages is read without the repetition', () => {
  const [transcript] = parse(JSON.stringify({ messages: question, output: [...question, message] })).transcripts
  expect(transcript?.turns.map(({ content }) => content)).toEqual(['Where is it?', text])
})

it('of two answers the one that is not read is a loss', () => {
  const [transcript] = parse(JSON.stringify({ messages: question, response: text, output: 'Under it.' })).transcripts
  expect(transcript?.losses).toMatchObject([{ code: 'dropped', what: 'field "output"' }])
})

it('items of the Responses interface with a text as output have that as their answer', () => {
  const items = [
    ...question,
    { type: 'function_call', call_id: 'k', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'k', output: 'two' },
  ]
  const { format, transcripts } = parse(JSON.stringify({ input: items, output: text }))
  expect(format).toBe('openai-responses')
  expect(transcripts[0]?.turns.at(-1)).toMatchObject({ role: 'assistant', content: text })
})

it.each([
  ['a prompt and a completion', { prompt: 'Where is it?', completion: text, model: 'm' }],
  ['an input and an output', { id: 'k', input: 'Where is it?', output: text }],
])('%s that are texts are a conversation', (_, record) => {
  const { format, transcripts } = parse(`${JSON.stringify(record)}\n${JSON.stringify(record)}`)
  expect(format).toBe('pairs')
  expect(transcripts.map(({ turns, losses }) => [turns.map(({ role, content }) => [role, content]), losses])).toEqual(
    Array(2).fill([
      [
        ['user', 'Where is it?'],
        ['assistant', text],
      ],
      [],
    ]),
  )
})

it('an input and an output beside the name of a tool are refused', () => {
  expect(() => parse(JSON.stringify({ tool: 'shell', input: 'ls', output: 'a.txt' }))).toThrow(/expected a transcript/)
})
