import { describe, expect, it } from 'vitest'
import { assertSurvives } from '../hostile-values-fixture.js'
import type { ReadOptions } from '../read-options.js'
import { readValues } from '../read-values-fixture.js'
import { geminiCli } from './gemini-cli.js'

const at = '2026-02-01T10:00:00.000Z'
const head = { sessionId: 's-1', projectHash: 'abc', startTime: at, lastUpdated: at, kind: 'main' }
const user = (id: string, content: unknown, more = {}) => ({ id, timestamp: at, type: 'user', content, ...more })
const model = (id: string, content: unknown, more = {}) => ({
  id,
  timestamp: at,
  type: 'gemini',
  content,
  model: 'g-3',
  ...more,
})
const ran = (id: string, output: unknown, more = {}) => ({
  id,
  name: 'shell',
  args: { command: 'ls' },
  status: 'success',
  timestamp: at,
  result: [{ functionResponse: { id, name: 'shell', response: { output } } }],
  resultDisplay: 'shown',
  ...more,
})

const read = (values: unknown[], options: ReadOptions = {}) => readValues(geminiCli, values, options).drafts
const said = (...values: unknown[]) =>
  read([head, ...values]).map(({ turns }) => turns.map(({ role, content }) => `${role}: ${content}`))[0]

describe('a session document', () => {
  it('gives words, calls and results, each with its time', () => {
    const calls = { toolCalls: [ran('c1', 'a.txt'), ran('c2', 'b.txt')] }
    const [draft] = read([{ ...head, summary: 'Listing', messages: [user('1', 'List'), model('2', 'Sure.', calls)] }])
    expect(draft).toMatchObject({
      name: 'Listing',
      modelName: 'g-3',
      sourceSystem: 'gemini-cli',
      externalId: 's-1',
      sourceTimestamp: at,
      metadata: { kind: 'main' },
      losses: [{ what: 'tool call field "resultDisplay"', count: 2 }],
      turns: [
        { role: 'user', content: 'List', createdAt: at, place: { record: 1, pointer: '/messages/0' } },
        { role: 'assistant', content: 'Sure.', toolCalls: [{ name: 'shell' }, { name: 'shell' }] },
        { role: 'tool', content: 'a.txt', toolResults: [{ name: 'shell', result: 'a.txt' }] },
        { role: 'tool', content: 'b.txt' },
      ],
    })
  })

  it('may call the model "model" and its words parts', () => {
    expect(said({ id: 'm', type: 'model', parts: [{ text: 'a' }, { text: 'b' }] })).toEqual(['assistant: a\nb'])
  })

  it('leaves thoughts out, counted, unless they are asked for', () => {
    const messages = [model('1', 'x', { thoughts: [{ subject: 'Plan', description: 'think' }] })]
    expect(read([{ ...head, messages }])[0]?.losses).toMatchObject([{ what: 'thinking' }])
    expect(read([{ ...head, messages }], { thinking: true })[0]?.turns[0]?.metadata).toEqual({
      thinking: 'Plan: think',
    })
  })

  it('makes notices system turns that say their kind', () => {
    const [draft] = read([{ ...head, messages: [{ id: '1', type: 'info', content: 'Cancelled.' }] }])
    expect(draft?.turns).toMatchObject([{ role: 'system', visible: false, metadata: { kind: 'info' } }])
  })
})

describe('a log', () => {
  it('has the last version of a message at the place of its first', () => {
    const pending = { toolCalls: [{ id: 'c', name: 'shell', args: {}, status: 'executing' }] }
    expect(
      said(
        user('1', 'q'),
        model('2', '', pending),
        user('3', 'and'),
        model('2', '', { toolCalls: [ran('c', 'done')] }),
      ),
    ).toEqual(['user: q', 'assistant: [tool call: shell]', 'tool: done', 'user: and'])
  })

  it('takes what is patched into the session', () => {
    const drafts = read([head, user('1', 'q'), { $set: { summary: 'S', lastUpdated: at } }])
    expect(drafts).toMatchObject([{ name: 'S', externalId: 's-1' }])
  })

  it('forgets what was taken back, counted, or gives it as a branch', () => {
    const values = [head, user('1', 'a'), user('2', 'b'), model('3', 'c'), { $rewindTo: '2' }, user('4', 'd')]
    const [draft] = read(values)
    expect(draft?.turns.map(({ content }) => content)).toEqual(['a', 'd'])
    expect(draft?.losses).toMatchObject([{ code: 'dropped', what: 'message that was taken back', count: 2 }])
    const branched = read(values, { branches: true })
    expect(branched.map(({ externalId, turns }) => [externalId, turns.map(({ content }) => content)])).toEqual([
      ['s-1', ['a', 'd']],
      ['s-1/2', ['a', 'b', 'c']],
    ])
  })

  it('keeps what was said when the context of the model is compressed', () => {
    const compressed = [user('x', '<state_snapshot>short</state_snapshot>'), model('y', 'Got it.')]
    const values = [head, user('1', 'a'), model('2', 'b'), { $set: { messages: compressed } }, user('3', 'c')]
    const [draft] = read(values)
    expect(draft?.turns.map(({ content }) => content)).toEqual(['a', 'b', 'c'])
    expect(draft?.losses).toMatchObject([{ what: 'context rewritten for the model', count: 2 }])
  })

  it('may give its messages by patches of the whole list alone', () => {
    const list = [user('1', 'a'), model('2', 'b'), user('3', 'c')]
    expect(said({ $set: { messages: list.slice(0, 2) } }, { $set: { messages: list } })).toEqual([
      'user: a',
      'assistant: b',
      'user: c',
    ])
    const after = [user('x', '<state_snapshot>s'), user('4', 'd')]
    expect(
      said({ $set: { messages: list } }, { $set: { messages: after.slice(0, 1) } }, { $set: { messages: after } }),
    ).toEqual(['user: a', 'assistant: b', 'user: c', 'user: d'])
  })

  it('counts lines that are broken or unknown and goes on', () => {
    const reader = geminiCli.reader({ options: {}, report: () => expect.unreachable() })
    const lines = [head, 5, { odd: 1 }, { $rewindTo: 'gone' }, { id: '9', type: 'user', content: 'a' }]
    for (const [index, value] of lines.entries()) reader.take({ value, record: index + 1, offset: 0 })
    reader.broken?.('cut', { record: 9, offset: 9, pointer: '' })
    const [draft] = reader.end()
    expect(draft?.turns).toHaveLength(1)
    expect(draft?.losses.map(({ what, count }) => [what, count])).toEqual([
      ['line that is no record', 2],
      ['line of an unknown kind', 1],
      ['rewind to a message that is not there', 1],
    ])
  })

  it('of several sessions gives each', () => {
    expect(read([head, user('1', 'a'), { ...head, sessionId: 's-2' }, user('1', 'b')])).toMatchObject([
      { externalId: 's-1', turns: [{ content: 'a' }] },
      { externalId: 's-2', turns: [{ content: 'b' }] },
    ])
  })
})

describe('the words of a person', () => {
  it('are apart from what the program puts beside them', () => {
    const parts = [{ text: 'mine' }, { text: '<hook_context>theirs</hook_context>' }]
    expect(said(user('0', '<session_context>\nToday'), user('1', parts))).toEqual([
      'system: <session_context>\nToday',
      'system: <hook_context>theirs</hook_context>',
      'user: mine',
    ])
  })

  it('are those that were shown, without the files that were read for them', () => {
    const content = [{ text: 'see @a.ts' }, { text: '\n--- Content from referenced files ---' }, { text: 'code' }]
    const expected = ['system: \n--- Content from referenced files ---\ncode', 'user: see @a.ts']
    expect(said(user('1', content, { displayContent: [{ text: 'see @a.ts' }] }))).toEqual(expected)
    expect(said(user('1', content))).toEqual(expected)
  })
})

describe('a result', () => {
  it('that failed says so', () => {
    const failed = ran('c', '', {
      status: 'error',
      result: [{ functionResponse: { response: { error: 'no such file' } } }],
    })
    const [draft] = read([head, model('1', '', { toolCalls: [failed] })])
    expect(draft?.turns[1]).toMatchObject({ content: 'no such file', metadata: { is_error: true } })
  })

  it('with media has a placeholder, and never base64', () => {
    const result = [
      { functionResponse: { id: 'c', response: { output: 'read' } } },
      { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
    ]
    const [draft] = read([head, model('1', '', { toolCalls: [ran('c', '', { result })] })])
    expect(draft?.turns[1]?.content).toBe('read\n[image: image/png, 3 bytes]')
    expect(JSON.stringify(draft)).not.toContain('QUJD')
  })

  it('may be only what was shown, or a part of a message of its own', () => {
    const shown = { id: 'c', name: 'shell', args: {}, resultDisplay: 'ok' }
    expect(said(model('1', '', { toolCalls: [shown] }))?.[1]).toBe('tool: ok')
    const call = { functionCall: { id: 'f', name: 'read', args: {} } }
    const answer = { functionResponse: { id: 'f', response: { output: 'text' } } }
    expect(said(model('1', [{ text: 'so' }, call]), user('2', [answer]))).toEqual(['assistant: so', 'tool: text'])
  })

  it('that has not come leaves a call alone', () => {
    expect(said(model('1', '', { toolCalls: [{ id: 'c', name: 'shell', args: {}, result: null }] }))).toHaveLength(1)
  })
})

it('is known by its session, and its lines by their kind', () => {
  expect(geminiCli.detect(head)).toBeGreaterThan(0.9)
  expect(geminiCli.detect({ $set: { summary: 'x' } })).toBeGreaterThan(0.5)
  expect(geminiCli.detect(model('1', 'a'))).toBeGreaterThan(0.7)
  expect(geminiCli.detect({ type: 'user', message: { role: 'user', content: 'a' }, sessionId: 's', uuid: 'u' })).toBe(0)
})

it('survives whatever a file holds', () => {
  const valid = [
    {
      ...head,
      messages: [user('1', [{ text: 'a' }]), model('2', 'b', { toolCalls: [ran('c', 'x')], thoughts: [{}] })],
    },
    head,
    user('3', 'c', { displayContent: 'c' }),
    { $set: { messages: [user('4', 'd')] } },
    { $rewindTo: '1' },
  ]
  assertSurvives(geminiCli, valid, { branches: true })
})
