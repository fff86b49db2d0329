import { describe, expect, it } from 'vitest'
import { parse } from '../parse.js'

function read(value: unknown) {
  const parsed = parse(JSON.stringify(value))
  expect(parsed.format).toBe('openai-chat')
  const [transcript] = parsed.transcripts
  if (!transcript) throw new Error('no transcript')
  return transcript
}

const call = (id: string, name: string, args: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

/** Reads messages, with a marked one before them so that a bare array is this format. */
const turnsOf = (...messages: object[]) => read([{ role: 'developer', content: 'd' }, ...messages]).turns.slice(1)
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
      format: 'openai-chat',
      modelName: 'gpt-4o',
      sourceSystem: 'openai-chat',
      externalId: 'c-1',
      externalUserId: 'u-1',
      metadata: { k: 1 },
      losses: [{ code: 'dropped', what: 'field "tools"', count: 1 }],
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
    const line = JSON.stringify({ messages: [{ role: 'assistant', content: 'a', weight: 0 }] })
    const { transcripts } = parse(`${line}\n${line}\n`)
    expect(transcripts.map(({ turns }) => turns[0]?.metadata)).toEqual([{ weight: 0 }, { weight: 0 }])
    expect(transcripts.map(({ place }) => place.record)).toEqual([1, 2])
  })

  it('counts message fields that nobody reads', () => {
    const transcript = read({
      messages: [{ role: 'assistant', content: 'a', annotations: [], reasoning_content: 'b' }],
    })
    expect(transcript.losses).toEqual([{ code: 'dropped', what: 'message field "reasoning_content"', count: 1 }])
  })
})

describe('content', () => {
  it('is the refusal where there is no content, else the words of an audio answer', () => {
    expect(turnOf({ role: 'assistant', content: null, refusal: 'I cannot.' })?.content).toBe('I cannot.')
    expect(turnOf({ role: 'assistant', content: null, audio: { id: 'a', transcript: 'Hi' } })?.content).toBe('Hi')
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
    expect(losses).toEqual([{ code: 'dropped', what: 'empty message', count: 2 }])
  })

  it('makes developer messages system turns that say so', () => {
    expect(read([{ role: 'developer', content: 'Be kind.' }]).turns[0]).toMatchObject({
      role: 'system',
      metadata: { kind: 'developer' },
      visible: false,
    })
  })
})

describe('tool calls', () => {
  it('get a marker for content when nothing was said', () => {
    expect(
      turnOf({ role: 'assistant', content: null, tool_calls: [call('1', 'a', '{"x":1}'), call('2', 'b', '[]')] }),
    ).toMatchObject({
      content: '[tool call: a, b]',
      toolCalls: [
        { name: 'a', args: { x: 1 } },
        { name: 'b', args: [] },
      ],
      metadata: { synthetic_content: true },
      visible: false,
    })
  })

  it('stay beside what was said', () => {
    const turn = turnOf({ role: 'assistant', content: 'One moment.', tool_calls: [call('1', 'a', '{}')] })
    expect(turn).toMatchObject({ content: 'One moment.', visible: true })
    expect(turn?.metadata).toBeUndefined()
  })

  it.each([
    ['{"a": ', '{"a": ', 1],
    ['plain words', 'plain words', 1],
    ['', '', 0],
    [{ a: 1 }, { a: 1 }, 0],
    [undefined, {}, 0],
    ['5', 5, 0],
  ])('have arguments %j as %j', (args, expected, losses) => {
    const transcript = read({ messages: [{ role: 'assistant', content: 'a', tool_calls: [call('1', 'f', args)] }] })
    expect(transcript.turns[0]?.toolCalls).toEqual([{ name: 'f', args: expected }])
    expect(transcript.losses).toHaveLength(losses)
  })

  it('may be custom, with raw input, or the older function_call', () => {
    const custom = { id: '1', type: 'custom', custom: { name: 'patch', input: '{"raw": 1}' } }
    expect(turnOf({ role: 'assistant', content: 'a', tool_calls: [custom] })?.toolCalls).toEqual([
      { name: 'patch', args: '{"raw": 1}' },
    ])
    const legacy = turnsOf(
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: '1' },
    )
    expect(legacy).toMatchObject([
      { content: '[tool call: f]', toolCalls: [{ name: 'f', args: {} }] },
      { role: 'tool', toolResults: [{ name: 'f', result: '1' }] },
    ])
  })

  it('without a name are called unknown, which is counted', () => {
    const { turns, losses } = read({ messages: [{ role: 'assistant', content: 'a', tool_calls: [{ id: '1' }, null] }] })
    expect(turns[0]?.toolCalls?.map(({ name }) => name)).toEqual(['unknown', 'unknown'])
    expect(losses).toEqual([{ code: 'invented', what: 'tool name "unknown" of a call without one', count: 2 }])
  })
})

describe('tool results', () => {
  it('get their name from the call they answer, in any order and with reused ids', () => {
    const turns = turnsOf(
      { role: 'assistant', content: 'a', tool_calls: [call('1', 'one', ''), call('2', 'two', '')] },
      { role: 'tool', tool_call_id: '2', content: 'x' },
      { role: 'tool', tool_call_id: '1', content: 'y', name: 'other' },
      { role: 'assistant', content: 'b', tool_calls: [call('1', 'three', '')] },
      { role: 'tool', tool_call_id: '1', content: 'z' },
    )
    expect(turns.flatMap((turn) => turn.toolResults ?? []).map(({ name }) => name)).toEqual(['two', 'one', 'three'])
  })

  it('carry their text as content, and parsed where it is a JSON object or array', () => {
    const results = ['{"a": [1]}', ' [1]', '{broken', '5', 'text'].map((content) =>
      turnOf({ role: 'tool', name: 't', content }),
    )
    expect(results.map((turn) => turn?.content)).toEqual(['{"a": [1]}', ' [1]', '{broken', '5', 'text'])
    expect(results.map((turn) => turn?.toolResults?.[0]?.result)).toEqual([{ a: [1] }, [1], '{broken', '5', 'text'])
    expect(results[0]).toMatchObject({ role: 'tool', visible: false })
    expect(results[0]).not.toHaveProperty('metadata')
  })

  it('without a call take their own name, else unknown, which is counted', () => {
    const { turns, losses } = read({
      messages: [
        { role: 'tool', tool_call_id: 'x', name: 'mine', content: 'a' },
        { role: 'tool', tool_call_id: 'x', content: 'a' },
      ],
    })
    expect(turns.map((turn) => turn.toolResults?.[0]?.name)).toEqual(['mine', 'unknown'])
    expect(losses).toEqual([{ code: 'invented', what: 'tool name "unknown" of a result without a call', count: 1 }])
  })

  it('that are empty keep their turn with a marker', () => {
    expect(turnOf({ role: 'tool', name: 'think', content: '' })).toMatchObject({
      content: '[tool result: think]',
      toolResults: [{ name: 'think', result: '' }],
      metadata: { synthetic_content: true },
    })
  })
})
