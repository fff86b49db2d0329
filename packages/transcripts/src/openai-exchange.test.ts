import { expect, it } from 'vitest'
import { openaiChat } from './formats/openai-chat.js'
import { parse } from './parse.js'
import { readValues } from './read-values-fixture.js'

const asked = [{ role: 'user', content: 'Where?' }]
const said = (content: string) => ({ role: 'assistant', content })
const response = {
  id: 'cmpl-1',
  object: 'chat.completion',
  created: 1767225600,
  model: 'gpt-x',
  choices: [{ index: 0, message: said('Here.'), finish_reason: 'stop' }],
  usage: { total_tokens: 3 },
}
const read = (record: unknown, options = {}) => readValues(openaiChat, [record], options)
const words = (record: unknown) => read(record).drafts[0]?.turns.map(({ content }) => content)

it.each([
  [
    'request and response',
    { request: { messages: asked, model: 'gpt' }, response },
    '/request/messages/0',
    '/response/choices/0/message',
  ],
  ['messages beside choices', { messages: asked, ...response }, '/messages/0', '/choices/0/message'],
  ['messages beside a response', { messages: asked, response }, '/messages/0', '/response/choices/0/message'],
  [
    'HTTP bodies',
    { request: { body: { messages: asked } }, response: { body: response } },
    '/request/body/messages/0',
    '/response/body/choices/0/message',
  ],
  [
    'an input and an output',
    { input: { messages: asked }, output: response },
    '/input/messages/0',
    '/output/choices/0/message',
  ],
])('takes the question and the answer of %s', (_, record, question, answer) => {
  const { drafts, problems } = read(record)
  expect(problems).toEqual([])
  expect(drafts[0]).toMatchObject({
    modelName: 'gpt-x',
    externalId: 'cmpl-1',
    sourceTimestamp: '2026-01-01T00:00:00.000Z',
  })
  expect(drafts[0]?.losses).toEqual([])
  expect(drafts[0]?.turns.map(({ content, place }) => [content, place.pointer])).toEqual([
    ['Where?', question],
    ['Here.', answer],
  ])
  expect(openaiChat.detect(record)).toBe(0.9)
})

it('takes an answer that is one message, as other servers give it', () => {
  expect(words({ request: { messages: asked }, response: { message: said('Here.'), done: true } })).toEqual([
    'Where?',
    'Here.',
  ])
  expect(words({ messages: asked, response: said('Here.') })).toEqual(['Where?', 'Here.'])
})

it('says an answer once that stands among the messages as well', () => {
  expect(words({ messages: [...asked, said('Here.')], ...response })).toEqual(['Where?', 'Here.'])
  expect(words({ messages: [...asked, said('There.')], ...response })).toEqual(['Where?', 'There.', 'Here.'])
})

it('knows a batch by its custom id: what was sent, and what came back without a question', () => {
  const sent = {
    custom_id: 'q-1',
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gpt', messages: asked },
  }
  expect(read(sent).drafts[0]).toMatchObject({
    externalId: 'q-1',
    modelName: 'gpt',
    turns: [{ content: 'Where?' }],
    losses: [],
  })
  const came = {
    id: 'b-1',
    custom_id: 'q-1',
    response: { status_code: 200, request_id: 'r', body: response },
    error: null,
  }
  expect(read(came).drafts[0]).toMatchObject({
    externalId: 'q-1',
    turns: [{ content: 'Here.', place: { pointer: '/response/body/choices/0/message' } }],
    losses: [{ code: 'dropped', what: 'what was asked', why: 'the file holds only the answer', count: 1 }],
  })
})

it('reports the failure of a request of a batch', () => {
  const failed = {
    custom_id: 'q',
    response: { status_code: 400, body: { error: { message: 'Too long.' } } },
    error: null,
  }
  expect(openaiChat.detect(failed)).toBeGreaterThan(0)
  const { drafts, problems } = read(failed)
  expect(drafts).toEqual([])
  expect(problems).toEqual([
    {
      message: 'expected an answer with choices; found the status 400, the string "Too long."',
      place: { record: 1, offset: 0, pointer: '/response' },
    },
  ])
  expect(read({ custom_id: 'q', response: null, error: { message: 'Expired.' } }).problems).toHaveLength(1)
})

it('leaves the other choices out and counts them, or gives them as transcripts of their own', () => {
  const record = { messages: asked, ...response, choices: ['a', 'b', 'c'].map((text) => ({ message: said(text) })) }
  expect(words(record)).toEqual(['Where?', 'a'])
  expect(read(record).drafts[0]?.losses).toMatchObject([{ code: 'dropped', what: 'other answer', count: 2 }])
  const { drafts } = read(record, { branches: true })
  expect(drafts.map(({ externalId, turns }) => [externalId, turns.at(-1)?.content])).toEqual([
    ['cmpl-1', 'a'],
    ['cmpl-1/2', 'b'],
    ['cmpl-1/3', 'c'],
  ])
  expect(drafts.map(({ metadata }) => metadata?.branch)).toEqual([undefined, 2, 3])
  expect(drafts[0]?.losses).toEqual([])
})

it('takes the preferred answer of a line for training, and the other as a branch', () => {
  const line = {
    input: { messages: asked, tools: [{}] },
    preferred_output: [said('Yes.')],
    non_preferred_output: [said('No.')],
  }
  expect(words(line)).toEqual(['Where?', 'Yes.'])
  expect(read(line).drafts[0]?.losses.map(({ what }) => what)).toEqual(['other answer', 'field "tools"'])
  const { drafts } = read(line, { branches: true })
  expect(drafts[1]?.turns.at(-1)).toMatchObject({ content: 'No.', place: { pointer: '/non_preferred_output/0' } })
})

it('says when an answer ended early', () => {
  const record = { messages: asked, choices: [{ message: said('Her'), finish_reason: 'length' }] }
  expect(read(record).drafts[0]?.turns.at(-1)?.metadata).toEqual({ finish_reason: 'length' })
})

it('leaves records of other providers to their formats', () => {
  const anthropic = {
    request: { system: 's', messages: asked },
    response: { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
  }
  expect(parse(JSON.stringify(anthropic))).toMatchObject({
    format: 'anthropic-messages',
    transcripts: [{ turns: [{ role: 'system' }, { role: 'user' }, { role: 'assistant', content: 'a' }] }],
  })
  expect(openaiChat.detect({ role: 'assistant', content: [{ type: 'tool_use', id: '1' }] })).toBeLessThan(0.5)
  expect(openaiChat.detect({ custom_id: 'q', response: { body: { object: 'response', output: [] } } })).toBe(0)
})
