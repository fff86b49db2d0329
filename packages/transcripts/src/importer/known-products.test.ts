import { describe, expect, it } from 'vitest'
import type { Problem, TranscriptFileError } from '../model/index.js'
import { detect } from './detect.js'
import { products, type Shape } from './known-products.js'
import { parse } from './parse.js'

function problemsOf(source: string | Uint8Array): Problem[] {
  try {
    throw new Error(`read as ${parse(source).format}`)
  } catch (error) {
    return (error as TranscriptFileError).problems ?? [{ message: (error as Error).message }]
  }
}

/** Texts, one of which fits each pattern of the table. */
const words =
  'user say session.start Gemini message U-1 system session_start tool_call session message.in metadata _checkpoint T-1 Prompt $ai_generation thread.message conversation.item.created response.created chat.completion.chunk ModelInvocationLog IMx request human TextMessage prt_1'.split(
    ' ',
  )

/** The least value of a shape. */
function sampleOf(shape: Shape): unknown {
  if (shape instanceof RegExp) return words.find((word) => shape.test(word)) ?? `no word fits ${shape}`
  if (typeof shape === 'string') return { text: 'words', number: 1, boolean: true, list: [], object: {} }[shape]
  if (Array.isArray(shape)) return [sampleOf(shape[0])]
  return Object.fromEntries(Object.entries(shape).map(([field, inner]) => [field, sampleOf(inner)]))
}

describe('the table of products that are not read', () => {
  it.each(products)('refuses a file with the shape of $title', ({ title, record = 'object' }) => {
    const text = JSON.stringify(sampleOf(record))
    for (const file of [text, `${text}\n${text}`, JSON.stringify([sampleOf(record)], null, 1)]) {
      expect(problemsOf(file)).toMatchObject([
        { code: 'unsupported_product', product: title, line: expect.any(Number) },
      ])
    }
  })

  it.each(products.filter(({ isReadInPart }) => isReadInPart))(
    'detects no format in a file of $title',
    ({ record = 'object' }) => {
      expect(detect(JSON.stringify(sampleOf(record)))).toBeUndefined()
    },
  )

  it('names each product as part of a sentence', () => {
    for (const { title } of products) expect(title).toMatch(/^an? \w/)
  })
})

it.each([
  ['a web page', '<!DOCTYPE html>\n<html><body>Hello</body></html>'],
  ['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n'],
])('refuses %s by its first lines', (product, text) => {
  for (const file of [text, `\ufeff${text}`, new TextEncoder().encode(text)]) {
    expect(problemsOf(file)).toMatchObject([{ product, line: 1, column: 1 }])
  }
})

it.each<[string, number[] | string, string?]>([
  ['a SQLite database', 'SQLite format 3\0', 'sqlite3'],
  ['a Cursor database', 'SQLite format 3\0 CREATE TABLE cursorDiskKV (key TEXT)'],
  ['a Parquet file', 'PAR1', 'CSV or JSONL'],
  ['a PDF', '%PDF-1.7'],
  ['an image', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['an Office file', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], 'CSV'],
  ['an xz file', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], 'Unpack'],
  ['a tar archive', `${'a.json'.padEnd(257, '\0')}ustar`, 'Unpack'],
  ['a gzip file', [0x1f, 0x8b, 8], 'containers'],
  ['a binary file', [7, 0, 0, 0]],
])('refuses %s by its first bytes, and says what to do', (product, start, advice = 'JSON') => {
  const bytes = new Uint8Array(4000).map((_, index) => index % 251)
  bytes.set(typeof start === 'string' ? new TextEncoder().encode(start) : start)
  const [problem, ...others] = problemsOf(bytes)
  expect([problem?.product, problem?.message, others]).toEqual([product, expect.stringContaining(advice), []])
})

describe('a file of a product that a format for any messages recognizes', () => {
  const part = { sessionID: 's', messageID: 'm', type: 'text', text: 'Hi', role: 'user', content: 'Hi' }

  it('is refused if the format would lose content, unless the format is given', () => {
    expect(problemsOf(JSON.stringify(part))).toMatchObject([{ product: 'a part of an opencode session' }])
    expect(problemsOf(JSON.stringify({ data: [part] }))).toMatchObject([{ product: 'a part of an opencode session' }])
    expect(parse(JSON.stringify(part), { format: 'turns' }).transcripts).toHaveLength(1)
  })
})

it('does not read the tree of an older DeepSeek export as one of ChatGPT', () => {
  const message = { model: 'deepseek-chat', inserted_at: '2026-01-01', fragments: [{ type: 'REQUEST', content: 'Hi' }] }
  const mapping = { root: { id: 'root', parent: null, message: null }, 1: { id: '1', parent: 'root', message } }
  expect(parse(JSON.stringify([{ id: 'c', title: 'T', inserted_at: '2026-01-01', mapping }])).format).toBe('deepseek')
  const { fragments: _, ...older } = { ...message, content: 'Hi' }
  const tree = { root: { id: 'root', parent: null, message: null }, 1: { id: '1', parent: 'root', message: older } }
  expect(problemsOf(JSON.stringify([{ id: 'c', title: 'T', mapping: tree }]))).toMatchObject([
    { code: 'unknown_format' },
  ])
})
