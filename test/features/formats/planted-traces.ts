import type { Sample } from './planted-samples.js'

const at = (second: number) => `2026-01-01T10:00:0${second}.000Z`
const question = { role: 'user', content: 'Where is it?' }
const calling = {
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"where":"hall"}' } }],
}
const looked = { role: 'tool', tool_call_id: 'c1', content: 'two' }
const answer = { role: 'assistant', content: 'On the table.' }
const reported = [question, calling, looked]

const observation = (second: number, type: string, fields: object) => ({
  id: `o${second}`,
  traceId: 't',
  parentObservationId: second === 1 ? null : 'o1',
  type,
  name: 'work',
  startTime: at(second),
  endTime: at(second + 1),
  ...fields,
})
const trace = {
  id: 't',
  name: 'A search',
  timestamp: at(0),
  sessionId: 's',
  userId: 'u',
  tags: ['lamp'],
  scores: [{ name: 'good', value: 1, source: 'API', comment: 'Well done.' }],
  corrections: [{ name: 'output', source: 'ANNOTATION', longStringValue: 'In the hall.' }],
}
const langfuse: Sample[] = [
  {
    format: 'langfuse',
    shape: 'rows whose values are texts of JSON',
    records: [
      observation(1, 'AGENT', { input: JSON.stringify({ messages: [question] }), output: null }),
      observation(2, 'GENERATION', { model: 'm', input: JSON.stringify(reported), output: JSON.stringify(answer) }),
      observation(3, 'SPAN', { level: 'ERROR', statusMessage: 'It broke.' }),
    ],
  },
  {
    format: 'langfuse',
    shape: 'other work',
    records: [
      observation(1, 'GENERATION', { input: [question], output: answer }),
      observation(2, 'RETRIEVER', { input: 'Where is it?', output: ['A page.'] }),
    ],
  },
  {
    format: 'langfuse',
    shape: 'a session',
    records: [{ id: 's', traces: [{ ...trace, input: 'Where is it?', output: 'On the table.', observations: [] }] }],
  },
  {
    format: 'langfuse',
    shape: 'a tool and contents of Gemini',
    records: [
      {
        trace,
        observations: [
          observation(1, 'TOOL', {
            name: 'look',
            input: { where: 'hall' },
            output: { tool_call_id: 'k', content: 'two' },
          }),
          observation(2, 'GENERATION', {
            input: {
              contents: [{ role: 'user', parts: [{ text: 'Where is it?' }] }],
              config: { system_instruction: 'Be brief.' },
            },
            output: { candidates: [{ content: { role: 'model', parts: [{ text: 'On the table.' }] } }] },
          }),
        ],
      },
    ],
  },
]

const run = (number: number, type: string, fields: object) => ({
  id: `r${number}`,
  trace_id: 'r1',
  parent_run_id: number === 1 ? null : 'r1',
  run_type: type,
  name: 'look',
  start_time: at(number),
  end_time: at(number + 1),
  ...fields,
})
const langsmith: Sample[] = [
  {
    format: 'langsmith',
    shape: 'a chain with a model and a tool',
    records: [
      {
        runs: [
          {
            ...run(1, 'chain', {
              inputs: { question: 'Where is it?' },
              outputs: { answer: 'On the table.' },
              extra: { metadata: { thread_id: 'k', user_id: 'u' } },
              tags: ['lamp'],
              feedback: [{ key: 'good', score: 1, comment: 'Well done.' }],
            }),
            child_runs: [
              run(2, 'llm', {
                inputs: { messages: [reported] },
                outputs: { generations: [[{ text: 'On the table.', message: answer }]] },
                error: 'It broke.',
              }),
              run(3, 'tool', { inputs: { input: '{"where":"hall"}' }, outputs: { output: looked } }),
            ],
          },
        ],
      },
    ],
  },
  {
    format: 'langsmith',
    shape: 'other work',
    records: [
      run(1, 'llm', { inputs: { messages: [[question]] }, outputs: answer }),
      run(2, 'retriever', { inputs: { query: 'Where is it?' }, outputs: { documents: [{ text: 'A page.' }] } }),
    ],
  },
]

const call = (number: number, operation: string, fields: object) => ({
  id: `k${number}`,
  op_name: `weave:///team/app/op/${operation}:abc`,
  trace_id: 'k1',
  parent_id: number === 1 ? null : 'k1',
  started_at: at(number),
  ended_at: at(number + 1),
  ...fields,
})
const weave: Sample[] = [
  {
    format: 'weave',
    shape: 'an operation with a model and a tool',
    records: [
      {
        calls: [
          call(1, 'answer', {
            inputs: { question: 'Where is it?' },
            output: 'On the table.',
            display_name: 'A search',
          }),
          call(2, 'chat', { inputs: { model: 'm', messages: reported }, output: { choices: [{ message: answer }] } }),
          call(3, 'look', {
            attributes: { kind: 'tool' },
            inputs: { where: 'hall' },
            output: 'two',
            exception: 'It broke.',
          }),
        ],
      },
    ],
  },
]

const span = (number: number, name: string, attributes: Record<string, unknown>, events: object[] = []) => ({
  traceId: 't',
  spanId: `s${number}`,
  ...(number > 1 && { parentSpanId: 's1' }),
  name,
  startTimeUnixNano: `176726201${number}000000000`,
  endTimeUnixNano: `176726201${number}500000000`,
  attributes: attributesOf(attributes),
  events,
})
const attributesOf = (attributes: Record<string, unknown>) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: { stringValue: typeof value === 'string' ? value : JSON.stringify(value) },
  }))
const event = (name: string, attributes: Record<string, unknown>) => ({ name, attributes: attributesOf(attributes) })
const spans = (shape: string, ...all: object[]): Sample => ({
  format: 'otel-genai',
  shape,
  records: [{ resourceSpans: [{ scopeSpans: [{ spans: all }] }] }],
})
const otel: Sample[] = [
  spans(
    'an agent with a model and a tool',
    span(1, 'invoke_agent', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'helper' }),
    span(2, 'chat', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
      'gen_ai.input.messages': [
        { role: 'user', parts: [{ type: 'text', content: 'Where is it?' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'look', arguments: { where: 'hall' } }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'two' }] },
      ],
      'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'On the table.' }] }],
    }),
    span(3, 'execute_tool look', {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.call.arguments': { where: 'hall' },
      'gen_ai.tool.call.result': 'two',
      'gen_ai.tool.description': 'Looks for things.',
    }),
  ),
  spans(
    'other work',
    span(1, 'chat', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt': 'Where is it?',
      'gen_ai.completion': 'There.',
    }),
    span(2, 'retrieve', { 'openinference.span.kind': 'RETRIEVER', 'input.value': 'Where?', 'output.value': 'A page.' }),
  ),
  spans(
    'numbered attributes of OpenLLMetry',
    span(1, 'chat', {
      'traceloop.span.kind': 'LLM',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Where is it?',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'On the table.',
    }),
  ),
  spans(
    'numbered attributes of OpenInference',
    span(1, 'chat', {
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Where is it?',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'On the table.',
    }),
  ),
  spans(
    'events',
    span(1, 'chat', { 'gen_ai.operation.name': 'chat' }, [
      event('gen_ai.user.message', { content: 'Where is it?' }),
      event('gen_ai.choice', { content: 'On the table.', index: '0' }),
      event('exception', { 'exception.message': 'It broke.', 'exception.stacktrace': 'At line 1 of it.' }),
    ]),
  ),
  {
    format: 'otel-genai',
    shape: 'a span of the JavaScript SDK',
    records: [
      {
        name: 'chat',
        spanContext: { traceId: 't', spanId: 's2' },
        parentSpanContext: { traceId: 't', spanId: 's1' },
        startTime: [1767262011, 0],
        endTime: [1767262012, 0],
        attributes: { 'gen_ai.prompt': 'Where is it?', 'gen_ai.completion': 'On the table.' },
        status: { code: 2, message: 'It broke.' },
        events: [{ name: 'exception', time: [1767262012, 0], attributes: { 'exception.message': 'It is late.' } }],
      },
    ],
  },
  {
    format: 'otel-genai',
    shape: 'a row of Logfire',
    records: [
      {
        start_timestamp: at(1),
        end_timestamp: at(2),
        trace_id: 't',
        span_id: 's2',
        parent_span_id: 's1',
        span_name: 'chat',
        message: 'chat with m',
        exception_message: 'It broke.',
        is_exception: true,
        attributes: {
          'gen_ai.operation.name': 'chat',
          request_data: { messages: [question] },
          response_data: { message: answer },
        },
      },
    ],
  },
  ...[[], [{ traceId: 't', eventName: 'other', body: { stringValue: 'The program starts.' } }]].map(
    (others): Sample => ({
      format: 'otel-genai',
      shape: others.length > 0 ? 'log records with others' : 'log records',
      records: [
        {
          resourceLogs: [
            {
              scopeLogs: [
                {
                  logRecords: [
                    { traceId: 't', eventName: 'gen_ai.user.message', body: { content: 'Where is it?' } },
                    {
                      traceId: 't',
                      eventName: 'gen_ai.choice',
                      body: { index: 0, message: { content: 'On the table.' } },
                    },
                    ...others,
                  ],
                },
              ],
            },
          ],
        },
      ],
    }),
  ),
]

/** Traces with more than the call of one model. */
export const traces: readonly Sample[] = [...langfuse, ...langsmith, ...weave, ...otel]
