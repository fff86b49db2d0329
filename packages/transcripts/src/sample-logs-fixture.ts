import type { SampleFile } from './sample-file-fixture.js'

const at = (second: number) => `2026-01-01T10:00:0${second}.000Z`
const text = (words: string) => [{ type: 'text', text: words }]
const talk = ['user: Grüße 😀?', 'assistant: [tool call: look]', 'tool: zwei ✓', 'assistant: Zwei ✓.']

const claudeLine = (number: number, type: string, message: object) => ({
  type,
  sessionId: 's',
  isSidechain: false,
  cwd: '/r',
  version: '2.1.0',
  uuid: `u${number}`,
  parentUuid: number === 1 ? null : `u${number - 1}`,
  timestamp: at(number),
  message,
})
const claude = (id: string, content: unknown) => ({ id, role: 'assistant', model: 'claude-x', content })
const use = { type: 'tool_use', id: 't1', name: 'look', input: { where: 'Köln' } }
const used = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'zwei ✓' }] }

const codexLine = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload })
const codexSays = (role: string, type: string, words: string) => ({
  type: 'message',
  role,
  content: [{ type, text: words }],
})

const managed = (id: string, type: string, fields: object) => [
  'client.beta.sessions.events.stream',
  { id, type, processed_at: at(1), ...fields },
]

const spanOf = (name: string, value: unknown) => ({ key: name, value: { stringValue: value } })
const part = (role: string, ...parts: object[]) => ({ role, parts })

const observed = (id: string, second: number, input: unknown, output: unknown) => ({
  id,
  traceId: 't',
  type: 'GENERATION',
  name: 'chat',
  startTime: at(second),
  endTime: at(second + 1),
  input,
  output,
})
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"where":"Köln"}' } }
const history = [
  { role: 'user', content: 'Grüße 😀?' },
  { role: 'assistant', content: '', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'zwei ✓' },
]
const message = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', name],
  kwargs,
})

/** Of the formats that write down a run as it goes. */
export const sampleLogs = {
  'claude-code': {
    records: [
      claudeLine(1, 'user', { role: 'user', content: 'Grüße 😀?' }),
      claudeLine(2, 'assistant', claude('m1', [use])),
      claudeLine(3, 'user', used),
      claudeLine(4, 'assistant', claude('m2', text('Zwei ✓.'))),
    ],
    said: talk,
  },
  'claude-agent-sdk': {
    records: [
      { type: 'system', subtype: 'init', session_id: 's', model: 'claude-x', cwd: '/r', tools: ['look'] },
      { type: 'assistant', session_id: 's', parent_tool_use_id: null, message: claude('m1', text('Grüße 😀')) },
      { type: 'assistant', session_id: 's', parent_tool_use_id: null, message: claude('m2', [use]) },
      { type: 'user', session_id: 's', parent_tool_use_id: null, message: used },
      { type: 'assistant', session_id: 's', parent_tool_use_id: null, message: claude('m3', text('Zwei ✓.')) },
      { type: 'result', subtype: 'success', session_id: 's', result: 'Zwei ✓.', num_turns: 3 },
    ],
    said: ['assistant: Grüße 😀', ...talk.slice(1)],
  },
  'anthropic-managed-agents': {
    records: [
      ['client.beta.sessions.create', { type: 'session', id: 's', title: 'T', created_at: at(0) }],
      managed('1', 'user.message', { content: text('Grüße 😀?') }),
      managed('2', 'agent.custom_tool_use', { name: 'look', input: { where: 'Köln' } }),
      managed('3', 'user.custom_tool_result', { custom_tool_use_id: '2', content: text('zwei ✓') }),
      managed('4', 'agent.message', { content: text('Zwei ✓.') }),
    ],
    said: talk,
  },
  codex: {
    records: [
      codexLine(0, 'session_meta', { id: 's1', timestamp: at(0), cwd: '/r', cli_version: '0.60.0', source: 'cli' }),
      codexLine(1, 'response_item', codexSays('user', 'input_text', 'Grüße 😀?')),
      codexLine(2, 'response_item', { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }),
      codexLine(3, 'response_item', { type: 'function_call_output', call_id: 'c', output: 'zwei ✓' }),
      codexLine(4, 'response_item', codexSays('assistant', 'output_text', 'Zwei ✓.')),
    ],
    said: talk,
  },
  'codex-exec': {
    records: [
      { type: 'thread.started', thread_id: 't1' },
      { type: 'item.completed', item: { id: 'm', type: 'agent_message', text: 'Grüße 😀' } },
      { type: 'turn.completed', usage: { input_tokens: 1 } },
    ],
    said: ['assistant: Grüße 😀'],
  },
  'gemini-cli': {
    records: [
      {
        sessionId: 's-1',
        projectHash: 'abc',
        startTime: at(0),
        lastUpdated: at(3),
        messages: [
          { id: '1', timestamp: at(1), type: 'user', content: 'Grüße 😀?' },
          { id: '2', timestamp: at(2), type: 'gemini', content: 'Hallo ✓', model: 'g-3' },
        ],
      },
    ],
    said: ['user: Grüße 😀?', 'assistant: Hallo ✓'],
  },
  inspect: {
    records: [
      {
        version: 2,
        status: 'success',
        eval: { task: 'sums', run_id: 'run', eval_id: 'ev', model: 'lab/model', created: at(0) },
        samples: [
          {
            id: 1,
            epoch: 1,
            input: 'Grüße 😀?',
            messages: [
              { role: 'user', content: 'Grüße 😀?' },
              { role: 'assistant', content: 'Hallo ✓' },
            ],
          },
        ],
      },
    ],
    said: ['user: Grüße 😀?', 'assistant: Hallo ✓'],
  },
  langfuse: {
    records: [
      {
        trace: { id: 't', name: 'chat', timestamp: at(0), tags: [], input: null, output: null },
        observations: [observed('o1', 1, history, { role: 'assistant', content: 'Zwei ✓.' })],
      },
    ],
    said: talk,
  },
  langsmith: {
    records: [
      {
        id: 'r1',
        trace_id: 'r1',
        dotted_order: '20260101T100000000000Zr1',
        parent_run_id: null,
        run_type: 'llm',
        name: 'chat',
        start_time: at(0),
        end_time: at(1),
        inputs: { messages: [[message('HumanMessage', { content: 'Grüße 😀?' })]] },
        outputs: { generations: [[{ text: '', message: message('AIMessage', { content: 'Hallo ✓' }) }]] },
      },
    ],
    said: ['user: Grüße 😀?', 'assistant: Hallo ✓'],
  },
  weave: {
    records: [
      {
        id: 'c1',
        op_name: 'weave:///team/app/op/openai.chat.completions.create:abc',
        trace_id: 'c1',
        parent_id: null,
        started_at: at(0),
        ended_at: at(1),
        inputs: { model: 'm', messages: [{ role: 'user', content: 'Grüße 😀?' }] },
        output: { model: 'm', choices: [{ message: { role: 'assistant', content: 'Hallo ✓' } }] },
      },
    ],
    said: ['user: Grüße 😀?', 'assistant: Hallo ✓'],
  },
  'otel-genai': {
    records: [
      {
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: 't1',
                    spanId: 's1',
                    name: 'chat',
                    startTimeUnixNano: '1767225600000000000',
                    endTimeUnixNano: '1767225601000000000',
                    attributes: [
                      spanOf('gen_ai.operation.name', 'chat'),
                      spanOf(
                        'gen_ai.input.messages',
                        JSON.stringify([part('user', { type: 'text', content: 'Grüße 😀?' })]),
                      ),
                      spanOf(
                        'gen_ai.output.messages',
                        JSON.stringify([part('assistant', { type: 'text', content: 'Hallo ✓' })]),
                      ),
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
    said: ['user: Grüße 😀?', 'assistant: Hallo ✓'],
  },
} satisfies Record<string, SampleFile>
