import { expect, it } from 'vitest'
import type { Format } from './format.js'
import { anthropicMessages } from './formats/anthropic-messages.js'
import { atif } from './formats/atif.js'
import { chatgptExport } from './formats/chatgpt-export.js'
import { claudeAgentSdk } from './formats/claude-agent-sdk.js'
import { claudeCode } from './formats/claude-code.js'
import { codex } from './formats/codex.js'
import { geminiCli } from './formats/gemini-cli.js'
import { openaiResponses } from './formats/openai-responses.js'
import { sharegpt } from './formats/sharegpt.js'
import { sweAgent } from './formats/swe-agent.js'
import { readValues } from './read-values-fixture.js'

const x = { mystery: 'some words' }
const said = { role: 'user', content: 'a', ...x }
const call = { type: 'tool_use', id: 't', name: 'f', input: {} }
const at = '2026-01-01T10:00:00Z'

const lossesOf = (format: Format, value: unknown) =>
  readValues(format, [value]).drafts.flatMap(({ losses }) => losses.map(({ what }) => what))

it.each<[Format, string, unknown]>([
  [anthropicMessages, 'message', { messages: [said] }],
  [claudeAgentSdk, 'line', { type: 'user', session_id: 's', message: { role: 'user', content: 'a' }, ...x }],
  [claudeAgentSdk, 'message', { type: 'user', session_id: 's', message: said }],
  [claudeCode, 'line', { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'a' }, ...x }],
  [claudeCode, 'message', { type: 'user', uuid: 'u', sessionId: 's', message: said }],
  [codex, 'item', { type: 'response_item', timestamp: at, payload: { type: 'message', ...said } }],
  [
    codex,
    'part',
    {
      type: 'response_item',
      timestamp: at,
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a', ...x }] },
    },
  ],
  [geminiCli, 'message', { sessionId: 's', messages: [{ id: 'm', type: 'user', content: 'a', ...x }] }],
  [
    geminiCli,
    'tool call',
    { sessionId: 's', messages: [{ type: 'gemini', toolCalls: [{ name: 'f', args: {}, ...x }] }] },
  ],
  [openaiResponses, 'item', [said]],
  [openaiResponses, 'part', [{ role: 'user', content: [{ type: 'input_text', text: 'a', ...x }] }]],
  [anthropicMessages, 'part', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...x }] }] }],
  [anthropicMessages, 'tool block', { messages: [said, { role: 'assistant', content: [{ ...call, ...x }] }] }],
  [
    anthropicMessages,
    'tool block',
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'a', ...x }] }] },
  ],
  [sharegpt, 'message', { conversations: [{ from: 'human', value: 'a', ...x }] }],
  [sweAgent, 'message', { history: [said], info: {} }],
  [sweAgent, '', { history: [{ role: 'user', content: 'a' }], info: {}, ...x }],
  [atif, 'step', { steps: [{ step_id: 1, source: 'user', message: 'a', ...x }] }],
  [atif, 'agent', { agent: { name: 'n', ...x }, steps: [{ step_id: 1, source: 'user', message: 'a' }] }],
  [
    chatgptExport,
    'message',
    { mapping: { r: { message: { author: { role: 'user' }, content: { parts: ['a'] }, ...x } } } },
  ],
  [
    chatgptExport,
    'message metadata',
    { mapping: { r: { message: { author: { role: 'user' }, content: { parts: ['a'] }, metadata: x } } } },
  ],
])('$0.id counts a field that it does not read ($1)', (format, where, value) => {
  expect(lossesOf(format, value)).toContain(`${where === '' ? '' : `${where} `}field "mystery"`)
})

it('logs count no flags and numbers that are new', () => {
  const line = { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'a' }, isNew: true, ms: 5 }
  expect(lossesOf(claudeCode, line)).toEqual([])
})

it('words that stand in a field of their own are told', () => {
  const thinking = [{ type: 'thinking', thinking: 'hm' }]
  const acted = { role: 'assistant', content: '', thought: 'Look', action: 'ls', thinking_blocks: thinking }
  const [run] = readValues(sweAgent, [{ history: [acted], info: {} }], { thinking: true }).drafts
  expect(run?.turns).toMatchObject([{ content: 'Look\nls', metadata: { thinking: 'hm' } }])

  const display = { content_type: 'tether_browsing_display', result: 'R', summary: 'S' }
  const message = { author: { role: 'tool', name: 'browser' }, content: display }
  const [chat] = readValues(chatgptExport, [{ mapping: { r: { message } } }]).drafts
  expect(chat?.turns).toMatchObject([{ content: 'S\nR' }])
})

it('citations of responses, and the extra and tools of a trajectory, are counted', () => {
  const annotations = [{ type: 'url_citation', url: 'https://example.com' }]
  const answer = { role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations }] }
  expect(lossesOf(openaiResponses, [answer])).toEqual(['citation'])

  const step = { step_id: 1, source: 'user', message: 'a' }
  expect(lossesOf(atif, { agent: { tool_definitions: [{}] }, steps: [{ ...step, extra: { note: 'b' } }] })).toEqual([
    'step field "extra"',
    'agent field "tool_definitions"',
  ])
  expect(lossesOf(atif, { steps: [{ ...step, extra: {} }] })).toEqual([])
})
