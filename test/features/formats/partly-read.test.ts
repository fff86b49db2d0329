import { parse, parseStream, type Transcript, TranscriptFileError } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { observation, read, span, turnsOf } from './trace-records.js'

const lines = (...records: object[]) => records.map((record) => JSON.stringify(record)).join('\n')

/** The transcripts of a file, and its problems. */
async function partsOf(file: string) {
  const transcripts: Transcript[] = []
  try {
    for await (const transcript of parseStream([file])) transcripts.push(transcript)
  } catch (error) {
    if (!(error instanceof TranscriptFileError)) throw error
    return { ids: transcripts.map(({ externalId }) => externalId), problems: error.problems }
  }
  return { ids: transcripts.map(({ externalId }) => externalId), problems: [] }
}

const at = (second: number) => `2026-01-01T10:00:0${second}Z`
const langfuse = (second: number, input: unknown, output: unknown) => ({
  trace: { id: `t${second}`, timestamp: at(second), input, output },
  observations: [],
})
const langsmith = (second: number, inputs: unknown, outputs: unknown) => ({
  id: `t${second}`,
  trace_id: `t${second}`,
  run_type: 'chain',
  start_time: at(second),
  inputs,
  outputs,
})
const weave = (second: number, inputs: unknown, output: unknown) => ({
  id: `t${second}`,
  op_name: 'weave:///team/app/op/answer:abc',
  trace_id: `t${second}`,
  started_at: at(second),
  inputs,
  output,
})
const otel = (second: number, input: unknown, output: unknown) => {
  const attributes = { 'input.value': input, 'output.value': output }
  const filled = Object.entries(attributes).filter(([, value]) => value !== null)
  const file = span('work', { 'openinference.span.kind': 'CHAIN', ...Object.fromEntries(filled) }, second)
  return JSON.parse(JSON.stringify(file).replaceAll('"traceId":"t"', `"traceId":"t${second}"`)) as object
}

describe.each<[string, (second: number, input: unknown, output: unknown) => object]>([
  ['Langfuse', langfuse],
  ['LangSmith', langsmith],
  ['Weave', weave],
  ['OpenTelemetry', otel],
])('a trace of %s without speech', (_, write) => {
  it('is a problem with its id and its line, and the other traces are read', async () => {
    const file = lines(write(1, 'Where is it?', 'There.'), write(2, null, null), write(3, 'And now?', 'Gone.'))
    const { ids, problems } = await partsOf(file)
    expect(ids).toEqual(['t1', 't3'])
    expect(problems).toMatchObject([{ record: 2, line: 2, message: expect.stringContaining('(id "t2")') }])
    expect(() => parse(file)).toThrow('(id "t2")')
  })
})

it('a trace of another program in a file of OpenTelemetry is a loss', () => {
  const request = span('GET /health', { 'http.request.method': 'GET', 'url.path': '/health' })
  const other = JSON.parse(JSON.stringify(request).replaceAll('"traceId":"t"', '"traceId":"u"')) as object
  expect(read(other, otel(1, 'Where is it?', 'There.'))).toMatchObject([
    { turns: ['user: Where is it?', 'assistant: There.'], losses: expect.stringContaining('trace of another program') },
  ])
})

it('a chain below a request of HTTP is the run', () => {
  const spans = (file: ReturnType<typeof span>) => file.resourceSpans[0]?.scopeSpans[0]?.spans ?? []
  const request = spans(span('POST /chat', { 'http.request.method': 'POST' }))
  const attributes = { 'openinference.span.kind': 'CHAIN', 'input.value': 'Where is it?', 'output.value': 'There.' }
  const chain = spans(span('answer', attributes, 1)).map((each) => ({ ...each, parentSpanId: 'POST-/chat-0' }))
  const rewritten = {
    'openinference.span.kind': 'LLM',
    'input.value': 'Rewrite: Where is it?',
    'output.value': 'Where?',
  }
  const model = spans(span('model', rewritten, 2)).map((each) => ({ ...each, parentSpanId: 'answer-1' }))
  const file = (...all: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] })
  expect(turnsOf(file(...request, ...chain))).toEqual([['user: Where is it?', 'assistant: There.']])
  expect(read(file(...request, ...chain, ...model))).toMatchObject([
    {
      turns: ['user: Where is it?', 'assistant: There.'],
      losses: expect.stringContaining('model call with other messages'),
    },
  ])
})

it('a text that may be an id yields to the messages of a model call, and is a loss', () => {
  const whole = observation({ thread: 'k-17' }, { state: 'done' }, { id: 'o0', type: 'SPAN' })
  const call = observation([{ role: 'user', content: 'Hi' }], 'Hello.', { id: 'o1', parentObservationId: 'o0' })
  expect(read(whole, call)).toEqual([
    {
      format: 'langfuse',
      turns: ['user: Hi', 'assistant: Hello.'],
      losses: 'dropped 2 input or output without messages: the messages beside it are read instead',
    },
  ])
})

describe('a failed request', () => {
  const ofChat = {
    id: 'b1',
    custom_id: 'q1',
    response: { status_code: 200, body: { choices: [{ message: { role: 'assistant', content: 'Hi.' } }] } },
    error: null,
  }
  const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }
  const ofResponses = {
    id: 'b1',
    custom_id: 'q1',
    response: { status_code: 200, body: { object: 'response', id: 'r1', output: [item] } },
    error: null,
  }
  const expired = { id: 'b2', custom_id: 'q2', response: null, error: { code: 'batch_expired', message: 'Too late.' } }
  const refused = {
    custom_id: 'q3',
    response: { status_code: 400, body: { error: { type: 'invalid_request_error', message: 'Too long.' } } },
  }
  const failed = {
    custom_id: 'q4',
    response: {
      status_code: 200,
      body: { object: 'response', status: 'failed', output: [], error: { code: 'server_error', message: 'Broken.' } },
    },
  }
  const ofAnthropic = {
    custom_id: 'q1',
    result: {
      type: 'succeeded',
      message: { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
    },
  }
  const errored = {
    custom_id: 'q2',
    result: { type: 'errored', error: { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } } },
  }
  const trial = { task_id: 1, trial: 0, reward: 1, info: {}, traj: [{ role: 'user', content: 'Hi.' }] }
  const crashed = { task_id: 2, trial: 0, reward: 0, info: { error: 'No quota.' }, traj: [] }
  const sample = { id: 1, epoch: 1, input: 'Hi.', messages: [{ role: 'user', content: 'Hi.' }] }
  const ended = { id: 2, epoch: 1, input: '', messages: [], error: { message: 'No model.', traceback: '' } }
  const head = { version: 2, status: 'success', eval: { task: 'greet', run_id: 'r' } }

  it.each<[string, object[], (readonly [number, string])[]]>([
    [
      'of a batch of chat completions',
      [expired, ofChat, refused],
      [
        [1, 'the request "q2" has no answer: batch_expired: Too late.'],
        [3, 'the request "q3" has no answer: status 400: invalid_request_error: Too long.'],
      ],
    ],
    [
      'of a batch of responses',
      [expired, refused, ofResponses, failed],
      [
        [1, 'the request "q2" has no answer: batch_expired: Too late.'],
        [2, 'the request "q3" has no answer: status 400: invalid_request_error: Too long.'],
        [4, 'the request "q4" has no answer: server_error: Broken.'],
      ],
    ],
    [
      'of a batch of Anthropic',
      [
        ofAnthropic,
        errored,
        { custom_id: 'q3', result: { type: 'expired' } },
        { custom_id: 'q4', result: { type: 'canceled' } },
      ],
      [
        [2, 'the request "q2" has no answer: errored: overloaded_error: Busy.'],
        [3, 'the request "q3" has no answer: expired'],
        [4, 'the request "q4" has no answer: canceled'],
      ],
    ],
    ['of tau-bench', [trial, crashed], [[2, 'the record "2:0" has no messages: No quota.']]],
    ['of Inspect', [head, sample, ended], [[3, 'the record "r:2:1" has no messages: No model.']]],
  ])('is skipped and named with its line %s; the others are read', (_, records, skipped) => {
    const parsed = parse(lines(...records))
    expect(parsed.transcripts.map(({ turns }) => turns.map(({ content }) => content))).toEqual([['Hi.']])
    expect(parsed.skipped.map(({ line, message }) => [line, message])).toEqual(skipped)
  })

  it.each<[string, object[]]>([
    ['chat completions', [expired, refused]],
    ['responses', [failed]],
    ['Anthropic', [errored]],
    ['tau-bench', [crashed]],
  ])('refuses a file with nothing else, with the reasons: %s', (_, records) => {
    expect(() => parse(lines(...records))).toThrow(/^(line \d, column 1: the (request|record) "\S+" has no .+\n?)+$/)
  })
})

it('names the fields of a message without content, and calls no message empty that holds a text', () => {
  const messages = [
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content: '', note: 'The customer is angry' },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: 'In Oslo.' },
  ]
  const [transcript] = parse(JSON.stringify({ messages })).transcripts
  expect(transcript?.losses.map(({ what, count }) => `${count} ${what}`).sort()).toEqual([
    '1 empty message',
    '1 field "note"',
    '1 message without content',
  ])
})

const answer = { message: { role: 'assistant', content: 'Hello' } }
const batchRow = (id: string, body: object, more: object = {}) => ({ custom_id: id, response: { body }, ...more })
const answered = batchRow('a', { id: 'r', model: 'm', choices: [answer] })

it('names what nobody read of a skipped record with its reason, and refuses it if it is strict', () => {
  const failed = batchRow('b', { error: { message: 'Too late.', hint: 'Ask again at noon' } })
  const file = [answered, failed].map((row) => JSON.stringify(row)).join('\n')
  const { transcripts, skipped } = parse(file)
  expect(transcripts).toMatchObject([{ turns: [{ content: 'Hello' }] }])
  expect(skipped).toMatchObject([{ record: 2, losses: [{ what: 'field "hint"', count: 1 }] }])
  expect(() => parse(file, { strict: true })).toThrow('hint')
})
