import { parse } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { modelSpan, observation, read, span, turnsOf, writers } from './trace-records.js'

describe.each(writers)('a call of Gemini in a trace of %s', (_, write) => {
  const answer = (...parts: object[]) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] })
  const question = { role: 'user', parts: [{ text: 'Weather?' }] }

  it('keeps the prompt and the answer', () => {
    expect(turnsOf(write({ contents: [question] }, answer({ text: 'Rain.' })))).toEqual([
      ['user: Weather?', 'assistant: Rain.'],
    ])
  })

  it('keeps a prompt that is a text, and parts without a role', () => {
    expect(turnsOf(write({ contents: 'Weather?' }, answer({ text: 'Rain.' })))).toEqual([
      ['user: Weather?', 'assistant: Rain.'],
    ])
    const bare = { candidates: [{ content: { parts: [{ text: 'Rain.' }] } }] }
    expect(turnsOf(write({ contents: [{ parts: [{ text: 'Weather?' }] }] }, bare))).toEqual([
      ['user: Weather?', 'assistant: Rain.'],
    ])
  })

  it.each<[string, object]>([
    ['beside the contents', { systemInstruction: { parts: [{ text: 'Be brief.' }] } }],
    ['as one part', { system_instruction: { text: 'Be brief.' } }],
    ['in the settings', { config: { system_instruction: 'Be brief.' } }],
  ])('keeps the instructions %s', (_where, fields) => {
    expect(turnsOf(write({ ...fields, contents: [question] }, answer({ text: 'Rain.' })))).toEqual([
      ['system: Be brief.', 'user: Weather?', 'assistant: Rain.'],
    ])
  })

  it.each<[string, string, string]>([
    ['camel case', 'functionCall', 'functionResponse'],
    ['snake case', 'function_call', 'function_response'],
  ])('keeps calls and results in %s', (_case, called, answered) => {
    const contents = [
      question,
      { role: 'model', parts: [{ text: 'Looking.' }, { [called]: { name: 'weather', args: { city: 'Bonn' } } }] },
      { role: 'user', parts: [{ [answered]: { name: 'weather', response: { sky: 'rain' } } }] },
    ]
    const [transcript] = parse(JSON.stringify(write({ contents }, answer({ text: 'Rain.' })))).transcripts
    expect(transcript?.turns).toMatchObject([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: 'Looking.', toolCalls: [{ name: 'weather', args: { city: 'Bonn' } }] },
      { role: 'tool', toolResults: [{ name: 'weather', result: { sky: 'rain' } }] },
      { role: 'assistant', content: 'Rain.' },
    ])
    expect(transcript?.losses).toEqual([])
  })

  it('has a placeholder for media and leaves thoughts out', () => {
    const image = { inline_data: { mime_type: 'image/png', data: 'QUJD' } }
    const contents = [{ role: 'user', parts: [{ text: 'What is it?' }, image] }]
    expect(turnsOf(write({ contents }, answer({ text: 'Hm', thought: true }, { text: 'A cat.' })))).toEqual([
      ['user: What is it?\n[image: image/png, 3 bytes]', 'assistant: A cat.'],
    ])
  })

  it('counts the answers beside the first', () => {
    const candidates = ['Rain.', 'Sun.'].map((text) => ({ content: { role: 'model', parts: [{ text }] } }))
    expect(read(write({ contents: [question] }, { candidates }))).toMatchObject([
      { turns: ['user: Weather?', 'assistant: Rain.'], losses: expect.stringContaining('other answer of a model') },
    ])
  })
})

describe.each(writers)('a call in a message of the user in a trace of %s', (_, write) => {
  const call = { name: 'weather', args: { city: 'Bonn' } }
  const shapes: Record<string, object> = {
    OpenAI: { tool_calls: [1, 2].map((id) => ({ id, function: { name: call.name, arguments: call.args } })) },
    Anthropic: { content: [1, 2].map((id) => ({ type: 'tool_use', id, name: call.name, input: call.args })) },
    Gemini: { parts: [{ functionCall: call }, { functionCall: call }] },
    GenAI: { parts: [1, 2].map((id) => ({ type: 'tool_call', id, name: call.name, arguments: call.args })) },
  }

  it.each(Object.keys(shapes))('is one of the assistant and names the message of %s as a loss', (shape) => {
    const messages = [{ role: 'user', content: '', ...shapes[shape] }]
    const input = shape === 'Gemini' ? { contents: messages } : { messages }
    const [transcript] = parse(JSON.stringify(write(input, { role: 'assistant', content: 'Rain.' }))).transcripts
    expect(transcript?.turns[0]).toMatchObject({ role: 'assistant', toolCalls: [call, call] })
    expect(transcript?.losses).toContainEqual(
      expect.objectContaining({ code: 'changed', what: 'role of a message with calls', count: 1 }),
    )
  })
})

it('reads the spans of the Agent Development Kit of Google', () => {
  const request = {
    model: 'gemini-x',
    config: { system_instruction: 'Be brief.' },
    contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }],
  }
  const response = {
    content: { role: 'model', parts: [{ function_call: { name: 'weather', args: { city: 'Bonn' } } }] },
  }
  const call = { 'gcp.vertex.agent.llm_request': request, 'gcp.vertex.agent.llm_response': response }
  const tool = {
    'gcp.vertex.agent.tool_call_args': { city: 'Bonn' },
    'gcp.vertex.agent.tool_response': { sky: 'rain' },
  }
  expect(turnsOf(span('call_llm', call), span('execute_tool weather', tool, 1))).toEqual([
    ['system: Be brief.', 'user: Weather?', 'assistant: weather({"city":"Bonn"})', 'tool: weather = {"sky":"rain"}'],
  ])
})

describe('calls of Weave', () => {
  const call = (fields: object) => ({
    id: 'c1',
    op_name: 'weave:///team/app/op/openai.chat.completions.create:abc',
    trace_id: 't',
    parent_id: null,
    started_at: '2026-01-01T10:00:00Z',
    ended_at: '2026-01-01T10:00:01Z',
    ...fields,
  })
  const messages = [{ role: 'user', content: 'Weather?' }]

  it('keep the prompt and the answer of a model', () => {
    const output = { model: 'gpt-x', choices: [{ message: { role: 'assistant', content: 'Rain.' } }] }
    expect(read(call({ inputs: { model: 'gpt-x', messages }, output }))).toEqual([
      { format: 'weave', turns: ['user: Weather?', 'assistant: Rain.'], losses: '' },
    ])
  })

  it('keep an answer that is a text, and contents of Gemini', () => {
    expect(turnsOf(call({ inputs: { messages }, output: 'Rain.' }))).toEqual([['user: Weather?', 'assistant: Rain.']])
    const contents = [{ role: 'user', parts: [{ text: 'Weather?' }] }]
    const output = { candidates: [{ content: { role: 'model', parts: [{ text: 'Rain.' }] } }] }
    expect(turnsOf(call({ inputs: { model: 'gemini-x', contents }, output }))).toEqual([
      ['user: Weather?', 'assistant: Rain.'],
    ])
  })

  it('calls of Weave of one trace are one conversation, and of one thread too', () => {
    const asked = { tool_calls: [{ id: 'k', function: { name: 'weather', arguments: '{"city":"Bonn"}' } }] }
    const history = [
      ...messages,
      { role: 'assistant', content: null, ...asked },
      { role: 'tool', tool_call_id: 'k', content: 'rain' },
    ]
    const answered = (content: string) => ({ choices: [{ message: { role: 'assistant', content } }] })
    const calls = [
      call({ id: 'root', op_name: 'weave:///team/app/op/agent:a', inputs: { question: 'Weather?' }, output: 'Rain.' }),
      call({
        id: 'm1',
        parent_id: 'root',
        inputs: { model: 'm', messages },
        output: { choices: [{ message: history[1] }] },
      }),
      call({
        id: 'w1',
        parent_id: 'root',
        op_name: 'weave:///team/app/op/weather:b',
        attributes: { kind: 'tool' },
        inputs: { city: 'Bonn' },
        output: 'rain',
        started_at: '2026-01-01T10:00:02Z',
      }),
      call({
        id: 'm2',
        parent_id: 'root',
        inputs: { model: 'm', messages: history },
        output: answered('Rain.'),
        started_at: '2026-01-01T10:00:03Z',
      }),
    ]
    const turns = [
      'user: Weather?',
      'assistant: weather({"city":"Bonn"})',
      'tool: weather = "rain"',
      'assistant: Rain.',
    ]
    expect(read(...calls)).toEqual([{ format: 'weave', turns, losses: '' }])
    expect(read({ calls })).toEqual([{ format: 'weave', turns, losses: '' }])
    const later = { id: 'n', trace_id: 'u', thread_id: 'thread', started_at: '2026-01-01T10:01:00Z' }
    const [first] = calls
    expect(
      turnsOf({ ...first, thread_id: 'thread' }, call({ ...later, inputs: { question: 'And now?' }, output: 'Sun.' })),
    ).toEqual([['user: Weather?', 'assistant: Rain.', 'user: And now?', 'assistant: Sun.']])
  })
})

describe('the span of a tool that the conversation tells of', () => {
  const asked = [
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'k', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } }],
    },
  ]
  const reported = [...asked, { role: 'tool', tool_call_id: 'k', content: 'rain' }]
  const turns = ['user: Weather?', 'assistant: weather({"city":"Bonn"})', 'tool: weather = "rain"', 'assistant: Rain.']
  const final = { role: 'assistant', content: 'Rain.' }

  it.each([
    'weather',
    'execute_tool weather',
    'running tool: weather',
    'Running tool: weather',
    'running tool weather',
    'Tool: weather',
    'weather.tool',
  ])('the span of a tool that the conversation tells of is no second call where it is named "%s"', (name) => {
    const tool = { id: 'o2', type: 'TOOL', name, startTime: '2026-01-01T10:00:01Z' }
    const later = { id: 'o3', startTime: '2026-01-01T10:00:02Z' }
    const langfuse = [
      observation(asked.slice(0, 1), asked[1]),
      observation({ city: 'Bonn' }, 'rain', tool),
      observation(reported, final, later),
    ]
    expect(turnsOf(...langfuse)).toEqual([turns])
    const answer = { 'gen_ai.tool.call.arguments': { city: 'Bonn' }, 'gen_ai.tool.call.result': 'rain' }
    expect(
      turnsOf(
        modelSpan(asked.slice(0, 1), asked[1]),
        span(name, { 'gen_ai.operation.name': 'execute_tool', ...answer }, 1),
        modelSpan(reported, final, 2),
      ),
    ).toEqual([turns])
  })

  it.each(['execute_tool weather', 'running tool: weather'])(
    'the span of a tool is the call of the tool where nothing else tells of it and it is named "%s"',
    (name) => {
      const tool = { id: 'o2', parentObservationId: 'o1', type: 'TOOL', name, startTime: '2026-01-01T10:00:01Z' }
      const called = ['assistant: weather({"city":"Bonn"})', 'tool: weather = "rain"']
      expect(
        turnsOf(observation('Weather?', 'Rain.', { type: 'SPAN' }), observation({ city: 'Bonn' }, 'rain', tool)),
      ).toEqual([['user: Weather?', ...called, 'assistant: Rain.']])
    },
  )

  it.each<[string, object]>([
    ['by its name alone', { 'input.value': { city: 'Bonn' }, 'output.value': 'rain' }],
    ['with the attributes of Pydantic AI', { tool_arguments: { city: 'Bonn' }, tool_response: 'rain' }],
    [
      'with the name of the tool',
      { 'gen_ai.tool.name': 'weather', tool_arguments: { city: 'Bonn' }, tool_response: 'rain' },
    ],
  ])('answers a call that waits, %s', (_, attributes) => {
    expect(
      turnsOf(modelSpan(asked.slice(0, 1), asked[1]), span('running tool: weather', { ...attributes }, 1)),
    ).toEqual([turns.slice(0, 3)])
  })

  it('answers a call that waits where Langfuse has a span of no type of its own', () => {
    const tool = { id: 'o2', type: 'SPAN', parentObservationId: 'o1', name: 'execute_tool weather' }
    const started = { startTime: '2026-01-01T10:00:01Z' }
    expect(
      turnsOf(observation(asked.slice(0, 1), asked[1]), observation({ city: 'Bonn' }, 'rain', { ...tool, ...started })),
    ).toEqual([turns.slice(0, 3)])
  })

  it('adds a call if the conversation has another call of the same tool', () => {
    const tool = { id: 'o2', type: 'TOOL', name: 'execute_tool weather', startTime: '2026-01-01T10:00:01Z' }
    const other = { ...tool, id: 'o3', startTime: '2026-01-01T10:00:02Z' }
    const rows = [
      observation(asked.slice(0, 1), asked[1]),
      observation({ city: 'Bonn' }, 'rain', tool),
      observation({ city: 'Rome' }, 'sun', other),
    ]
    expect(turnsOf(...rows)).toEqual([
      [...turns.slice(0, 3), 'assistant: weather({"city":"Rome"})', 'tool: weather = "sun"'],
    ])
  })
})
