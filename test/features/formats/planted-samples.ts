import type { FormatId } from '@svc/transcripts'
import { sampleFiles } from '../../../packages/transcripts/test/fixtures/sample-files.js'
import { isLong } from '../../helpers/long.js'
import { caseFileOf, casesIn } from './cases.js'
import { traces } from './planted-traces.js'

/** A small file of a format: its records, and how they are written. Default: one on each line as JSON. */
export interface Sample {
  format: FormatId
  shape: string
  records: unknown[]
  write?: (records: unknown[]) => string
}

const at = (second: number) => `2026-01-01T10:00:0${second}.000Z`
const question = [{ role: 'user', content: 'Where is it?' }]
const answer = { role: 'assistant', content: 'On the table.' }
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"where":"hall"}' } }
const choices = [{ index: 0, message: answer, finish_reason: 'stop' }]
const chat = (shape: string, record: unknown): Sample => ({ format: 'openai-chat', shape, records: [record] })

const chats: Sample[] = [
  chat('messages and a text as output', { messages: question, output: 'On the table.' }),
  chat('messages and a response', { messages: question, response: { model: 'm', choices } }),
  chat('messages and a completion', { messages: question, completion: answer }),
  chat('a request and a text as response', { request: { messages: question }, response: 'On the table.' }),
  chat('a logged request and response', {
    request: { method: 'POST', body: { messages: question } },
    response: { status_code: 200, body: { choices } },
  }),
  chat('an input with messages and an output', { input: { messages: question }, output: answer }),
  chat('a list as input and a text as output', { input: question, output: 'On the table.' }),
  chat('a list as input and a message as output', { input: question, output: answer }),
  chat('a prompt and a completion', { prompt: question, completion: [answer] }),
  {
    format: 'pairs',
    shape: 'a prompt and a completion',
    records: [{ prompt: 'Where is it?', completion: 'On the table.' }],
  },
  {
    format: 'pairs',
    shape: 'an input and an output',
    records: [{ input: 'Where is it?', output: 'On the table.', name: 'A title' }],
  },
  chat('a batch', { custom_id: 'q', response: { status_code: 200, body: { id: 'r', choices } }, error: null }),
  chat('parts, a refusal and thoughts', {
    title: 'A title',
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', name: 'Ada', content: [{ type: 'text', text: 'Where?' }] },
      { role: 'assistant', content: 'Well.', refusal: 'I cannot say.', reasoning_content: 'Let me see.' },
    ],
  }),
]

const block = (text: string) => ({ type: 'text', text })
const anthropic: Sample[] = [
  {
    format: 'anthropic-messages',
    shape: 'a logged pair',
    records: [
      {
        request: { model: 'x', system: 'Be brief.', messages: question },
        response: { id: 'm', type: 'message', role: 'assistant', content: [block('Here.')], stop_reason: 'end_turn' },
      },
    ],
  },
  {
    format: 'anthropic-messages',
    shape: 'a batch',
    records: [{ custom_id: 'q', params: { model: 'x', messages: question } }],
  },
]

const codexLine = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload })
const logs: Sample[] = [
  {
    format: 'codex',
    shape: 'events',
    records: [
      codexLine(0, 'session_meta', { id: 's1', timestamp: at(0), cwd: '/r', git: { branch: 'main' } }),
      codexLine(1, 'turn_context', { model: 'gpt-x', cwd: '/r' }),
      codexLine(1, 'event_msg', { type: 'user_message', message: 'Where is it?' }),
      codexLine(2, 'event_msg', { type: 'exec_command_end', call_id: 'k', command: ['ls'], stdout: 'a.txt' }),
      codexLine(3, 'event_msg', { type: 'agent_message', message: 'On the table.' }),
      codexLine(4, 'event_msg', { type: 'error', message: 'The stream broke.' }),
    ],
  },
  {
    format: 'codex-exec',
    shape: 'tools',
    records: [
      { type: 'thread.started', thread_id: 't1' },
      { type: 'item.completed', item: { id: 'r', type: 'reasoning', text: 'Let me see.' } },
      {
        type: 'item.completed',
        item: { id: 'c', type: 'command_execution', command: 'ls', aggregated_output: 'a.txt', exit_code: 0 },
      },
      { type: 'item.completed', item: { id: 'm', type: 'agent_message', text: 'On the table.' } },
      { type: 'turn.failed', error: { message: 'The stream broke.' } },
    ],
  },
  {
    format: 'gemini-cli',
    shape: 'tools',
    records: [
      {
        sessionId: 's-1',
        projectHash: 'abc',
        startTime: at(0),
        summary: 'A search',
        messages: [
          { id: '1', timestamp: at(1), type: 'user', content: 'Where is it?' },
          {
            id: '2',
            timestamp: at(2),
            type: 'gemini',
            content: [{ text: 'I look.' }],
            thoughts: [{ subject: 'Plan', description: 'Look around.' }],
            toolCalls: [
              {
                id: 'k',
                name: 'look',
                args: { where: 'hall' },
                result: [{ functionResponse: { id: 'k', name: 'look', response: { output: 'two' } } }],
                resultDisplay: 'two',
                status: 'success',
              },
            ],
          },
          { id: '3', timestamp: at(3), type: 'info', content: 'A notice.' },
        ],
      },
    ],
  },
  {
    format: 'inspect',
    shape: 'tools and scores',
    records: [
      {
        version: 2,
        status: 'success',
        eval: { task: 'sums', run_id: 'run', eval_id: 'ev', model: 'lab/model', created: at(0) },
        samples: [
          {
            id: 1,
            epoch: 1,
            input: 'Where is it?',
            target: 'table',
            messages: [
              { role: 'user', content: 'Where is it?' },
              {
                role: 'assistant',
                content: 'I look.',
                tool_calls: [{ id: 'k', function: 'look', arguments: { at: 'hall' } }],
              },
              {
                role: 'tool',
                tool_call_id: 'k',
                function: 'look',
                content: 'two',
                error: { type: 'x', message: 'Broken.' },
              },
              answer,
            ],
            output: { model: 'm', choices: [{ message: answer, stop_reason: 'stop' }] },
            scores: { match: { value: 'C', answer: 'table', explanation: 'It is right.' } },
            metadata: { level: 'easy one' },
          },
        ],
      },
    ],
  },
]

const desks: Sample[] = [
  {
    format: 'vapi',
    shape: 'tools',
    records: [
      {
        id: 'call-1',
        startedAt: at(0),
        endedReason: 'customer-ended-call',
        transcript: 'AI: Hello',
        analysis: { summary: 'A short call.' },
        messages: [
          { role: 'bot', message: 'Hello', time: 1_760_000_000_500, secondsFromStart: 1 },
          { role: 'user', message: 'Where is it?', time: 1_760_000_001_500, secondsFromStart: 2 },
          { role: 'tool_calls', message: 'Tool Call', toolCalls: [call], secondsFromStart: 3 },
          { role: 'tool_call_result', name: 'look', toolCallId: 'c1', result: 'two', secondsFromStart: 4 },
        ],
      },
    ],
  },
  {
    format: 'zendesk',
    shape: 'a ticket',
    records: [
      {
        id: 7,
        subject: 'A lamp',
        status: 'open',
        tags: ['lamp'],
        requester_id: 1,
        users: [{ id: 1, role: 'end-user' }],
        comments: [
          { id: 1, author_id: 1, plain_body: 'It is broken.', public: true, created_at: at(1) },
          { id: 2, author_id: 2, html_body: '<p>Send it.</p>', public: true, created_at: at(2) },
        ],
      },
    ],
  },
  {
    format: 'ui-messages',
    shape: 'tools',
    records: [
      {
        id: 'chat',
        title: 'A title',
        messages: [
          { id: '1', role: 'user', parts: [block('Where is it?')] },
          {
            id: '2',
            role: 'assistant',
            metadata: { mood: 'very calm' },
            parts: [
              { type: 'reasoning', text: 'Let me see.' },
              { type: 'tool-look', toolCallId: 'k', state: 'output-available', input: { at: 'hall' }, output: 'two' },
              { type: 'source-url', sourceId: 's', url: 'https://example.com', title: 'A page' },
              { type: 'step-start' },
              block('On the table.'),
            ],
          },
        ],
      },
    ],
  },
  {
    format: 'swe-agent',
    shape: 'a trajectory alone',
    records: [
      {
        environment: 'main',
        trajectory: [{ response: 'I look.', thought: 'Look', action: 'ls', observation: 'a.txt' }],
        info: { exit_status: 'submitted', submission: 'diff' },
      },
    ],
  },
]

/** The first case of each format, but for two whose cases drop messages as a whole: `logs` has others of them. */
const bases: Sample[] = Object.entries(sampleFiles).flatMap(([format, { records }]) =>
  records === undefined || format === 'inspect' || format === 'swe-agent'
    ? []
    : [{ format: format as FormatId, shape: 'the sample of the format', records }],
)

/** One of the records that a program puts around the transcripts, and what stands in the wrapping beside them. */
const wrapped: Sample[] = ['data', 'results', 'items', 'conversations', 'threads'].flatMap((name): Sample[] => {
  const records = [{ messages: [...question, answer] }]
  return [
    { format: 'openai-chat', shape: `wrapped in ${name}`, records: [{ [name]: records, note: 'some words' }] },
    {
      format: 'openai-chat',
      shape: `wrapped in result and ${name}`,
      records: [{ result: { [name]: records, note: 'some words' } }],
    },
  ]
})

/** A table with a header; a value that is no text is written as JSON. */
function tableOf(rows: unknown[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row as object)))]
  const cell = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  const line = (cells: string[]) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')
  const cellsOf = (row: unknown) => columns.map((column) => cell((row as Record<string, unknown>)[column]))
  return [line(columns), ...rows.map((row) => line(cellsOf(row)))].join('\n')
}

const row = { conversation_id: 'k', user_id: 'u', name: 'A title', model: 'm' }
const table: Sample = {
  format: 'table',
  shape: 'a row for each message',
  records: [
    { ...row, role: 'user', content: 'Where is it?', created_at: at(1), mood: 'calm' },
    { ...row, role: 'assistant', content: 'I look.', created_at: at(2), tool_name: 'look', tool_args: '{"at":"hall"}' },
    { ...row, role: 'assistant', content: 'On the table.', created_at: at(3) },
  ],
  write: tableOf,
}

/** Files of every format, in the shapes and wrappings that the importers know. */
/** Each case of OpenHands that is a log. An instance that failed is skipped with its reason. */
const logsOfEvents = casesIn(caseFileOf('openhands'))
  .filter(({ name, text }) => text.includes('\n') && !name.includes('failed'))
  .filter((_, index) => isLong || index % 3 === 0)
  .map(({ name, text }): Sample => {
    return { format: 'openhands', shape: name, records: text.split('\n').map((line) => JSON.parse(line)) }
  })

export const samples: readonly Sample[] = [
  ...bases,
  ...logsOfEvents,
  ...chats,
  ...anthropic,
  ...logs,
  ...desks,
  ...traces,
  table,
  ...wrapped,
]
