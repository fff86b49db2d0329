import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLong, runs } from '../../../../test/helpers/long.js'
import { sampleLayouts } from '../../test/fixtures/sample-files.js'
import { type FormatId, formats } from '../formats/registry.js'
import { detect, parse, parseStream, TranscriptFileError, toAnnotationMessages, toUpload } from '../index.js'
import { Importer } from './importer.js'

/** The long form, which test:full runs. */
const ids = formats.map(({ id }) => id)

/** Asserts that a file gives turns fit to be sent, or is refused with a place for each problem; says which. */
function survives(source: string | Uint8Array, format?: FormatId): 'read' | 'refused' {
  try {
    const { transcripts } = parse(source, { format })
    expect(transcripts.length).toBeGreaterThan(0)
    for (const transcript of transcripts) {
      expect(transcript.turns.length).toBeGreaterThan(0)
      JSON.stringify([toUpload(transcript), toAnnotationMessages(transcript)])
    }
    return 'read'
  } catch (error) {
    if (!(error instanceof TranscriptFileError)) throw error
    expect(error.problems.length).toBeGreaterThan(0)
    for (const { line, column, message } of error.problems) {
      expect(Math.min(line, column)).toBeGreaterThan(0)
      expect(message.length).toBeLessThan(10_000)
    }
    return 'refused'
  }
}

const user = (content: string, more = {}) => JSON.stringify({ messages: [{ role: 'user', content }], ...more })

describe('a file that is no transcript', () => {
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52)
  const strange: [string, string | Uint8Array][] = [
    ['an image', png],
    ['a web page', '<!doctype html>\n<html><body>{"role":"user"}</body></html>\n'],
    ['a page of Markdown', '# Conversation\n\n- **user**: hi\n- **bot**: ho\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'],
    ['a program', '{\n  const a = [1, 2]\n}\n'],
    ['a list of numbers', '[1, 2, 3]'],
    ['a lone text', '"text"'],
    ['nothing but NUL', new Uint8Array(isLong ? 100_000 : 10_000)],
    ['nothing but a mark', '\uFEFF'],
    ['half a mark', Uint8Array.of(0xef, 0xbb)],
    ['a table without rows', 'role,content\n'],
    ['a file with only blank lines', '\n \r\n'.repeat(isLong ? 100_000 : 10_000)],
  ]

  it.each(strange.map(([name, source], turn) => [name, source, turn] as const))(
    'refuses a strange file with any --format: %s',
    (_, source, turn) => {
      expect(survives(source)).toBe('refused')
      for (const [at, id] of ids.entries()) if (isLong || at % 5 === turn % 5) survives(source, id)
    },
  )
})

describe('nesting', () => {
  const deep = (open: string, close: string) => open.repeat(300_000) + close.repeat(300_000)
  const nested: [string, string][] = [
    ['of nothing else', deep('[', ']')],
    ['that never ends', '{"a":'.repeat(300_000)],
    ['on a line', `${user('a')}\n${deep('[', ']')}\n${user('b')}`],
    ['in an array', `[${user('a')},${deep('{"a":', '}').replace(':}', ':1}')}]`],
    ['in a document', `{\n"messages":[{"role":"user","content":"a"}],"metadata":{"x":${deep('[', ']')}}}\n`],
    ['in a message', user('a').replace('"a"', `[{"type":"text","text":"a"},${deep('[', ']')}]`)],
    ['in a call', `{"turns":[{"role":"user","content":"a","toolCalls":[{"name":"f","args":${deep('[', ']')}}]}]}`],
    ['in cells', `role,content\nuser,"${deep('[', ']')}"\n`],
  ]

  const some: FormatId[] = ['turns', 'openai-chat', 'claude-code', 'otel-genai', 'table']

  it.each(nested.map(([name, text], turn) => [name, text, turn] as const))(
    '300 000 levels deep does no harm: %s',
    (_, text, turn) => {
      survives(text)
      detect(text)
      for (const id of isLong ? some : some.slice(turn % some.length).slice(0, 1)) survives(text, id)
    },
  )
})

describe('odd JSON', () => {
  it('odd JSON may repeat a key, of which the last counts', () => {
    const text = '{"messages":[],"messages":[{"role":"bot","role":"user","content":"a","content":"b"}]}'
    expect(parse(text).transcripts[0]?.turns).toMatchObject([{ role: 'user', content: 'b' }])
  })

  it('odd JSON may have keys that mean something to JavaScript', () => {
    const own = '"__proto__":{"role":"user","polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":null'
    const turn = `{"role":"user","content":"a","metadata":{${own}},"toolCalls":[{"name":"__proto__","args":{${own}}}]}`
    const { transcripts } = parse(`{"name":"n","turns":[${turn}],"metadata":{${own}}}`)
    const [sent] = transcripts.map((each) => toUpload(each))
    expect(JSON.parse(JSON.stringify(sent?.metadata))).toEqual(JSON.parse(`{${own}}`))
    expect(JSON.stringify(sent?.turns[0]?.toolCalls)).toBe(`[{"name":"__proto__","args":{${own}}}]`)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    for (const id of ids) survives(`{"messages":[${turn}],${own}}`, id)
  })

  it('odd JSON may have numbers that no double holds', () => {
    const text = '{"turns":[{"role":"user","content":"a","metadata":{"id":12345678901234567890,"x":1e999}}]}'
    expect(survives(text)).toBe('read')
  })

  it('odd JSON may have lone surrogates and NUL, which are changed and counted', () => {
    const [transcript] = parse('{"messages":[{"role":"user","content":"a\\ud800\\u0000b😀"}]}').transcripts
    expect(transcript?.turns[0]?.content).toBe('a\uFFFDb😀')
    expect(transcript?.losses).toMatchObject([{ what: 'null character' }, { what: 'lone surrogate' }])
  })
})

describe('bytes that are no UTF-8', () => {
  const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

  it.each([
    ['a document', '{"messages":[\n{"role":"user","content":"é"}]}', 2],
    ['a line', `${user('a')}\n${user('é')}`, 2],
    ['a row', 'role,content\nuser,a\nuser,é\n', 3],
  ])('bytes that are no UTF-8 are refused where they stand in %s', (_, text, line) => {
    expect(() => parse(latin(text))).toThrow(`line ${line}, column `)
    expect(() => parse(latin(text))).toThrow('expected UTF-8, found invalid bytes; convert the file to UTF-8')
  })
})

describe('millions of blank lines', () => {
  async function* blank() {
    for (let part = 0; part < (isLong ? 100 : 10); part++) yield new Uint8Array(100_000).fill(0x0a)
  }

  it.each([
    ['before a conversation', '', user('a')],
    ['between two', `${user('a')}\n${user('b')}\n`, user('c')],
    ['in an array', '[', `${user('a')}]`],
    ['in a table', 'role,content\nuser,a\n', 'user,b'],
  ])('millions of blank lines are read over %s', async (_, before, after) => {
    async function* chunks() {
      yield before
      yield* blank()
      yield after
    }
    const lines: number[] = []
    for await (const { place } of parseStream(chunks())) lines.push(place.record)
    expect(lines.length).toBeGreaterThan(0)
  })
})

/** Bytes of chance, which fast-check would draw one by one. */
function chanceBytes(seed: number, count: number): Uint8Array {
  const words = new Uint32Array(count / 4)
  let word = seed | 1
  for (let at = 0; at < words.length; at++) {
    // Xorshift of 32 bits.
    word ^= word << 13
    word ^= word >>> 17
    word ^= word << 5
    words[at] = word
  }
  return new Uint8Array(words.buffer)
}

describe('whatever a file holds', () => {
  it('it is read or refused: a megabyte of chance', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        survives(chanceBytes(seed, 1 << 20))
      }),
      { numRuns: runs(1) },
    )
  })

  const samples = sampleLayouts.map(({ text }) => text)
  const damaged = fc
    .tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat())
    .map(([text, changes, length]) => {
      const bytes = new TextEncoder().encode(text)
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte
      return bytes.subarray(0, length % 3 === 0 ? length % bytes.length : bytes.length)
    })

  it('it is read or refused: files of all formats with bytes changed and their ends cut', () => {
    fc.assert(
      fc.property(damaged, fc.constantFrom(undefined, ...ids), (source, id) => {
        survives(source, id)
      }),
      { numRuns: runs(300) },
    )
  })

  // A fifth of the samples, of which every one comes in turn; in the long form all.
  it.each(ids.map((id, turn) => ({ id, turn })))('reads or refuses a file of another format as $id', ({ id, turn }) => {
    for (const [at, text] of samples.entries()) if (isLong || at % 5 === turn % 5) survives(text, id)
  })
})

it('a message in more pieces than a call has arguments is read or refused', () => {
  const pieces = Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'a' }))
  const attachments = Object.fromEntries(pieces.map((_, at) => [`h${at}`, 'a']))
  const messages = [{ role: 'user', content: pieces }]
  const telegram = { id: 1, type: 'message', date: '2026-01-01T10:00:00', from: 'Ann', from_id: 'user1', text: pieces }
  const sample = { id: 1, epoch: 1, input: 'Hi', messages: [{ role: 'user', content: 'Hi' }], attachments }
  const files: [FormatId, unknown][] = [
    ['openai-chat', { messages }],
    ['telegram', { name: 'A', type: 'personal_chat', id: 1, messages: [telegram] }],
    ['inspect', { version: 2, status: 'success', eval: { task: 't' }, samples: [sample] }],
  ]
  for (const [id, file] of files) survives(JSON.stringify(file), id)
})

it('a file with more problems than anyone reads is not read to its end', () => {
  const file = new Importer({ format: 'turns' })
  const line = '{"turns":[{"role":"x","content":"a"}]}\n'
  for (let part = 0; part < 50; part++) Array.from(file.push(line.repeat(1000)))
  expect(file.problems).toHaveLength(10_000)
})
