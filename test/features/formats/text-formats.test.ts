import * as transcripts from '@svc/transcripts'
import { describe, expect, it, vi } from 'vitest'

vi.resetModules()
/** The package once more, as an importer has it that is installed beside a program. */
const copy = await import('@svc/transcripts')

const text = 'Chat c-7\nCustomer: Where is my order?\nBot: On its way.\nIt comes today.\n'

const deskChat = ({ defineTextFormat, readerOfMessages, speakerLine }: typeof copy) =>
  defineTextFormat({
    id: 'desk-chat',
    title: 'Chat of our desk',
    accepts: 'a line "Chat c-7", then lines such as "Ann: Hello"',
    detect: ([first = '']) => (/^Chat c-\d+$/.test(first) ? 1 : 0),
    reader: (context) =>
      readerOfMessages(context, (line) => {
        const id = /^Chat (c-\d+)$/.exec(line)?.[1]
        return id === undefined ? speakerLine(line) : { conversation: { id } }
      }),
  })

it('a copy of the package has classes and functions of its own', () => {
  expect(copy.defineTextFormat).not.toBe(transcripts.defineTextFormat)
  expect(copy.TranscriptFileError).not.toBe(transcripts.TranscriptFileError)
})

describe.each([
  ['the package', transcripts],
  ['a copy of the package', copy],
])('a text format that %s defines', (_, from) => {
  const formats = [deskChat(from)]

  it('detects and reads a text', () => {
    expect(transcripts.detect(text, { formats })).toEqual({ format: 'desk-chat', confidence: 1 })
    const { format, transcripts: found } = transcripts.parse(text, { formats })
    expect(format).toBe('desk-chat')
    expect(found).toMatchObject([
      {
        externalId: 'c-7',
        turns: [
          { role: 'user', content: 'Where is my order?', place: { record: 2 } },
          { role: 'assistant', content: 'On its way.\nIt comes today.', place: { record: 3 } },
        ],
        losses: [],
      },
    ])
  })

  it('reads no JSON that has the fields of a line', () => {
    const line = JSON.stringify({ text: 'Customer: Hi', lines: ['Chat c-7'] })
    const read = () => transcripts.parse(line, { formats, format: 'desk-chat' })
    expect(read).toThrow('expected a line "Chat c-7"')
  })
})

it('a declared format that a copy of the package defines reads a file', () => {
  const declared = copy.defineFormat({
    id: 'desk-call',
    title: 'Call of our desk',
    accepts: '{ "lines": [{ "who", "says" }] }',
    signature: { 'lines[].who': 1 },
    messages: 'lines',
    role: 'who',
    roles: { user: 'caller' },
    text: 'says',
  })
  const { transcripts: found } = transcripts.parse('{"lines":[{"who":"caller","says":"Hi","mood":"bad"}]}', {
    formats: [declared],
  })
  expect(found).toMatchObject([{ turns: [{ role: 'user', content: 'Hi' }], losses: [{ what: 'field "mood"' }] }])
})
