import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Source } from './input/sources.js'
import { readConversations } from './reading.js'

const now = Date.UTC(2026, 0, 1)
const utf8 = new TextEncoder()

const source = (path: string, chunks: Source['chunks']): Source => ({
  path,
  root: 'talks',
  isFound: true,
  notRead: [],
  chunks,
})

/** The same file once as a list of its only part, and once as a stream of parts. */
const asList = (path: string, text: string) => source(path, () => [utf8.encode(text)])
const asStream = (path: string, text: string, cut: number) =>
  source(path, async function* () {
    const bytes = utf8.encode(text)
    yield bytes.slice(0, cut)
    yield bytes.slice(cut)
  })

const talk = (content: string, more: object = {}) => JSON.stringify({ turns: [{ role: 'user', content }], ...more })
const lines = {
  named: talk('hello', { name: 'A talk' }),
  bare: talk('hi'),
  lossy: talk('bye', { tags: ['a'] }),
  empty: JSON.stringify({ turns: [] }),
  unknown: '{"some":"thing"}',
  broken: '{"turns": [',
  blank: '',
  long: JSON.stringify({ turns: Array.from({ length: 1_001 }, () => ({ role: 'user', content: 'x' })) }),
}

async function read(files: Source[], flags: { strict?: boolean; split?: boolean; stopAtFirst?: boolean }) {
  const { conversations, ...told } = await readConversations(
    files,
    { ...flags, hash: (text) => `#${text.length}` },
    now,
  )
  return { told, conversations: conversations.map(({ source: { path }, ...rest }) => ({ path, ...rest })) }
}

describe('a file that is there at once', () => {
  it('is read as one that comes in parts, whatever is in it', async () => {
    const text = fc.array(fc.constantFrom(...Object.values(lines)), { maxLength: 4 }).map((each) => each.join('\n'))
    const flags = fc.record({ strict: fc.boolean(), split: fc.boolean(), stopAtFirst: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), flags, fc.nat(60), async (texts, given, cut) => {
        const atOnce = await read(
          texts.map((each, at) => asList(`${at}.jsonl`, each)),
          given,
        )
        const streamed = await read(
          texts.map((each, at) => asStream(`${at}.jsonl`, each, cut)),
          given,
        )
        expect(atOnce).toEqual(streamed)
      }),
      { numRuns: 200 },
    )
  })

  it('gives what was complete before something broken', async () => {
    const { conversations, told } = await read(
      [asList('a.jsonl', [lines.named, lines.bare, lines.broken].join('\n'))],
      {},
    )
    expect(conversations.map(({ name }) => name)).toEqual(['A talk', 'a (2)'])
    expect(told.problems).toEqual([expect.stringContaining('a.jsonl:3:')])
  })

  it('is asked for its parts once where nothing is wrong with it', async () => {
    let asked = 0
    const counting = source('a.json', () => {
      asked++
      return [utf8.encode(lines.named)]
    })
    await read([counting], {})
    expect(asked).toBe(1)
  })
})
