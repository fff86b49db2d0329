import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noPlace } from '../losses.js'
import { parse } from '../parse.js'
import { toUpload } from '../to-upload.js'
import { roles } from '../turn.js'

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

function read(value: unknown) {
  const parsed = parse(JSON.stringify(value))
  expect(parsed.format).toBe('upload')
  const [transcript] = parsed.transcripts
  if (!transcript) throw new Error('no transcript')
  return transcript
}

const problemsOf = (value: unknown) => {
  try {
    parse(JSON.stringify(value))
    return []
  } catch (error) {
    return (error as { problems: { message: string; pointer?: string }[] }).problems.map(
      ({ message, pointer }) => `${pointer}: ${message}`,
    )
  }
}

describe('the upload body', () => {
  it('comes back whole', () => {
    const transcript = read(body)
    expect(toUpload(transcript)).toStrictEqual(body)
    expect(transcript.losses).toEqual([])
  })

  it('comes back whole whatever its turns say', () => {
    const text = fc.string({ unit: 'grapheme' }).map((content) => `x${content.replaceAll('\u0000', '')}`)
    const turn = fc.record(
      {
        role: fc.constantFrom(...roles),
        content: text,
        toolCalls: fc.array(fc.record({ name: text, args: fc.dictionary(text, fc.integer()) })),
        metadata: fc.dictionary(text, text),
      },
      { requiredKeys: ['role', 'content'], noNullPrototype: true },
    )
    fc.assert(
      fc.property(text, fc.array(turn), (name, turns) => {
        const sent = JSON.parse(JSON.stringify({ name, turns: [{ role: 'user', content: 'a' }, ...turns] }))
        expect(toUpload(read(sent))).toEqual(sent)
      }),
    )
  })

  it('counts fields that the service does not know', () => {
    const turns = [
      { role: 'user', content: 'a', id: 1 },
      { role: 'user', content: 'b', id: 2, toolCalls: [{ name: 'f', id: 'x' }] },
    ]
    expect(read({ name: 'n', turns, colour: 'red' }).losses).toEqual([
      { code: 'dropped', what: 'turn field "id"', why: noPlace, count: 2 },
      { code: 'dropped', what: 'tool call field "id"', why: noPlace, count: 1 },
      { code: 'invented', what: 'empty tool arguments', why: 'the service wants arguments', count: 1 },
      { code: 'dropped', what: 'field "colour"', why: noPlace, count: 1 },
    ])
  })

  it('keeps a marker invisible when it is read again', () => {
    const turns = [{ role: 'assistant', content: '[tool call: f]', metadata: { synthetic_content: true } }]
    expect(read({ name: 'n', turns }).turns[0]?.visible).toBe(false)
  })

  it('reports every wrong field at its pointer', () => {
    const turns = [
      { role: 'bot', content: 'a' },
      { role: 'user', content: null },
      { role: 'user', content: 'a', toolCalls: [{}], toolResults: {}, metadata: [], createdAt: 'soon' },
      'hello',
    ]
    expect(problemsOf({ name: 7, process: 'no', turns })).toEqual([
      '/name: expected text; found the number 7',
      '/process: expected true or false; found the string "no"',
      '/turns/0/role: expected a role of user, assistant, system, tool, human_agent; found the string "bot"',
      '/turns/1/content: expected content that is text; found null',
      '/turns/2/toolCalls: expected an array of { name, args }; found an array of 1 whose first element is an empty object',
      '/turns/2/toolResults: expected an array of { name, result }; found an empty object',
      '/turns/2/metadata: expected an object; found an empty array',
      '/turns/2/createdAt: expected an ISO 8601 time; found the string "soon"',
      '/turns/3: expected a turn with role and content, found the string "hello"',
    ])
  })
})

describe('a stored transcript', () => {
  const stored = {
    id: 'tr_1',
    name: 'Order 7',
    model_name: 'm',
    language: null,
    external_id: 'e',
    metadata: {},
    turn_count: 1,
    processing_status: 'queued',
    created_at: '2025-01-01T00:00:00.000Z',
    annotations: [{ key: 'a' }],
    turns: [
      {
        role: 'assistant',
        content: 'a',
        tool_calls: [{ name: 'f', args: {} }],
        created_at: '2025-01-01T00:00:00.000Z',
      },
    ],
  }

  it.each([
    ['', stored],
    ['/data', { data: stored, processing_time_ms: 3 }],
  ])('is read in its own names, from %j', (root, value) => {
    const transcript = read(value)
    expect(toUpload(transcript)).toEqual({
      name: 'Order 7',
      modelName: 'm',
      externalId: 'e',
      metadata: {},
      turns: [
        {
          role: 'assistant',
          content: 'a',
          toolCalls: [{ name: 'f', args: {} }],
          createdAt: '2025-01-01T00:00:00.000Z',
        },
      ],
    })
    expect(transcript.place.pointer).toBe(root)
    expect(transcript.turns[0]?.place.pointer).toBe(`${root}/turns/0`)
    expect(transcript.losses.map(({ what }) => what)).toEqual(['field "id"', 'field "annotations"'])
  })
})
