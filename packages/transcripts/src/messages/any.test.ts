import { describe, expect, it } from 'vitest'
import { Talk } from '../talk.js'
import { isMessage, sayMessages } from './any.js'

const place = { record: 1, offset: 0, pointer: '' }

function said(...values: unknown[]) {
  const talk = new Talk()
  const problems: string[] = []
  sayMessages(
    values.map((value) => ({ value, place })),
    talk,
    (problem) => problems.push(problem),
  )
  return { ...talk.draft({ place }), problems }
}

const called = {
  openai: { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] },
  anthropic: { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }] },
  responses: { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
  langchain: { type: 'ai', content: '', tool_calls: [{ id: 'c', name: 'look', args: {} }] },
  'gen-ai': { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'look', arguments: {} }] },
  inspect: { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: 'look', arguments: {} }] },
  'AI SDK': { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }] },
}
const answers = {
  openai: { role: 'tool', tool_call_id: 'c', content: 'two' },
  anthropic: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'two' }] },
  responses: { type: 'function_call_output', call_id: 'c', output: 'two' },
  langchain: { type: 'tool', tool_call_id: 'c', content: 'two' },
  'gen-ai': { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: 'two' }] },
  inspect: { role: 'tool', tool_call_id: 'c', function: 'look', content: 'two' },
  'AI SDK': {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value: 'two' } }],
  },
}
const names = Object.keys(called) as (keyof typeof called)[]

describe('messages of any provider', () => {
  it.each(names)('are said in the shape of %s', (name) => {
    const { turns, problems } = said(called[name], answers[name])
    expect(problems).toEqual([])
    expect(turns).toMatchObject([
      { role: 'assistant', toolCalls: [{ name: 'look', args: {} }] },
      { role: 'tool', content: 'two', toolResults: [{ name: 'look', result: 'two' }] },
    ])
  })

  it('may be of several providers in one list', () => {
    const plain = { role: 'user', content: 'Hi' }
    const { turns, problems } = said(
      plain,
      called.langchain,
      answers.openai,
      plain,
      called.anthropic,
      answers.responses,
    )
    expect(problems).toEqual([])
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool'])
  })

  it('are told when no shape knows one', () => {
    expect(isMessage({ content: 'Hi' })).toBe(false)
    expect(said({ role: 'user', content: 'Hi' }, { content: 'Hi' }).problems).toHaveLength(1)
  })
})
