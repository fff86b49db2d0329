import { expect, it } from 'vitest'
import { parse } from '../importer/parse.js'
import type { Transcript } from '../transcript.js'
import { toAnnotationMessages } from './annotation-messages.js'
import { toUpload } from './upload.js'

function messagesOf(value: unknown) {
  const [transcript] = parse(JSON.stringify(value)).transcripts
  if (!transcript) throw new Error('no transcript')
  const messages = toAnnotationMessages(transcript)
  expect(messages.map((message) => message.role)).toEqual(toUpload(transcript).turns.map((turn) => turn.role))
  return messages
}

it('writes calls and results into the content, one message a turn', () => {
  const call = (id: string, name: string, args: string) => ({ id, function: { name, arguments: args } })
  expect(
    messagesOf([
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Where is it?  ' },
      { role: 'assistant', content: 'Let me see.', tool_calls: [call('1', 'get', '{"id":7}'), call('2', 'now', '')] },
      { role: 'tool', tool_call_id: '1', content: '{"status": "shipped"}' },
      { role: 'tool', tool_call_id: '2', content: '' },
      { role: 'assistant', content: null, tool_calls: [call('3', 'run', 'rm -rf')] },
    ]),
  ).toEqual([
    { role: 'system', content: 'Be kind.', is_user_visible: false },
    { role: 'user', content: 'Where is it?  ', is_user_visible: true },
    { role: 'assistant', content: 'Let me see.\n[tool_call get] {"id":7}\n[tool_call now]', is_user_visible: true },
    { role: 'tool', content: '[tool_result get] {"status": "shipped"}', is_user_visible: false },
    { role: 'tool', content: '[tool_result now]', is_user_visible: false },
    { role: 'assistant', content: '[tool_call run] rm -rf', is_user_visible: false },
  ])
})

it('writes several results of one turn one after the other', () => {
  const toolResults = [
    { name: 'a', result: { x: 1 } },
    { name: 'b', result: 'y' },
  ]
  const [, answer] = messagesOf([
    { role: 'user', content: 'Both?' },
    { role: 'tool', content: 'Two.', toolResults },
  ])
  expect(answer?.content).toBe('Two.\n[tool_result a] {"x":1}\n[tool_result b] y')
})

it('writes a result of a tool below a text that is not its own', () => {
  const answerOf = (content: string, result: unknown) =>
    messagesOf([
      { role: 'user', content: 'Go' },
      { role: 'tool', content, toolResults: [{ name: 'a', result }] },
    ])[1]?.content
  expect(answerOf('One.', { x: 1 })).toBe('[tool_result a] One.\n{"x":1}')
  expect(answerOf('{"x": 1}', { x: 1 })).toBe('[tool_result a] {"x": 1}')
  expect(answerOf('One.', 'One.')).toBe('[tool_result a] One.')
})

it('gives annotation messages back as they came', () => {
  const transcript = [
    { role: 'user', content: 'a', is_user_visible: true },
    { role: 'human_agent', content: 'note', is_user_visible: false },
    { role: 'system', content: 'b', is_user_visible: true },
  ]
  expect(messagesOf({ transcript })).toEqual(transcript)
})

it('takes an upload, and a transcript that was read, whose missing lists are null', () => {
  const turns = [
    { role: 'assistant', content: '', toolCalls: [{ name: 'find', args: { order: 7 } }], toolResults: null },
    { role: 'tool', content: '', toolCalls: null, toolResults: [{ name: 'find', result: { error: 'timeout' } }] },
    { role: 'assistant', content: 'Sorry.', metadata: null },
  ]
  expect(toAnnotationMessages({ turns })).toEqual([
    { role: 'assistant', content: '[tool_call find] {"order":7}', is_user_visible: false },
    { role: 'tool', content: '[tool_result find] {"error":"timeout"}', is_user_visible: false },
    { role: 'assistant', content: 'Sorry.', is_user_visible: true },
  ])
})

it('an upload says in its metadata what the user does not see, as of a note, and what the role would hide', () => {
  const transcript = [
    { role: 'user', content: 'Where is it?', is_user_visible: true },
    { role: 'human_agent', content: 'An angry one.', is_user_visible: false },
    { role: 'system', content: 'You are now connected.', is_user_visible: true },
  ]
  const [read] = parse(JSON.stringify({ transcript })).transcripts
  const { turns } = toUpload(read as Transcript)
  expect(turns.map(({ metadata }) => metadata)).toEqual([
    undefined,
    { is_user_visible: false },
    { is_user_visible: true },
  ])
  expect(toAnnotationMessages({ turns })).toEqual(transcript)
})
