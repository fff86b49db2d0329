import { parse } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { observation, read, turnsOf, writers } from './trace-records.js'

describe('calls that bear their answers', () => {
  const calls = [{ tool: 'weather', input: { city: 'Bonn' }, output: 'rain' }]
  const turns = ['user: Weather?', 'assistant: weather({"city":"Bonn"})', 'tool: weather = "rain"', 'assistant: Rain.']

  it.each(writers)('calls that bear their answers are read beside the content in a trace of %s', (_, write) => {
    const question = { messages: [{ role: 'user', content: 'Weather?' }] }
    expect(turnsOf(write(question, { content: 'Rain.', tool_calls: calls }))).toEqual([turns])
    expect(turnsOf(write(question, { role: 'assistant', content: 'Rain.', tool_calls: calls }))).toEqual([turns])
    expect(turnsOf(write(question, { tool_calls: calls }))).toEqual([turns.slice(0, 3)])
  })

  it.each<[string, object]>([
    ['tool, input and output', { tool: 'weather', input: { city: 'Bonn' }, output: 'rain' }],
    [
      'tool_name, tool_input and tool_output',
      { tool_name: 'weather', tool_input: { city: 'Bonn' }, tool_output: 'rain' },
    ],
    ['name, args and result', { name: 'weather', args: { city: 'Bonn' }, result: 'rain' }],
    ['a function and a result', { function: { name: 'weather', arguments: '{"city":"Bonn"}' }, result: 'rain' }],
  ])('calls that bear their answers are read from a message of chat completions with %s', (_, call) => {
    const message = { role: 'assistant', content: 'Rain.', tool_calls: [call] }
    expect(read({ messages: [{ role: 'user', content: 'Weather?' }, message] })).toEqual([
      { format: 'openai-chat', turns, losses: '' },
    ])
  })

  it('say why they failed', () => {
    const failed = { tool: 'weather', input: {}, error: 'no such city' }
    const message = { role: 'assistant', content: null, tool_calls: [failed] }
    const [transcript] = parse(
      JSON.stringify({ messages: [{ role: 'user', content: 'Weather?' }, message] }),
    ).transcripts
    expect(transcript?.turns[2]).toMatchObject({ role: 'tool', content: 'no such city', metadata: { is_error: true } })
  })

  it('calls that bear their answers are no calls where a list defines tools', () => {
    const tools = [{ name: 'weather', description: 'Tells the weather', parameters: { type: 'object' } }]
    expect(turnsOf(observation({ messages: [{ role: 'user', content: 'Weather?' }], tools }, 'Rain.'))).toEqual([
      ['user: Weather?', 'assistant: Rain.'],
    ])
  })
})

it('keeps why a user refused a call of a managed agent', () => {
  const event = (type: string, fields: object) => ({
    id: `of ${type}`,
    processed_at: '2026-01-01T10:00:00Z',
    type,
    ...fields,
  })
  const [transcript] = parse(
    [
      event('user.message', { content: [{ type: 'text', text: 'Clean up.' }] }),
      event('agent.tool_use', { id: 'k', name: 'bash', input: { command: 'rm -r /' } }),
      event('user.tool_confirmation', { tool_use_id: 'k', result: 'deny', deny_message: 'Not the whole disk.' }),
    ]
      .map((line) => JSON.stringify(line))
      .join('\n'),
  ).transcripts
  expect(transcript?.turns.slice(1)).toMatchObject([
    { role: 'assistant', toolCalls: [{ name: 'bash' }] },
    { role: 'user', content: '[denied] Not the whole disk.', metadata: { kind: 'approval', approved: false } },
  ])
})

describe("the state of an agent's run", () => {
  const item = (type: string, raw_item: object) => ({ type, agent: { name: 'a' }, raw_item })
  const call = { type: 'function_call', id: 'f', call_id: 'k', name: 'weather', arguments: '{"city":"Bonn"}' }
  const output = { type: 'function_call_output', call_id: 'k', output: 'rain' }
  const message = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Rain.' }] }
  const items = [
    item('tool_call_item', call),
    item('tool_call_output_item', output),
    item('message_output_item', message),
  ]
  const turns = ['user: Weather?', 'assistant: weather({"city":"Bonn"})', 'tool: weather = "rain"', 'assistant: Rain.']
  const state = (original_input: unknown, generated_items: object[]) => ({
    $schemaVersion: '1.9',
    original_input,
    generated_items,
    model_responses: [],
  })

  it.each<[string, object[]]>([
    ['a call', [items[0] as object, ...items]],
    ['a call whose status changed', [item('tool_call_item', { ...call, status: 'in_progress' }), ...items]],
    ['a result', [...items.slice(0, 2), items[1] as object, items[2] as object]],
    ['a message', [...items, items[2] as object]],
  ])('says once what it repeats: %s', (_, generated) => {
    expect(read(state('Weather?', generated))).toEqual([
      { format: 'openai-responses', turns, losses: expect.stringMatching(/^merged 1 repeated item: /) },
    ])
  })

  it('says once what stands both in its input and among the items that it made', () => {
    const [transcript] = read(state([{ role: 'user', content: 'Weather?' }, call, output], items))
    expect(transcript?.turns).toEqual(turns)
  })

  it('says twice what an agent said twice', () => {
    const again = item('message_output_item', { ...message, id: 'n' })
    expect(read(state('Weather?', [...items, again]))).toMatchObject([
      { turns: [...turns, 'assistant: Rain.'], losses: '' },
    ])
    const made = item('message_output_item', { ...message, id: '__fake_id__' })
    expect(read(state('Weather?', [...items.slice(0, 2), made, made]))).toMatchObject([
      { turns: [...turns, 'assistant: Rain.'], losses: '' },
    ])
  })
})
