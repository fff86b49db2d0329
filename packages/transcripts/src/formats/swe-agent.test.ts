import { describe, expect, it } from 'vitest'
import { assertSurvives } from '../hostile-values-fixture.js'
import { readValues } from '../read-values-fixture.js'
import { sweAgent } from './swe-agent.js'

const call = (id: string) => ({ id, type: 'function', function: { name: 'open', arguments: '{"path":"a"}' } })
const history = [
  { role: 'system', content: 'S', agent: 'main', message_type: 'system_prompt' },
  { role: 'user', content: 'demo', agent: 'main', is_demo: true, message_type: 'demonstration' },
  { role: 'user', content: 'The issue', agent: 'main', message_type: 'observation' },
  {
    role: 'assistant',
    content: 'I open.',
    thought: 'I open.',
    action: 'open a',
    tool_calls: [call('1')],
    message_type: 'action',
  },
  { role: 'tool', content: 'text', tool_call_ids: ['1'], message_type: 'observation' },
]
const read = (value: unknown) => readValues(sweAgent, [value]).drafts[0]

describe('a trajectory with calls', () => {
  it('is its history, without demonstrations, with results by the ids they list', () => {
    const draft = read({ history, trajectory: [{ action: 'x', observation: 'y' }], info: {} })
    expect(draft?.turns).toMatchObject([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'The issue', visible: true },
      { role: 'assistant', content: 'I open.', toolCalls: [{ name: 'open', args: { path: 'a' } }] },
      {
        role: 'tool',
        content: 'text',
        toolResults: [{ name: 'open', result: 'text' }],
        place: { pointer: '/history/4' },
      },
    ])
    expect(draft?.turns.some(({ metadata }) => metadata !== undefined)).toBe(false)
    expect(draft?.losses).toEqual([
      { code: 'dropped', what: 'demonstration message', why: 'it is no part of the run', count: 1 },
      { code: 'dropped', what: 'step of the trajectory', why: 'the history beside it is read instead', count: 1 },
    ])
  })

  it('tells its instance, its model, how it ended and what it cost', () => {
    const config = { agent: { model: { name: 'gpt-4o' } }, problem_statement: { id: 'repo-1' } }
    const info = { exit_status: 'submitted', submission: 'diff', model_stats: { api_calls: 5 } }
    for (const replay_config of [config, JSON.stringify(config)]) {
      expect(read({ history, info, replay_config, environment: 'main' })).toMatchObject({
        modelName: 'gpt-4o',
        sourceSystem: 'swe-agent',
        externalId: 'repo-1',
        metadata: { environment: 'main', ...info },
      })
    }
  })

  it('counts a submission that is too long for metadata', () => {
    expect(read({ history, info: { submission: 'x'.repeat(2000) } })?.losses.map(({ what }) => what)).toContain(
      'submission',
    )
  })
})

describe('a trajectory with actions as text', () => {
  it('has observations in the words of the user, marked', () => {
    const turns = read({
      history: [
        { role: 'user', content: 'Task', agent: 'primary' },
        { role: 'assistant', content: 'ls', thought: '', action: 'ls', agent: 'primary' },
        { role: 'user', content: 'a.txt', agent: 'helper' },
      ],
      info: {},
    })?.turns
    expect(turns?.map(({ role, visible, metadata }) => [role, visible, metadata])).toEqual([
      ['user', true, undefined],
      ['assistant', true, undefined],
      ['user', false, { kind: 'observation', agent: 'helper' }],
    ])
  })

  it('may have steps alone', () => {
    const steps = [{ thought: 'I look.', action: 'ls', observation: 'a.txt', state: '{}' }]
    expect(read({ trajectory: steps })?.turns).toMatchObject([
      { role: 'assistant', content: 'I look.\nls', place: { pointer: '/trajectory/0' } },
      { role: 'user', content: 'a.txt', metadata: { kind: 'observation' } },
    ])
  })
})

describe('a trajectory of mini-SWE-agent', () => {
  const messages = [
    { role: 'user', content: 'Task', extra: { timestamp: 1_760_000_000 } },
    { role: 'assistant', content: 'So:\n```mswea_bash_command\nls\n```' },
    { role: 'user', content: '<returncode>0</returncode>\na.txt' },
    { role: 'exit', content: 'patch' },
  ]

  it('is its messages', () => {
    const info = { exit_status: 'Submitted', config: { model: { model_name: 'claude' } } }
    const draft = read({ messages, info, trajectory_format: 'mini-swe-agent-1.1', instance_id: 'i-1' })
    expect(draft).toMatchObject({ modelName: 'claude', externalId: 'i-1', metadata: { exit_status: 'Submitted' } })
    expect(draft?.turns.map(({ role, metadata }) => [role, metadata?.kind])).toEqual([
      ['user', undefined],
      ['assistant', undefined],
      ['user', 'observation'],
      ['system', 'exit'],
    ])
    expect(draft?.turns[0]?.createdAt).toBe('2025-10-09T08:53:20.000Z')
  })

  it('may be a bare array', () => {
    expect(sweAgent.detect(messages)).toBeGreaterThan(0.9)
    expect(read(messages)?.turns).toHaveLength(4)
  })

  it('may call tools', () => {
    const calling = [
      { role: 'assistant', content: null, tool_calls: [call('1')] },
      { role: 'tool', tool_call_id: '1', content: 'x' },
    ]
    expect(read({ messages: calling, info: { mini_version: '2' } })?.turns).toMatchObject([
      { content: '[tool call: open]' },
      { toolResults: [{ name: 'open' }] },
    ])
  })
})

describe('it is known', () => {
  it.each([
    [{ history, info: {} }],
    [{ history }],
    [{ trajectory: [{ action: 'a', observation: 'b' }] }],
    [{ messages: [], trajectory_format: 'mini-swe-agent-1.1' }],
    [{ messages: [], info: { exit_status: 'Submitted' } }],
  ])('in %j', (value) => {
    expect(sweAgent.detect(value)).toBeGreaterThanOrEqual(0.9)
  })

  it.each([
    [{ messages: [{ role: 'user', content: 'a' }] }],
    [[{ role: 'assistant', content: '```bash\nls\n```' }]],
    [{ history: [[1, 2]] }],
    [{ trajectory: [] }],
  ])('not in %j', (value) => {
    expect(sweAgent.detect(value)).toBe(0)
  })
})

it('reports what is no message', () => {
  expect(
    readValues(sweAgent, [{ history: [{ role: 'robot' }, 5], info: {} }, 7]).problems.map(({ place }) => place),
  ).toMatchObject([{ record: 1, pointer: '/history/0' }, { record: 1, pointer: '/history/1' }, { record: 2 }])
})

it('survives whatever a file holds', () => {
  assertSurvives(sweAgent, [
    { history, info: { model_stats: { a: 1 }, submission: 'x' }, replay_config: { agent: { model: {} } } },
    { messages: history, info: { exit_status: 'x' } },
    { trajectory: [{ action: 'a', observation: 'b', response: 'c' }] },
  ])
})
