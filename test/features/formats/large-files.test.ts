import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConversationBuilder, LargeConversationError } from '../../../packages/transcripts/src/conversation/index.js'
import { type ParseOptions, parseStream, TranscriptFileError } from '../../../packages/transcripts/src/index.js'
import { quietContext } from '../../../packages/transcripts/src/model/index.js'
import { isLong, runs } from '../../helpers/long.js'

/** The long form, which test:full runs. */

const mebibyte = 2 ** 20
const said = 'word '.repeat(mebibyte / 5)
const message = 'expected a conversation of at most 128 MiB (its texts, and 1 KiB for each turn), found a longer one'
const day = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
const cue = (index: number) => `00:${String(index % 60).padStart(2, '0')}:00.000 --> 00:59:59.000\n`
const claudeLine = (index: number, content: string) => {
  const own = { uuid: `u${index}`, parentUuid: index === 0 ? null : `u${index - 1}`, timestamp: day(index) }
  return `${JSON.stringify({ type: 'user', ...own, sessionId: 's', message: { role: 'user', content } })}\n`
}
const codexLine = (index: number, content: string) => {
  const payload =
    index === 0
      ? { id: 's', timestamp: day(0), cwd: '/w', originator: 'codex', cli_version: '1.0.0' }
      : { type: 'message', role: 'user', content: [{ type: 'input_text', text: `${index} ${content}` }] }
  return `${JSON.stringify({ timestamp: day(index), type: index === 0 ? 'session_meta' : 'response_item', payload })}\n`
}

/** Files of one conversation without an end: each part and the line on which it begins. */
const endless: [string, ParseOptions['format'], number, (index: number) => string][] = [
  ['a fence of Markdown', 'markdown-chat', 2, (index) => (index === 0 ? '## User\n```\n' : `${said}\n`)],
  ['a session of Claude Code', 'claude-code', 1, (index) => claudeLine(index, `${index} ${said}`)],
  ['a dialogue', 'speaker-lines', 1, (index) => `${index % 2 ? 'Assistant' : 'User'}: ${said}\n`],
  ['one message of a dialogue', 'speaker-lines', 1, (index) => (index === 0 ? 'User: hello\n' : `${said}\n`)],
  ['a chat of WhatsApp', 'whatsapp', 1, (index) => `[13/01/26, 10:00:00] ${index % 2 ? 'Ann' : 'Ben'}: ${said}\n`],
  ['a chat whose dates do not show their order', 'whatsapp', 1, () => `[01/01/26, 10:00:00] Ann: ${said}\n`],
  [
    'subtitles',
    'webvtt',
    4,
    (index) => `${index ? '' : 'WEBVTT\n\n'}${cue(index)}<v ${index % 2}>${index} ${said}\n\n`,
  ],
  ['subtitles of one speaker', 'webvtt', 4, (index) => `${index ? '' : 'WEBVTT\n\n'}${cue(index)}${index} ${said}\n\n`],
  ['a session of Codex', 'codex', 2, (index) => codexLine(index, said)],
  ['a chat in lines of two bytes for each character', 'whatsapp', 1, () => `[13/01/26, 10:00:00] Ann: ${said}ж\n`],
]

const mostParts = 150

function* partsOf(part: (index: number) => string, read: { count: number }): Generator<string> {
  for (; read.count < mostParts; read.count++) yield part(read.count)
}

async function problemsOf(chunks: Iterable<string>, options: ParseOptions) {
  try {
    for await (const _ of parseStream(chunks, options));
  } catch (error) {
    if (error instanceof TranscriptFileError) return error.problems
    throw error
  }
  return []
}

describe('a conversation without an end', () => {
  it.each(isLong ? endless : endless.slice(0, 1))(
    'is refused before it fills the memory, with its first line: %s',
    async (_, format, line, part) => {
      const read = { count: 0 }
      const problems = await problemsOf(partsOf(part, read), { format, stopAtFirst: true })
      expect(problems).toMatchObject([{ line, message: `${message}; split the file, for instance by day` }])
      expect(read.count).toBeLessThan(mostParts - 1)
    },
  )

  it('is the only problem of its file, and the conversations that were complete before it are read', async () => {
    const start = '# aider chat started at 2026-01-01 10:00:00\n\n'
    const chunks = [
      start,
      '#### hello\n\nHi.\n\n',
      start,
      '#### more\n\n',
      ...Array(140).fill(`#### ${'x'.repeat(mebibyte)}\n\n`),
    ]
    const names: unknown[] = []
    const reading = async () => {
      for await (const { turns } of parseStream(chunks, { format: 'aider' })) names.push(turns[0]?.content)
    }
    await expect(reading()).rejects.toMatchObject({ problems: [{ line: 9 }] })
    expect(names).toEqual(['hello'])
  })
})

describe('the bound of a conversation', () => {
  const texts = ['', 'hello', 'x'.repeat(100_000), said, 'ж'.repeat(mebibyte / 2), '😀'.repeat(mebibyte / 4)]
  const isTaken = (contents: readonly string[]): boolean => {
    const conversation = new ConversationBuilder(quietContext())
    const place = { record: 1, offset: 0, pointer: '' }
    try {
      for (const content of contents) conversation.addMessage('user', content, { place, metadata: { speaker: 'Ann' } })
      conversation.build({ place })
      return true
    } catch (error) {
      if (error instanceof LargeConversationError) return false
      throw error
    }
  }
  const lengthOf = (contents: readonly string[]) => contents.reduce((sum, { length }) => sum + length, 0)

  it('takes each conversation that fits in one upload, and twenty times as much', () => {
    const turns = fc.array(fc.constantFrom(...texts), { maxLength: 1000, size: 'max' })
    const fitting = turns.map((contents) => {
      let room = 60 * mebibyte
      return contents.filter(({ length }) => {
        room -= length
        return room >= 0
      })
    })
    fc.assert(
      fc.property(fitting, (contents) => isTaken(contents)),
      { numRuns: runs(4) },
    )
  })

  it('refuses each conversation with more characters than it has bytes', () => {
    const long = fc.array(fc.constantFrom(...texts.slice(2)), { minLength: 300, maxLength: 1000 })
    fc.assert(
      fc.property(
        long.filter((contents) => lengthOf(contents) > 2 ** 27),
        (contents) => !isTaken(contents),
      ),
      { numRuns: runs(3) },
    )
  })
})
