import { describe, expect, it } from 'vitest'
import { modelSpan, observation, read, span } from './trace-records.js'

const question = [{ role: 'user', content: 'Where is it?' }]
const asked = 'user: Where is it?'
const first = 'On the table.'
const second = 'Under the bed.'
const answer = (content: string, more: object = {}) => ({ role: 'assistant', content, ...more })
const ended = { finish_reason: 'stop' }
const run = (outputs: unknown) => ({
  id: 'r1',
  trace_id: 'r1',
  run_type: 'llm',
  start_time: '2026-01-01T10:00:00Z',
  inputs: { messages: question },
  outputs,
})
const call = (output: unknown) => ({
  id: 'k1',
  op_name: 'weave:///team/app/op/chat:abc',
  trace_id: 'k1',
  inputs: { model: 'm', messages: question },
  output,
})
const chat = (attributes: Record<string, unknown>) => span('chat', { 'gen_ai.operation.name': 'chat', ...attributes })
const ofOpenInference = (...messages: Record<string, unknown>[]) =>
  span('chat', {
    'openinference.span.kind': 'LLM',
    'input.value': { messages: question },
    ...Object.fromEntries(
      messages.flatMap((fields, at) =>
        Object.entries(fields).map(([key, value]) => [`llm.output_messages.${at}.message.${key}`, value]),
      ),
    ),
  })
const logged = (...records: (readonly [string, object])[]) => ({
  resourceLogs: [
    {
      scopeLogs: [{ logRecords: records.map(([eventName, body]) => ({ traceId: 't', spanId: 's', eventName, body })) }],
    },
  ],
})

const generation = (text: string) => ({ text, message: answer(text), type: 'ChatGeneration' })
const parts = (text: string) => ({ role: 'assistant', parts: [{ type: 'text', content: text }] })
const userParts = [{ role: 'user', parts: [{ type: 'text', content: 'Where is it?' }] }]

describe('two choices of a model', () => {
  it.each<[string, object]>([
    [
      'messages of OpenTelemetry that each say why they ended',
      chat({
        'gen_ai.input.messages': userParts,
        'gen_ai.output.messages': [first, second].map((text) => ({ ...parts(text), ...ended })),
      }),
    ],
    [
      'messages of OpenTelemetry with two texts',
      chat({ 'gen_ai.input.messages': userParts, 'gen_ai.output.messages': [parts(first), parts(second)] }),
    ],
    [
      'numbered completions',
      chat({ 'gen_ai.prompt': question, 'gen_ai.completion.0.content': first, 'gen_ai.completion.1.content': second }),
    ],
    [
      'choice events with an index',
      logged(
        ['gen_ai.user.message', { content: 'Where is it?' }],
        ['gen_ai.choice', { index: 0, message: { content: first } }],
        ['gen_ai.choice', { index: 1, message: { content: second } }],
      ),
    ],
    [
      'choice events without an index',
      logged(
        ['gen_ai.user.message', { content: 'Where is it?' }],
        ['gen_ai.choice', { message: { content: first } }],
        ['gen_ai.choice', { message: { content: second } }],
      ),
    ],
    [
      'messages of OpenInference',
      ofOpenInference({ role: 'assistant', content: first }, { role: 'assistant', content: second }),
    ],
    ['a list of Langfuse', observation(question, [answer(first), answer(second)])],
    [
      'choices in Langfuse',
      observation(question, { choices: [{ message: answer(first) }, { message: answer(second) }] }),
    ],
    ['generations of LangSmith', run({ generations: [[generation(first), generation(second)]] })],
    [
      'generations of a chain of LangSmith',
      { ...run({ generations: [[generation(first), generation(second)]] }), run_type: 'chain' },
    ],
    ['generations in one list', run({ generations: [generation(first), generation(second)] })],
    ['choices in Weave', call({ choices: [{ message: answer(first) }, { message: answer(second) }] })],
    ['candidates in Weave', call({ candidates: [first, second].map((text) => ({ content: { parts: [{ text }] } })) })],
  ])('two choices of a model are one answer and a loss as %s', (_, record) => {
    expect(read(record)).toMatchObject([
      {
        turns: [asked, `assistant: ${first}`],
        losses: expect.stringContaining('dropped 1 other answer of a model: only the first one is kept'),
      },
    ])
  })
})

describe('parts of one answer', () => {
  const called = { name: 'look', arguments: '{}' }

  it('parts of one answer stay together: a text and a call in messages of OpenInference', () => {
    const calling = {
      role: 'assistant',
      'tool_calls.0.tool_call.id': 'c1',
      'tool_calls.0.tool_call.function.name': 'look',
      'tool_calls.0.tool_call.function.arguments': '{}',
    }
    expect(read(ofOpenInference({ role: 'assistant', content: first }, calling))).toMatchObject([
      { turns: [asked, `assistant: ${first}`, 'assistant: look({})'], losses: '' },
    ])
  })

  it('parts of one answer stay together: items of a response', () => {
    const message = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
    const items = [message(first), { type: 'function_call', call_id: 'c1', ...called }, message(second)]
    expect(read(modelSpan({ messages: question }, { object: 'response', output: items }))).toMatchObject([
      // The call stands in the turn of the first text.
      { turns: [asked, 'assistant: look({})', `assistant: ${second}`], losses: '' },
    ])
  })

  it('the answers of an agent between calls of tools are no choices', () => {
    const events: [string, object][] = [
      ['gen_ai.user.message', { content: 'Where is it?' }],
      ['gen_ai.choice', { message: { content: '', tool_calls: [{ id: 'c1', function: called }] } }],
      ['gen_ai.tool.message', { id: 'c1', content: 'two' }],
      ['gen_ai.choice', { message: { content: first } }],
    ]
    expect(read(logged(...events))).toMatchObject([
      { turns: [asked, 'assistant: look({})', 'tool: look = "two"', `assistant: ${first}`], losses: '' },
    ])
  })
})
