import { it } from 'vitest'
import {
  type ParseOptions,
  parse,
  TranscriptFileError,
  toFormat,
  writtenFormats,
} from '../../../packages/transcripts/src/index.js'
import { expectLinear } from '../../helpers/linear.js'

const lines = (count: number, line: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => JSON.stringify(line(index))).join('\n')
const list = (count: number, message: (index: number) => unknown) =>
  JSON.stringify({ messages: Array.from({ length: count }, (_, index) => message(index)) })
const role = (index: number) => (index % 2 === 0 ? 'user' : 'assistant')
const text = 'The same words of somebody, again and again, in each message of the session. '.repeat(4)

/** Files that grow with a number, in the shapes that a reader may search again for each record. */
const shapes: Record<string, [ParseOptions, (count: number) => string]> = {
  'equal texts in a list': [{}, (count) => list(count, (at) => ({ role: role(at), content: text }))],
  'equal texts in lines': [{}, (count) => lines(count, (at) => ({ role: role(at), content: text }))],
  'equal texts in a session': [
    { format: 'claude-code' },
    (count) =>
      lines(count, (at) => ({
        type: role(at),
        sessionId: 's',
        uuid: `u${at}`,
        parentUuid: at === 0 ? null : `u${at - 1}`,
        message: { role: role(at), content: text },
      })),
  ],
  'lines of a session that are nearly all equal': [
    { format: 'claude-code' },
    (count) =>
      lines(count, (at) => ({
        type: at % 2 === 0 ? 'user' : 'assistant',
        uuid: `u${at}`,
        parentUuid: at === 0 ? null : `u${at - 1}`,
        sessionId: 's',
        message:
          at % 2 === 0
            ? { role: 'user', content: 'b' }
            : { id: `m${at}`, role: 'assistant', content: [{ type: 'text', text: 'a' }] },
      })),
  ],
  'equal lines of a log': [
    { format: 'grok-cli' },
    (count) => lines(count, () => ({ type: 'user', content: [{ type: 'text', text }], prompt_index: 0 })),
  ],
  'unread texts': [{}, (count) => list(count, (at) => ({ role: role(at), content: `Hi ${at}`, mystery: text }))],
  'records that are refused': [{ format: 'mt-bench' }, (count) => lines(count, () => ({ mystery: text }))],
  'messages that are refused': [
    { format: 'atif' },
    (count) => lines(1, () => ({ steps: Array(count).fill({ x: text }) })),
  ],
  'calls of one id': [
    {},
    (count) =>
      list(count, (at) =>
        at % 2 === 0
          ? {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
            }
          : { role: 'tool', tool_call_id: 'c', content: text },
      ),
  ],
  'many small groups': [
    {},
    (count) => lines(count, (at) => ({ conversation_id: `c${at >> 1}`, role: role(at), content: text })),
  ],
  'many branches': [
    { branches: false },
    (count) =>
      list(count, (at) => ({
        id: `m${at}`,
        parent_id: at === 0 ? null : `m${Math.floor((at - 1) / 2)}`,
        role: role(at),
        content: text,
      })),
  ],
  'a deep tree': [
    {},
    (count) =>
      list(count, (at) => ({ id: `m${at}`, parent_id: at === 0 ? null : `m${at - 1}`, role: role(at), content: text })),
  ],
}

const reading = (file: string, options: ParseOptions) => () => {
  try {
    parse(file, options)
  } catch (error) {
    if (!(error instanceof TranscriptFileError)) throw error
  }
}

it.each(Object.keys(shapes))('reads a file of eight times the size in less than 24 times the CPU: %s', async (name) => {
  const [options, write] = shapes[name] ?? [{}, () => '']
  await expectLinear((count) => reading(write(count), options))
})

it('reads and writes an answer of eight times as many calls in less than 24 times the CPU', async () => {
  await expectLinear((count) => {
    const uses = Array.from({ length: count }, (_, id) => ({
      type: 'tool_use',
      id: `${id}`,
      name: `tool ${id % 2}`,
      input: {},
    }))
    const results = uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })).reverse()
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: uses },
      { role: 'user', content: results },
    ]
    const file = JSON.stringify({ messages })
    return () => {
      const [transcript] = parse(file, { format: 'anthropic-messages' }).transcripts
      if (transcript?.turns.length !== count + 2) throw new Error('expected a turn for each result')
      for (const format of writtenFormats) toFormat(transcript, format)
    }
  })
})
