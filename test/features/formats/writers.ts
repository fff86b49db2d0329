import type { FormatId } from '@svc/transcripts'
import { type Exchange, type Said, saidIn, type Use } from './conversations.js'

/** A file of some conversations as a tool would write it; those that have no tools take none. */
export interface Writer {
  format: FormatId
  withTools: boolean
  /** The turns that the format puts before each conversation. */
  before?: Said[]
  write(conversations: readonly Exchange[][]): string
}

const lines = (records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join('\n')
const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
const text = (words: string) => ({ type: 'text', text: words })

interface NumberedUse extends Use {
  id: string
}

/** One part of a conversation: a question, an answer, or uses of tools, each with an id of its own. */
type Act =
  | { kind: 'question'; words: string }
  | { kind: 'answer'; words: string }
  | { kind: 'step'; words: string | undefined; uses: NumberedUse[] }

function actsOf(conversation: readonly Exchange[]): Act[] {
  let count = 0
  return conversation.flatMap(({ question, steps, answer }) => [
    { kind: 'question' as const, words: question },
    ...steps.map(({ words, uses }) => {
      return { kind: 'step' as const, words, uses: uses.map((use) => ({ ...use, id: `use_${++count}` })) }
    }),
    { kind: 'answer' as const, words: answer },
  ])
}

function openaiMessages(conversation: readonly Exchange[]): unknown[] {
  return actsOf(conversation).flatMap((act): unknown[] => {
    if (act.kind !== 'step') return [{ role: act.kind === 'question' ? 'user' : 'assistant', content: act.words }]
    const calls = act.uses.map(({ id, name, args }) => {
      return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
    })
    const results = act.uses.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result }))
    return [{ role: 'assistant', content: act.words ?? null, tool_calls: calls }, ...results]
  })
}

function anthropicMessages(conversation: readonly Exchange[]): { role: string; content: unknown }[] {
  return actsOf(conversation).flatMap((act): { role: string; content: unknown }[] => {
    if (act.kind === 'question') return [{ role: 'user', content: act.words }]
    if (act.kind === 'answer') return [{ role: 'assistant', content: [text(act.words)] }]
    const calls = act.uses.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
    const results = act.uses.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result }))
    const spoken = act.words === undefined ? [] : [text(act.words)]
    return [
      { role: 'assistant', content: [...spoken, ...calls] },
      { role: 'user', content: results },
    ]
  })
}

function claudeCodeLines(conversation: readonly Exchange[], sessionId: string): unknown[] {
  return anthropicMessages(conversation).map((message, index) => ({
    type: message.role,
    sessionId,
    uuid: `${sessionId}-${index + 1}`,
    parentUuid: index === 0 ? null : `${sessionId}-${index}`,
    isSidechain: false,
    version: '2.1.0',
    timestamp: at(index),
    message: message.role === 'user' ? message : { ...message, id: `msg_${index}`, model: 'claude-x' },
  }))
}

function codexLines(conversation: readonly Exchange[], id: string): unknown[] {
  const message = (role: string, type: string, words: string) => ({
    type: 'message',
    role,
    content: [{ type, text: words }],
  })
  const items = actsOf(conversation).flatMap((act): unknown[] => {
    if (act.kind === 'question') return [message('user', 'input_text', act.words)]
    if (act.kind === 'answer') return [message('assistant', 'output_text', act.words)]
    const spoken = act.words === undefined ? [] : [message('assistant', 'output_text', act.words)]
    const calls = act.uses.map(({ id, name, args }) => {
      return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) }
    })
    const results = act.uses.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result }))
    return [...spoken, ...calls, ...results]
  })
  const head = {
    type: 'session_meta',
    payload: { id, timestamp: at(0), cwd: '/r', cli_version: '0.60.0', source: 'cli' },
  }
  return [head, ...items.map((payload) => ({ type: 'response_item', payload }))].map((line, index) => {
    return { timestamp: at(index), ...line }
  })
}

function chatgptConversation(conversation: readonly Exchange[], id: string): unknown {
  const nodes = saidIn(conversation).map(({ role, content }, index) => {
    const message = {
      author: { role },
      create_time: 1767225600 + index,
      content: { content_type: 'text', parts: [content] },
    }
    return [`n${index}`, { message, parent: index === 0 ? null : `n${index - 1}`, children: [] }]
  })
  return { title: id, conversation_id: id, current_node: `n${nodes.length - 1}`, mapping: Object.fromEntries(nodes) }
}

function uiChat(conversation: readonly Exchange[], id: string): unknown {
  const messages = conversation.flatMap(({ question, steps, answer }, index) => {
    const used = steps.flatMap(({ words, uses }, step) => [
      { type: 'step-start' },
      ...(words === undefined ? [] : [text(words)]),
      ...uses.map(({ name, args, result }, use) => ({
        type: `tool-${name}`,
        toolCallId: `${index}-${step}-${use}`,
        state: 'output-available',
        input: args,
        output: result,
      })),
    ])
    const parts = [...used, { type: 'step-start' }, text(answer)]
    return [
      { id: `${index}q`, role: 'user', parts: [text(question)] },
      { id: `${index}a`, role: 'assistant', parts },
    ]
  })
  return { id, messages }
}

const sharegptName = (role: string) => (role === 'user' ? 'human' : 'gpt')
const idOf = (index: number) => `conversation-${index}`

export const writers: readonly Writer[] = [
  {
    format: 'turns',
    withTools: true,
    write: (conversations) => lines(conversations.map((conversation) => ({ turns: saidIn(conversation) }))),
  },
  {
    format: 'openai-chat',
    withTools: true,
    write: (conversations) =>
      lines(conversations.map((conversation) => ({ model: 'gpt-x', messages: openaiMessages(conversation) }))),
  },
  {
    format: 'anthropic-messages',
    withTools: true,
    before: [{ role: 'system', content: 'Be brief.' }],
    write: (conversations) =>
      lines(
        conversations.map((conversation) => ({
          model: 'x',
          system: 'Be brief.',
          messages: anthropicMessages(conversation),
        })),
      ),
  },
  {
    format: 'claude-code',
    withTools: true,
    write: (conversations) =>
      lines(conversations.flatMap((conversation, index) => claudeCodeLines(conversation, idOf(index)))),
  },
  {
    format: 'codex',
    withTools: true,
    write: (conversations) =>
      lines(conversations.slice(0, 1).flatMap((conversation, index) => codexLines(conversation, idOf(index)))),
  },
  {
    format: 'chatgpt-export',
    withTools: false,
    write: (conversations) =>
      JSON.stringify(conversations.map((conversation, index) => chatgptConversation(conversation, idOf(index)))),
  },
  {
    format: 'sharegpt',
    withTools: false,
    write: (conversations) => {
      const written = conversations.map((conversation, index) => ({
        id: idOf(index),
        conversations: saidIn(conversation).map(({ role, content }) => ({ from: sharegptName(role), value: content })),
      }))
      return JSON.stringify(written, null, 2)
    },
  },
  {
    format: 'ui-messages',
    withTools: true,
    write: (conversations) =>
      JSON.stringify(conversations.map((conversation, index) => uiChat(conversation, idOf(index)))),
  },
]
