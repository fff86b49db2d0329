import { describe, expect, it } from 'vitest'
import { assertSurvives } from '../hostile-values-fixture.js'
import { noPlace } from '../losses.js'
import { readValues } from '../read-values-fixture.js'
import { openaiChat } from './openai-chat.js'

/** Reads a talk; the elements of a bare array are records of their own. */
function read(value: unknown) {
  const { drafts, problems } = readValues(openaiChat, Array.isArray(value) ? value : [value])
  expect(problems).toEqual([])
  const [draft] = drafts
  if (!draft) throw new Error('no transcript')
  return draft
}

const call = (id: string, name: string, args: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

const turnsOf = (...messages: object[]) => read(messages).turns
const turnOf = (message: object) => turnsOf(message)[0]

describe('the file', () => {
  it('may be a bare array or an object with fields beside the messages', () => {
    const messages = [{ role: 'user', content: 'a', name: 'Ada' }]
    const transcript = read({
      messages,
      model: 'gpt-4o',
      id: 'c-1',
      user: 'u-1',
      metadata: { k: 1 },
      tools: [{}],
      n: null,
    })
    expect(transcript).toMatchObject({
      modelName: 'gpt-4o',
      sourceSystem: 'openai-chat',
      externalId: 'c-1',
      externalUserId: 'u-1',
      metadata: { k: 1 },
      losses: [{ code: 'dropped', what: 'field "tools"', why: noPlace, count: 1 }],
      place: { record: 1, offset: 0, pointer: '' },
    })
    expect(transcript.turns[0]).toEqual({
      role: 'user',
      content: 'a',
      metadata: { name: 'Ada' },
      visible: true,
      place: { record: 1, offset: 0, pointer: '/messages/0' },
    })
  })

  it('may be fine-tuning lines, whose weight is kept', () => {
    const line = { messages: [{ role: 'assistant', content: 'a', weight: 0 }] }
    const { drafts } = readValues(openaiChat, [line, line])
    expect(drafts.map(({ turns }) => turns[0]?.metadata)).toEqual([{ weight: 0 }, { weight: 0 }])
    expect(drafts.map(({ place }) => place.record)).toEqual([1, 2])
  })

  it('counts message fields that nobody reads', () => {
    const transcript = read({
      messages: [{ role: 'assistant', content: 'a', annotations: [], mood: 'b' }],
    })
    expect(transcript.losses).toEqual([{ code: 'dropped', what: 'message field "mood"', why: noPlace, count: 1 }])
  })

  it('may be a bare array, whose messages are records', () => {
    const { turns, place } = read([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ])
    expect(turns.map((turn) => turn.place)).toEqual([1, 2].map((record) => ({ record, offset: 0, pointer: '' })))
    expect(place.record).toBe(1)
    expect(readValues(openaiChat, [[{ role: 'user', content: 'a' }]]).drafts[0]?.turns[0]?.place.pointer).toBe('/0')
  })

  it('survives whatever is in it', () => {
    const messages = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('1', 'f', '{}')],
        reasoning: 'r',
        audio: { transcript: 'a' },
      },
      { role: 'tool', tool_call_id: '1', content: [{ type: 'text', text: 't' }] },
    ]
    const valid = [
      ...messages,
      { messages },
      { request: { messages }, response: { choices: [{ message: messages[0] }] } },
    ]
    assertSurvives(openaiChat, valid)
    assertSurvives(openaiChat, valid, { branches: true, thinking: true })
  })
})

describe('content', () => {
  it('is the refusal where there is no content, else the words of an audio answer', () => {
    expect(turnOf({ role: 'assistant', content: null, refusal: 'I cannot.' })?.content).toBe('I cannot.')
    expect(turnOf({ role: 'assistant', content: 'Well,', refusal: 'I cannot.' })?.content).toBe('Well,\nI cannot.')
    expect(turnOf({ role: 'assistant', content: [{ type: 'text', text: 'a' }], refusal: 'b' })?.content).toBe('a\nb')
    expect(turnOf({ role: 'assistant', content: 'a', refusal: 'a' })?.content).toBe('a')
    const spoken = { role: 'assistant', content: null, audio: { id: 'a', transcript: 'Hi' } }
    expect(turnOf(spoken)?.content).toBe('Hi')
    expect(read([spoken]).losses).toMatchObject([{ code: 'dropped', what: 'audio part' }])
  })

  it('keeps media as placeholders and their facts as metadata', () => {
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
    ]
    expect(turnOf({ role: 'user', content })).toMatchObject({
      content: 'See\n[image: image/png, 3 bytes]',
      metadata: { media: [{ kind: 'image', mime_type: 'image/png', bytes: 3 }] },
    })
  })

  it('drops a message with nothing at all and counts it', () => {
    const { turns, losses } = read({
      messages: [
        { role: 'user', content: ' \n' },
        { role: 'assistant', content: null },
        { role: 'user', content: 'a' },
      ],
    })
    expect(turns.map((turn) => turn.place.pointer)).toEqual(['/messages/2'])
    expect(losses).toEqual([{ code: 'dropped', what: 'empty message', why: 'the service wants content', count: 2 }])
  })

  it.each([
    ['reasoning_content', { reasoning_content: 'hm' }],
    ['reasoning', { reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }] }],
  ])('leaves out what the model thought in %s, unless it is asked for', (_, thought) => {
    const message = { role: 'assistant', content: 'a', ...thought }
    const [without] = readValues(openaiChat, [message]).drafts
    expect(without?.turns[0]).not.toHaveProperty('metadata')
    expect(without?.losses).toMatchObject([{ code: 'dropped', what: 'thinking', count: 1 }])
    const [kept] = readValues(openaiChat, [message], { thinking: true }).drafts
    expect(kept).toMatchObject({ turns: [{ content: 'a', metadata: { thinking: 'hm' } }], losses: [] })
  })

  it('has the time that a log gives the message', () => {
    expect(turnOf({ role: 'user', content: 'a', timestamp: 1767225600 })?.createdAt).toBe('2026-01-01T00:00:00.000Z')
  })

  it('makes developer messages system turns that say so', () => {
    expect(read([{ role: 'developer', content: 'Be kind.' }]).turns[0]).toMatchObject({
      role: 'system',
      metadata: { kind: 'developer' },
      visible: false,
    })
  })
})

it('keeps the fields of the upload body that stand beside plain messages', () => {
  const messages = [{ role: 'user', content: 'hi' }]
  const own = { externalId: 'E', externalUserId: 'U', language: 'en', sourceSystem: 'crm' }
  const answered = { external_id: 'E', external_user_id: 'U', language: 'en', source_system: 'crm' }
  for (const head of [own, answered]) {
    expect(read({ ...head, messages })).toMatchObject({ ...own, losses: [] })
  }
  const odd = read({ externalId: 5, language: ['en'], messages })
  expect(odd.losses.map(({ what }) => what)).toEqual(['field "language"', 'field "externalId"'])
  const both = read({ externalId: 'E', id: 'I', external_user_id: 'U', user: 'V', messages })
  expect(both).toMatchObject({ externalId: 'E', externalUserId: 'U' })
  expect(both.losses.map(({ what }) => what)).toEqual(['field "id"', 'field "user"'])
})
