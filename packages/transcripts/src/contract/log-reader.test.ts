import { expect, it } from 'vitest'
import { parse } from '../importer/parse.js'

const message = { role: 'user', content: 'Hi' }

it.each([
  ['claude-code', { type: 'user', uuid: 'u', sessionId: 's', message }],
  ['claude-agent-sdk', { type: 'user', session_id: 's', message }],
  ['anthropic-managed-agents', { type: 'user.message', id: 'e', content: [{ type: 'text', text: 'Hi' }] }],
] as const)('a log of %s has what follows a broken line, which is counted', (format, line) => {
  const text = JSON.stringify(line)
  const { transcripts } = parse(`{"type":\n${text}\n`, { format })
  expect(transcripts).toMatchObject([{ turns: [{ content: 'Hi' }] }])
  expect(transcripts[0]?.losses).toContainEqual({
    code: 'dropped',
    what: 'line that is not a JSON object',
    why: 'the JSON ends in the middle of an object: it is cut off',
    count: 1,
  })
  expect(() => parse('{"type":\n', { format })).toThrow()
})
