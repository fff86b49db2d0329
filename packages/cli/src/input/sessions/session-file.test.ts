import { describe, expect, it } from 'vitest'
import { endBytes, type Session, sessionIn } from './session-file.js'
import type { Tool } from './tools.js'

const now = Date.parse('2026-01-01T00:00:00Z')
const bytes = (text: string) => new TextEncoder().encode(text)

/** The report of a file of these words, of which only the ends are shown. */
function reported(text: string, tool: Tool = 'claude-code') {
  const whole = bytes(text)
  return sessionIn(
    'f',
    { head: whole.subarray(0, endBytes), tail: whole.subarray(-endBytes), size: whole.length, modified: now },
    tool,
    now,
  )
}

const line = (content: unknown, timestamp: string, more = {}) =>
  `${JSON.stringify({ type: 'user', uuid: timestamp, parentUuid: null, sessionId: 's', cwd: '/app', message: { role: 'user', content }, timestamp, ...more })}\n`
const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())
const timesOf = (session: unknown) => [iso((session as Session).started), iso((session as Session).last)]
const long = 'x'.repeat(endBytes * 3)

describe('the head of a session', () => {
  it('reads the times of the first and the last line, however many lines are between', () => {
    const text =
      line('Hi', '2025-12-01T10:00:00.000Z') +
      line(long, '2025-12-02T10:00:00.000Z') +
      line('Bye', '2025-12-03T10:00:00.000Z')
    expect(timesOf(reported(text))).toEqual(['2025-12-01T10:00:00.000Z', '2025-12-03T10:00:00.000Z'])
    expect(reported(text)).toMatchObject({ title: 'Hi', cwd: '/app', id: 's' })
  })

  it('finds the time of a session whose last line is incomplete or longer than the read part', () => {
    const first = line('Hi', '2025-12-01T10:00:00.000Z')
    expect(timesOf(reported(first + line(long, '2025-12-02T10:00:00.000Z')))[1]).toBe('2025-12-02T10:00:00.000Z')
    expect(timesOf(reported(`${first + line('Bye', '2025-12-02T10:00:00.000Z')}{"type":"user","mess`))[1]).toBe(
      '2025-12-02T10:00:00.000Z',
    )
  })

  it('the head of a session has words and a folder when its first line is longer than that', () => {
    expect(reported(line(`Look \\"at" this:\n${long}`, '2025-12-01T10:00:00.000Z'))).toMatchObject({
      title: `Look \\"at" this: ${'x'.repeat(62)}…`,
      cwd: '/app',
    })
  })

  it('ignores a time in the content, in the future or without a valid form', () => {
    const text =
      line('{"timestamp":"2019-01-01T00:00:00Z"}', '2025-12-01T10:00:00.000Z') +
      line('hi', 'noon') +
      line('hi', '2030-01-01T00:00:00Z') +
      line([{ type: 'text', text: 'hi' }], '2025-12-01T11:00:00.000Z', {
        toolUseResult: { timestamp: '2025-12-30T00:00:00Z' },
      })
    expect(timesOf(reported(text))).toEqual(['2025-12-01T10:00:00.000Z', '2025-12-01T11:00:00.000Z'])
  })

  it('reads the time of a document that is longer than the read part', () => {
    const message = (content: unknown, timestamp: string) => ({ id: timestamp, timestamp, type: 'user', content })
    const document = (first: unknown) =>
      JSON.stringify(
        {
          sessionId: 's',
          projectHash: 'f00',
          startTime: '2025-12-01T10:00:00.000Z',
          lastUpdated: '2025-12-01T12:00:00.000Z',
          messages: [
            message(first, '2025-12-01T10:00:01.000Z'),
            message(long, '2025-12-01T11:00:00.000Z'),
            message('Bye', '2025-12-01T11:59:00.000Z'),
          ],
        },
        null,
        2,
      )
    for (const first of ['Hello there', [{ text: 'Hello there' }]]) {
      const session = reported(document(first), 'gemini')
      expect(session).toMatchObject({ title: 'Hello there', cwd: undefined, cwdHash: 'f00' })
      expect(timesOf(session)).toEqual(['2025-12-01T10:00:00.000Z', '2025-12-01T12:00:00.000Z'])
    }
  })

  it('uses the user’s own text as the title, not injected context', () => {
    const meta = line('<local-command-caveat>Caveat</local-command-caveat>', '2025-12-01T10:00:00Z', { isMeta: true })
    const reminder = line('<system-reminder>Be kind</system-reminder>', '2025-12-01T10:00:01Z')
    expect(reported(meta + reminder + line('  Fix\n\n it ', '2025-12-01T10:00:02Z'))).toMatchObject({ title: 'Fix it' })
  })
})

describe('a file that is no session', () => {
  it('a file of another kind or without messages is no session', () => {
    expect(reported('{"messages":[{"role":"user","content":"hi"}]}')).toBe('otherFormat')
    expect(reported('hello')).toBe('otherFormat')
    expect(reported(line('hi', '2025-12-01T10:00:00Z'), 'codex')).toBe('otherFormat')
    expect(reported('')).toBe('empty')
    expect(reported('{"type":"summary","summary":"Tidying up","leafUuid":"x"}')).toBe('empty')
    expect(reported('{"sessionId":"s","projectHash":"p","startTime":"2025-12-01T10:00:00Z"}', 'gemini')).toBe('empty')
  })
})

describe('the conversation of an agent that another session started', () => {
  const codex = (more: object) => {
    const meta = { id: 's', timestamp: '2025-12-01T10:00:00Z', cwd: '/app', ...more }
    const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }
    const lines = [
      { type: 'session_meta', payload: meta },
      { type: 'response_item', payload: said },
    ]
    return lines.map((each) => `${JSON.stringify({ timestamp: '2025-12-01T10:00:00Z', ...each })}\n`).join('')
  }
  const gemini = (kind: string) => {
    const times = { startTime: '2025-12-01T10:00:00Z', lastUpdated: '2025-12-01T10:00:00Z' }
    const messages = [{ id: 'm', timestamp: '2025-12-01T10:00:00Z', type: 'user', content: 'Hi' }]
    return JSON.stringify({ sessionId: 's', projectHash: 'p', kind, ...times, messages })
  }

  it.each<[string, string, Tool, boolean]>([
    ['spawned by Codex', codex({ source: { subagent: { thread_spawn: { parent_thread_id: 'p' } } } }), 'codex', true],
    ['of a review by Codex', codex({ source: { subagent: 'review' } }), 'codex', true],
    ['forked from another in Codex', codex({ source: 'cli', forked_from_id: 'p' }), 'codex', false],
    ['of a sub-agent of Gemini', gemini('subagent'), 'gemini', true],
    ['of a person with Gemini', gemini('main'), 'gemini', false],
  ])('a session of a sub-agent is distinguished from sessions of people: one %s', (_, text, tool, isSubagent) => {
    expect(reported(text, tool)).toMatchObject({ title: 'Hi', isSubagent })
  })
})
