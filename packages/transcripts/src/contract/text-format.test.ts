import { describe, expect, it } from 'vitest'
import { type ConversationDraft, quietContext, type ReaderContext, type Role } from '../model/index.js'
import { RecordSplitter, TextHead, TextLine } from '../records/index.js'
import { speakerLine } from './speakers.js'
import { defineTextFormat, type LineReader, readerOfMessages } from './text-format.js'

const notes = (columns: Record<string, string> = {}): ReaderContext =>
  quietContext({
    format: 'x',
    report: (message, { record }) => {
      problems.push(`${record}: ${message}`)
    },
    options: { columns },
  })
let problems: string[] = []

/** The turns of each conversation in a text, and its losses. */
function read(reader: (context: ReaderContext) => LineReader, text: string, columns = {}) {
  problems = []
  const format = defineTextFormat({ id: 'x', title: 'X', accepts: 'lines', detect: () => 1, reader })
  const file = format.reader(notes(columns))
  const splitter = new RecordSplitter()
  const records = [...splitter.push(text), ...splitter.end()]
  expect(splitter.layout).toBe('text')
  const drafts = records.flatMap(({ record, offset, value }) => [...file.read({ record, offset, value })])
  return [...drafts, ...file.end()].map(shown)
}

const shown = ({ name, sourceTimestamp, place, turns, losses }: ConversationDraft) => ({
  head: [place.record, name, sourceTimestamp].filter((each) => each !== undefined).join(' '),
  turns: turns.map(({ role, content, place, metadata }) =>
    [place.record, role, metadata?.speaker, JSON.stringify(content)].filter((each) => each !== undefined).join(' '),
  ),
  losses: losses.map(({ code, count, what }) => `${code} ${count} ${what}`),
})

const roles: Record<string, Role> = { User: 'user', Agent: 'assistant' }

describe('readerOfMessages', () => {
  it('reads a text whose lines name their speakers', () => {
    const reader = (context: ReaderContext) => readerOfMessages(context, speakerLine)
    const text = 'Call of Monday\nAnn: Hello\n  and welcome\n\nBot: Hi\nAnn: Bye\n'
    expect(read(reader, text)).toEqual([
      {
        head: '2',
        turns: ['2 user Ann "Hello\\n  and welcome"', '5 assistant Bot "Hi"', '6 user Ann "Bye"'],
        losses: ['dropped 1 line before the first message', 'invented 2 role of a speaker (user)'],
      },
    ])
    expect(read(reader, text, { 'role:Ann': 'agent' })[0]?.turns[0]).toMatch(/^2 human_agent Ann/)
    expect(read(reader, text, { 'role:*': 'agent' })[0]?.losses).toEqual(['dropped 1 line before the first message'])
  })

  it('reads a messenger whose lines have times, and lines of the service', () => {
    const reader = (context: ReaderContext) =>
      readerOfMessages(context, (line) => {
        const [, time, rest = ''] = /^\[(.{16})\] (.*)/.exec(line) ?? []
        if (time === undefined) return undefined
        const said = speakerLine(rest)
        return said ? { ...said, time } : { drop: 'line of the service' }
      })
    expect(read(reader, '[2026-03-12 10:00] Ann joined\n[2026-03-12 10:01] Ann: Hello\nyou\n')).toEqual([
      {
        head: '2 2026-03-12T10:01:00.000Z',
        turns: ['2 user Ann "Hello\\nyou"'],
        losses: [
          'dropped 1 line of the service',
          'invented 1 role of a speaker (user)',
          'changed 1 time without a zone',
        ],
      },
    ])
  })

  it('reads Markdown with headings of messages, marks of lines and several conversations', () => {
    const reader = (context: ReaderContext) =>
      readerOfMessages(context, (line, open) => {
        const time = /^# chat started at (.*)/.exec(line)?.[1]
        if (time !== undefined) return { conversation: { time } }
        const asked = /^#### (.*)/.exec(line)?.[1]
        if (asked !== undefined) return open?.role === 'user' ? asked : { role: 'user', text: asked }
        return open?.role === 'user' && line !== '' ? { role: 'assistant', text: line } : undefined
      })
    const text = '# chat started at 2026-03-12 10:00:00\n\n> v1\n\n#### Why?\n#### Where?\n\nSo.\n\n# Here\n'
    expect(read(reader, `${text}# chat started at 2026-03-13 10:00:00\n#### Hm?\n`)).toEqual([
      {
        head: '1 2026-03-12T10:00:00.000Z',
        turns: ['5 user "Why?\\nWhere?"', '8 assistant "So.\\n\\n# Here"'],
        losses: ['dropped 1 line before the first message', 'changed 1 time without a zone'],
      },
      { head: '11 2026-03-13T10:00:00.000Z', turns: ['12 user "Hm?"'], losses: ['changed 1 time without a zone'] },
    ])
  })

  it('reads headings inside of fences as text', () => {
    const reader = (context: ReaderContext) => {
      let isFenced = false
      return readerOfMessages(context, (line) => {
        if (line.startsWith('```')) isFenced = !isFenced
        const [, name = ''] = /^_\*\*(User|Agent) .*\*\*_$/.exec(line) ?? []
        if (isFenced || name === '') return line === '---' ? '' : undefined
        return { role: roles[name], text: '' }
      })
    }
    expect(read(reader, '_**User (1)**_\n\n```\n_**Agent (2)**_\n```\n\n---\n\n_**Agent (2)**_\n\nYes.\n')).toEqual([
      { head: '1', turns: ['1 user "```\\n_**Agent (2)**_\\n```"', '9 assistant "Yes."'], losses: [] },
    ])
  })
})

describe('defineTextFormat', () => {
  const format = defineTextFormat({
    id: 'x',
    title: 'X',
    accepts: 'lines that begin with "Ann: "',
    detect: ([first = '']) => (first.startsWith('Ann: ') ? 1 : 0),
    reader: (context) => readerOfMessages(context, speakerLine),
  })

  it('detects a text by its first lines, and nothing else', () => {
    expect(format.detect(new TextHead(['Ann: Hi']))).toBe(1)
    for (const value of [new TextHead(['Hi']), new TextLine('Ann: Hi'), 'Ann: Hi', {}])
      expect(format.detect(value)).toBe(0)
  })

  it('reports a record that is no line of a text', () => {
    problems = []
    expect(format.reader(notes()).read({ value: { a: 1 }, record: 3, offset: 9 })).toEqual([])
    expect(problems).toEqual(['3: expected lines that begin with "Ann: "; found an object with keys a'])
  })
})

describe('speakerLine', () => {
  it.each([
    ['Ann Lee: Hello', 'Ann Lee', 'Hello'],
    ['  Dr. Ana-María O’Neil (Support): Hi: there', 'Dr. Ana-María O’Neil (Support)', 'Hi: there'],
    ['Speaker 1:', 'Speaker 1', ''],
    ['李雷：你好', '李雷', '你好'],
    ['10:30 we met', undefined, ''],
    ['https://example.com', undefined, ''],
    ['I have got three things to say: first', undefined, ''],
    ['- Ann: Hi', undefined, ''],
    ['"So: no"', undefined, ''],
  ])('finds who speaks in %s', (line, speaker, text) => {
    expect(speakerLine(line)).toEqual(speaker === undefined ? undefined : { speaker, text })
  })
})

it('names the part of a line that its meaning does not hold, and neither labels nor times', () => {
  const reader = (context: ReaderContext) =>
    readerOfMessages(context, (line) => {
      const [, time, speaker, text = ''] = /^\((\S+).*?\) (\w+) says: (.*)$/.exec(line) ?? []
      return speaker === undefined ? undefined : { time, speaker, text }
    })
  const [draft] = read(reader, '(2026-01-31 on a train to Oslo) Ann says: Hi\n(2026-01-31) Bob says: Hello')
  expect(draft?.losses).toContain('dropped 1 part of a line')
})
