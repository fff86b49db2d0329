import { describe, expect, it } from 'vitest'
import { langfuse } from './formats/langfuse.js'
import { langsmith } from './formats/langsmith.js'
import { otel } from './formats/otel.js'
import { span, traces } from './formats/otel-fixture.js'
import { readValues } from './read-values-fixture.js'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const at = (second: number) => `2026-01-02T03:04:${String(second).padStart(2, '0')}.000Z`

function talkOf(format: typeof otel | typeof langsmith | typeof langfuse, ...values: unknown[]) {
  const { drafts, problems } = readValues(format, values)
  expect(problems).toEqual([])
  const [draft] = drafts
  const lines = draft?.turns.map(({ role, content }) => `${role}: ${content}`)
  return { draft, lines, losses: draft?.losses.map(({ what, count }) => `${what} ${count}`) }
}

const run = (id: string, type: string, second: number, inputs: unknown, outputs: unknown, more: object = {}) => ({
  id,
  trace_id: 'T',
  run_type: type,
  name: id,
  start_time: at(second),
  end_time: at(second + 1),
  inputs,
  outputs,
  ...(id !== 'root' && { parent_run_id: 'root' }),
  ...more,
})
const root = run('root', 'chain', 1, { question: 'Where to?' }, { answer: 'To Bonn.' })
const prompts = (second: number, given: string, gave: string) =>
  run(`llm ${second}`, 'llm', second, { messages: [user(given)] }, { choices: [{ message: assistant(gave) }] })

describe('what a run was asked and answered', () => {
  const search = run('search', 'tool', 3, { q: 'towns' }, { output: 'Bonn, Trier' })

  it('stands around what its tools did', () => {
    const { lines, losses } = talkOf(langsmith, { runs: [search, root] })
    expect(lines).toEqual([
      'user: Where to?',
      'assistant: [tool call: search]',
      'tool: Bonn, Trier',
      'assistant: To Bonn.',
    ])
    expect(losses).toEqual([])
  })

  it('is the talk; what its program asked a model inside is beside it, and counted', () => {
    const runs = [
      root,
      prompts(2, 'REWRITE: Where to?', 'Best towns?'),
      search,
      prompts(4, 'CTX. Best towns?', 'To Bonn.'),
    ]
    const { lines, losses } = talkOf(langsmith, { runs })
    expect(lines).toEqual([
      'user: Where to?',
      'assistant: [tool call: search]',
      'tool: Bonn, Trier',
      'assistant: To Bonn.',
    ])
    expect(losses).toEqual(['call of a model beside the talk 2'])
  })

  it('keeps the tools that a model called when its program asked it in other words', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":"towns"}' } }
    const asked = { messages: [user('You are a guide. Where to?')] }
    const called = { choices: [{ message: { ...assistant(''), tool_calls: [call] } }] }
    const { draft, lines } = talkOf(langsmith, { runs: [root, run('llm', 'llm', 2, asked, called), search] })
    expect(lines).toEqual([
      'user: Where to?',
      'assistant: [tool call: search]',
      'tool: Bonn, Trier',
      'assistant: To Bonn.',
    ])
    expect(draft?.turns[1]?.toolCalls).toEqual([{ name: 'search', args: { q: 'towns' } }])
  })

  it('ends with the answer that the run gave, where its models said something else', () => {
    const { lines, losses } = talkOf(langsmith, { runs: [root, prompts(2, 'Where to?', 'Bonn')] })
    expect(lines).toEqual(['user: Where to?', 'assistant: Bonn', 'assistant: To Bonn.'])
    expect(losses).toEqual([])
  })

  it('is read alike of traces of other tools', () => {
    const tool = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.call.result': 'Bonn',
    }
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'input.value': 'Where to?', 'output.value': 'To Bonn.' }
    const expected = ['user: Where to?', 'assistant: [tool call: search]', 'tool: Bonn', 'assistant: To Bonn.']
    expect(talkOf(otel, traces(span(2, tool), span(1, agent))).lines).toEqual(expected)
    const trace = { id: 't', timestamp: at(1), input: 'Where to?', output: 'To Bonn.' }
    const row = { id: 'o', traceId: 't', type: 'TOOL', name: 'search', startTime: at(2), input: {}, output: 'Bonn' }
    expect(talkOf(langfuse, { trace, observations: [row] }).lines).toEqual(expected)
  })
})

const calls = (...each: [given: object[], gave: string][]) =>
  each.map(([given, gave], index) =>
    span(10 * (index + 1), {
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt': JSON.stringify(given),
      'gen_ai.completion': JSON.stringify([assistant(gave)]),
    }),
  )

describe('calls of a model with what was said before', () => {
  it('that begin with the same words and go on otherwise are counted', () => {
    const { lines, losses } = talkOf(
      otel,
      traces(
        ...calls(
          [[user('Q'), assistant('hm'), user('more')], 'One'],
          [[user('Q'), assistant('other'), user('different')], 'Two'],
          [[user('Q'), assistant('hm')], 'Three'],
        ),
      ),
    )
    expect(lines).toEqual(['user: Q', 'assistant: other', 'user: different', 'assistant: Two'])
    expect(losses).toEqual(['call of a model beside the talk 2'])
  })

  it('are one talk though each sees only the last of it', () => {
    const { lines, losses } = talkOf(
      otel,
      traces(
        ...calls(
          [[user('One')], 'A one'],
          [[user('One'), assistant('A one'), user('Two')], 'A two'],
          [[assistant('A one'), user('Two'), assistant('A two'), user('Three')], 'A three'],
          [[user('A summary'), user('Four')], 'A four'],
        ),
      ),
    )
    expect(lines).toEqual([
      'user: One',
      'assistant: A one',
      'user: Two',
      'assistant: A two',
      'user: Three',
      'assistant: A three',
    ])
    expect(losses).toEqual(['call of a model beside the talk 1'])
  })

  it('do not hide a tool that none of them tells of', () => {
    const [first, second] = calls([[user('One')], 'A one'], [[user('One'), assistant('A one'), user('Two')], 'A two'])
    const tool = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'f',
      'gen_ai.tool.call.arguments': '{"x":1}',
      'gen_ai.tool.call.result': 'told',
    }
    const { draft, lines } = talkOf(otel, traces(...[first, second].flatMap((each) => each ?? []), span(15, tool)))
    expect(lines).toEqual([
      'user: One',
      'assistant: A one',
      'user: Two',
      'assistant: [tool call: f]',
      'tool: told',
      'assistant: A two',
    ])
    expect(draft?.turns[3]?.toolCalls).toEqual([{ name: 'f', args: { x: 1 } }])
  })

  it('and the spans of tools tell of each call once, with or without its id', () => {
    const called = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
    const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
    const history = [
      user('Q'),
      { ...assistant(''), tool_calls: [called('a'), called('b')] },
      answer('a', '1'),
      answer('b', '2'),
    ]
    const tool = (result: string, id?: string) => ({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'f',
      'gen_ai.tool.call.result': result,
      ...(id !== undefined && { 'gen_ai.tool.call.id': id }),
    })
    const [call] = calls([history, 'Done'])
    for (const { tools, lost } of [
      { tools: [tool('1'), tool('2')], lost: [] },
      { tools: [tool('other', 'b'), tool('1')], lost: ['call or answer of a tool that the talk tells otherwise 1'] },
    ]) {
      const { draft, losses } = talkOf(
        otel,
        traces(...tools.map((each, index) => span(index, each)), { ...call, startTimeUnixNano: '1767323045000000900' }),
      )
      expect(draft?.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
      expect(losses).toEqual(lost)
    }
  })
})

it('counts the answers of tools that the talk tells in other words', () => {
  const called = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const history = [
    user('Q'),
    { ...assistant(''), tool_calls: [called] },
    { role: 'tool', tool_call_id: 'a', content: '1' },
  ]
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'f', 'gen_ai.tool.call.result': 'one' }
  const { lines, losses } = talkOf(otel, traces(span(1, tool), ...calls([history, 'Done'])))
  expect(lines).toEqual(['user: Q', 'assistant: [tool call: f]', 'tool: 1', 'assistant: Done'])
  expect(losses).toEqual(['call or answer of a tool that the talk tells otherwise 1'])
})

describe('a step that failed', () => {
  const failed = { outputs: null, error: 'No quota' }

  it('leaves what it was asked in the talk, and why it failed in the metadata', () => {
    const first = run('llm 1', 'llm', 1, { messages: [user('One')] }, { choices: [{ message: assistant('A') }] })
    const history = [user('One'), assistant('A'), user('Two')]
    const last = run('llm 2', 'llm', 2, { messages: history }, null, failed)
    const { draft, lines, losses } = talkOf(langsmith, { runs: [first, last] })
    expect(lines).toEqual(['user: One', 'assistant: A', 'user: Two'])
    expect(draft?.metadata).toEqual({ errors: ['No quota'] })
    expect(losses).toEqual([])
  })

  it('is counted when the talk goes on otherwise', () => {
    const asked = (second: number, question: string, gave: unknown, more: object = {}) =>
      run(`llm ${second}`, 'llm', second, { messages: [user('One'), assistant('A'), user(question)] }, gave, more)
    const runs = [asked(1, 'Two', { choices: [{ message: assistant('B') }] }), asked(2, 'Three', null, failed)]
    const { draft, lines, losses } = talkOf(langsmith, { runs })
    expect(lines).toEqual(['user: One', 'assistant: A', 'user: Two', 'assistant: B'])
    expect(draft?.metadata).toEqual({ errors: ['No quota'] })
    expect(losses).toEqual(['call of a model beside the talk 1'])
  })

  it('of a tool has the reason for its answer', () => {
    const status = { code: 2, message: 'No quota' }
    const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'f' }
    const row = { id: 'o', traceId: 't', type: 'TOOL', name: 'f', startTime: at(2), input: {}, output: null }
    const talks = [
      talkOf(langsmith, run('f', 'tool', 1, { x: 1 }, null, failed)),
      talkOf(otel, traces(span(1, tool, { status }))),
      talkOf(langfuse, { ...row, level: 'ERROR', statusMessage: 'No quota' }),
    ]
    for (const { draft } of talks) {
      expect(draft?.turns[1]).toMatchObject({ content: 'No quota', metadata: { is_error: true } })
    }
  })
})
