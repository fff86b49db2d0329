import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readValues } from '../read-values-fixture.js'
import { inspect } from './inspect.js'

const header = {
  version: 2,
  status: 'success',
  eval: { task: 'sums', run_id: 'run', eval_id: 'ev', model: 'lab/model', created: '2026-01-02T03:04:05+00:00' },
  plan: {},
}
const sample = {
  id: 'a/1',
  epoch: 2,
  input: 'What is 1 + 1?',
  target: '2',
  messages: [
    { role: 'system', content: 'attachment://h1' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is 1 + 1?' },
        { type: 'image', image: 'attachment://h2' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', reasoning: 'Hm.' },
        { type: 'text', text: 'I calculate.' },
      ],
      tool_calls: [{ id: 'c', function: 'python', arguments: { code: 'attachment://h3' }, type: 'function' }],
    },
    {
      role: 'tool',
      tool_call_id: 'c',
      function: 'python',
      content: '',
      error: { type: 'timeout', message: 'Too slow' },
    },
    { role: 'assistant', content: '2', model: 'model' },
  ],
  scores: { match: { value: 'C', answer: '2', explanation: 'It is 2.', history: [] } },
  metadata: { level: 1 },
  attachments: { h1: 'Be brief.', h2: 'data:image/png;base64,QUJD', h3: 'print(1 + 1)' },
  events: [{ event: 'model' }],
}

const one = (...values: unknown[]) => {
  const { drafts, problems } = readValues(inspect, values, { thinking: true })
  expect(problems).toEqual([])
  const [draft] = drafts
  if (!draft) throw new Error('no transcript')
  return draft
}

describe('a log of Inspect', () => {
  it('gives a transcript for each sample, whether it is one document or the members of an archive', () => {
    const document = one({ ...header, samples: [sample] })
    const members = one(header, sample)
    expect(document).toMatchObject({
      name: 'sums / a/1 / 2',
      externalId: 'ev:a/1:2',
      modelName: 'lab/model',
      sourceSystem: 'inspect',
      sourceTimestamp: '2026-01-02T03:04:05.000Z',
      place: { record: 1, pointer: '/samples/0' },
    })
    expect(document.turns.map(({ content }) => content)).toEqual(members.turns.map(({ content }) => content))
    expect(members).toMatchObject({ externalId: 'ev:a/1:2', place: { record: 2, pointer: '' } })
    expect(members.turns[1]?.place.pointer).toBe('/messages/1')
  })

  it('has attachments in the place of what points at them', () => {
    const { turns } = one(header, sample)
    expect(turns[0]).toMatchObject({ role: 'system', content: 'Be brief.' })
    expect(turns[1]).toMatchObject({ content: 'What is 1 + 1?\n[image: image/png, 3 bytes]' })
    expect(turns[2]).toMatchObject({
      content: 'I calculate.',
      toolCalls: [{ name: 'python', args: { code: 'print(1 + 1)' } }],
      metadata: { thinking: 'Hm.' },
    })
  })

  it('says why a tool failed', () => {
    expect(one(header, sample).turns[3]).toMatchObject({
      role: 'tool',
      content: 'Too slow',
      toolResults: [{ name: 'python', result: 'Too slow' }],
      metadata: { is_error: true, error_type: 'timeout' },
    })
  })

  it('keeps scores, the target and what ended the sample as metadata', () => {
    const limited = { ...sample, limit: { type: 'token', limit: 9 }, error: { message: 'broke' } }
    expect(one(header, limited).metadata).toMatchObject({
      task: 'sums',
      status: 'success',
      target: '2',
      limit: 'token',
      error: 'broke',
      sample_metadata: { level: 1 },
      scores: { match: { value: 'C', answer: '2', explanation: 'It is 2.' } },
    })
  })

  it('cuts long explanations and counts it', () => {
    const scores = { judge: { value: 1, explanation: 'x'.repeat(2000) } }
    const { metadata, losses } = one(header, { ...sample, scores })
    expect(JSON.stringify(metadata).length).toBeLessThan(1500)
    expect(losses).toContainEqual(
      expect.objectContaining({ code: 'cut', what: 'scores over 500 characters', count: 1 }),
    )
  })

  it('has the input alone of a sample that broke before the first answer', () => {
    expect(one(header, { ...sample, messages: [] }).turns).toMatchObject([{ role: 'user', content: 'What is 1 + 1?' }])
    expect(
      one({ ...header, samples: [{ ...sample, messages: undefined, input: [sample.messages[4]] }] }).turns,
    ).toMatchObject([{ role: 'assistant', content: '2', place: { pointer: '/samples/0/input/0' } }])
  })

  it('has what the model answered of a sample without messages, and counts the answers beside the first', () => {
    const choices = ['2', 'Two'].map((content) => ({ message: { role: 'assistant', content, model: 'model' } }))
    const { turns, losses } = one(header, { ...sample, messages: [], output: { model: 'model', choices } })
    expect(turns).toMatchObject([
      { role: 'user', content: 'What is 1 + 1?' },
      { role: 'assistant', content: '2', place: { pointer: '/output/choices/0/message' } },
    ])
    expect(losses).toMatchObject([{ code: 'dropped', what: 'other answer of a model', count: 1 }])
  })

  it('says which call could not be read, and counts the fields of messages that it does not carry', () => {
    const call = { id: 'c', function: 'f', arguments: {}, type: 'function', parse_error: 'No JSON: {x' }
    const message = {
      id: 'm',
      role: 'assistant',
      content: '',
      source: 'generate',
      tool_calls: [call],
      mystery: 'words',
    }
    const { turns, losses } = one(header, { ...sample, input: '', messages: [message] })
    expect(turns).toMatchObject([{ toolCalls: [{ name: 'f' }], metadata: { parse_error: 'No JSON: {x' } }])
    expect(losses).toMatchObject([{ code: 'dropped', what: 'message field "mystery"', count: 1 }])
  })

  it('takes the tools that a provider ran from the content', () => {
    const content = [{ type: 'tool_use', id: 's', name: 'web_search', arguments: '{"q":1}', result: 'found' }, 'Done.']
    expect(one(header, { ...sample, messages: [{ role: 'assistant', content }] }).turns).toMatchObject([
      { role: 'assistant', toolCalls: [{ name: 'web_search', args: { q: 1 } }] },
      { role: 'tool', toolResults: [{ name: 'web_search', result: 'found' }] },
      { role: 'assistant', content: 'Done.' },
    ])
  })

  it.each([
    [{ ...header, status: 'cancelled' }, 'the log has 0 samples, its status is "cancelled". Nothing was run'],
    [
      { ...header, samples: [] },
      'the log has 0 samples, its status is "success". It may have been read or written as a header only',
    ],
  ])('without samples says so with its status', (log, message) => {
    expect(readValues(inspect, [log])).toEqual({
      drafts: [],
      problems: [{ message, place: { record: 1, offset: 0, pointer: '' } }],
    })
  })

  it('points at a sample that is none', () => {
    const { problems } = readValues(inspect, [{ ...header, samples: [sample, { id: 1 }] }])
    expect(problems).toMatchObject([
      {
        message: 'expected a sample with id, epoch and messages; found an object with keys id',
        place: { pointer: '/samples/1' },
      },
    ])
  })

  it('is known by its header and by its samples', () => {
    expect(inspect.detect(header)).toBeGreaterThan(0.9)
    expect(inspect.detect(sample)).toBeGreaterThan(0.9)
    expect(inspect.detect({ messages: sample.messages })).toBe(0)
    expect(inspect.detect([sample])).toBe(0)
  })

  it('never throws, whatever it holds', () => {
    const fields = Object.keys(sample) as (keyof typeof sample)[]
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        const mutated = fields.map((field) => ({ ...sample, [field]: value }))
        const messages = sample.messages.flatMap((each) => Object.keys(each).map((key) => ({ ...each, [key]: value })))
        const values = [
          value,
          { ...header, samples: [value, ...mutated] },
          { ...header, eval: value },
          { ...sample, messages },
        ]
        for (const each of [...values, ...mutated, other]) inspect.detect(each)
        readValues(inspect, [...values, ...mutated, other])
      }),
      { numRuns: 50 },
    )
  })
})
