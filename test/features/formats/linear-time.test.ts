import { expect, it } from 'vitest'
import { type ParseOptions, parse, TranscriptFileError } from '../../../packages/transcripts/src/index.js'

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

/** The least CPU of reading a file in five readings, in milliseconds: what else the process does only adds to it. */
function cpuOf(file: string, options: ParseOptions): number {
  const readings = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    try {
      parse(file, options)
    } catch (error) {
      if (!(error instanceof TranscriptFileError)) throw error
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...readings)
}

// Quadratic work takes 64 times as much.
it.each(Object.keys(shapes))('reads a file of eight times the size in less than 24 times the CPU: %s', (name) => {
  const [options, write] = shapes[name] ?? [{}, () => '']
  expect(cpuOf(write(8_000), options)).toBeLessThan(24 * Math.max(cpuOf(write(1_000), options), 10))
})
