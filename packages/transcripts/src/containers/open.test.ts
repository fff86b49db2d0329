import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { deflatedBlanks, type Member, textBytes, zipOf, zstdOf, zstdOfBlanks } from '../../test/fixtures/archives.js'
import { parseStream } from '../importer/parse.js'
import { ContainerError, openBytes, openFile } from './index.js'

const folder = mkdtempSync(join(tmpdir(), 'containers-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Enough for several parts. */
const count = 3_000
const conversation = (content: string) => JSON.stringify({ name: 'n', turns: [{ role: 'user', content }] })
const long = `${Array.from({ length: count }, (_, index) => conversation(`Number ${index}, é😀`)).join('\n')}\n`

/** The files in packed bytes, opened from memory and from a disk, each as its name and the words in it. */
async function opened(bytes: Uint8Array) {
  const path = join(folder, 'packed')
  writeFileSync(path, bytes)
  const files = await Promise.all([openBytes(bytes), openFile(path)])
  const [inMemory, onDisk] = await Promise.all(
    files.map(({ files: each }) =>
      Promise.all(each.map(async ({ member, chunks }) => [member, await wordsOf(chunks())])),
    ),
  )
  expect(inMemory).toEqual(onDisk)
  return inMemory
}

async function wordsOf(chunks: Parameters<typeof parseStream>[0]) {
  const words: string[] = []
  for await (const { turns, place } of parseStream(chunks)) {
    words.push(`${place.member === undefined ? '' : `${place.member}: `}${turns.map(({ content }) => content).join()}`)
  }
  return words
}

const failure = (bytes: Uint8Array) =>
  opened(bytes).then(
    () => 'read',
    (error: unknown) => (error instanceof ContainerError ? error.message : error),
  )

describe('a file', () => {
  const numbers = Array.from({ length: count }, (_, index) => `Number ${index}, é😀`)

  it.each([
    ['as it is', textBytes(long)],
    ['packed by gzip', gzipSync(long)],
    ['of several parts that gzip packed', Buffer.concat([gzipSync(long.slice(0, 999)), gzipSync(long.slice(999))])],
    ['packed by gzip, hardly', gzipSync(long, { level: 0 })],
    ['packed by zstd', zstdOf(long)],
    ['of several frames of zstd', Buffer.concat([zstdOf(long.slice(0, 999)), zstdOf(long.slice(999))])],
  ])('a file is read %s', async (_, bytes) => {
    expect(await opened(bytes)).toEqual([[undefined, numbers]])
  })

  it.skipIf(process.platform === 'win32')('a file may be a pipe', async () => {
    const path = join(folder, 'pipe')
    execFileSync('mkfifo', [path])
    const [{ files }] = await Promise.all([openFile(path), writeFile(path, gzipSync(conversation('Hi')))])
    expect(await Promise.all(files.map(({ chunks }) => wordsOf(chunks())))).toEqual([['Hi']])
  })

  it('a file may be shorter than the mark of an archive', async () => {
    expect(await failure(textBytes('{}'))).toMatchObject({ name: 'TranscriptFileError' })
    expect(await failure(textBytes(''))).toMatchObject({ message: /the file is empty/ })
  })

  it.each([
    ['gzip', gzipSync(long).subarray(0, 5000), /^the gzip file is damaged: unexpected end of file/],
    ['gzip', Buffer.concat([gzipSync(long).subarray(0, 5000), Buffer.alloc(9000, 7)]), /^the gzip file is damaged/],
    ['gzip', Uint8Array.of(0x1f, 0x8b), /^the gzip file is damaged/],
    ['zstd', zstdOf(long).subarray(0, 100_000), /^the zstd file is damaged: unexpected EOF/],
    ['zstd', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), /^the zstd file is damaged/],
    ['zstd', Buffer.concat([zstdOf(long), zstdOf('', 30)]), /^the zstd file is packed with a window of 1073741824/],
    ['zstd', zstdOf(long, 30), /^the zstd file is packed with a window of 1073741824 bytes; unpack it first/],
  ])('a file that is broken %s is refused', async (_, bytes, message) => {
    expect(await failure(bytes)).toMatch(message)
  })

  it('reports why its source failed', async () => {
    const packed = gzipSync(long, { level: 0 })
    const [file] = (await openBytes(packed)).files
    packed.subarray(100_000).fill(0)
    await expect(wordsOf(file?.chunks() ?? [])).rejects.toThrow(/damaged/)
  })
})

describe('a zip archive', () => {
  const content = conversation('Hi')

  it.each<[string, Partial<Member>]>([
    ['stored', {}],
    ['deflated', { method: 8 }],
    ['packed by zstd', { method: 93 }],
    ['with sizes of ZIP64', { method: 8, zip64: true }],
  ])('a zip archive may have its members %s', async (_, how) => {
    expect(await opened(zipOf({ name: 'a.json', content, ...how }))).toEqual([['a.json', ['Hi']]])
    const large = zipOf({ name: 'a.jsonl', content: long, ...how }, { name: 'b.jsonl', content: long, ...how })
    const words = (await opened(large))?.map(([name, all]) => [name, all?.length])
    expect(words).toEqual([
      ['a.jsonl', count],
      ['b.jsonl', count],
    ])
  })

  it('gives each file that may hold transcripts, and no notes of archivers', async () => {
    const names = [
      'logs/a.json',
      'b.JSONL',
      'c.txt',
      '__MACOSX/._a.json',
      '.hidden.json',
      'x/.git/d.json',
      'd/é.ndjson',
    ]
    const files = await opened(zipOf(...names.map((name) => ({ name, content }))))
    expect(files).toEqual(['logs/a.json', 'b.JSONL', 'd/é.ndjson'].map((name) => [name, ['Hi']]))
  })

  it('a zip archive of a ChatGPT export is one file of its conversations', async () => {
    const chat = (id: string) => {
      const message = { author: { role: 'user' }, content: { content_type: 'text', parts: [id] } }
      return JSON.stringify([{ title: id, current_node: 'a', mapping: { a: { message, parent: null, children: [] } } }])
    }
    const export_ = zipOf(
      { name: 'user.json', content: '{}' },
      { name: 'conversations-000.json', content: chat('one'), method: 8 },
      { name: 'conversations-001.json', content: chat('two'), method: 8 },
    )
    const words = ['conversations-000.json: one', 'conversations-001.json: two']
    expect(await opened(export_)).toEqual([[undefined, words]])
  })

  it('reads an archive with exports in folders as one file per folder, and reports the skipped members', async () => {
    const chat = (id: string) => {
      const message = { author: { role: 'user' }, content: { content_type: 'text', parts: [id] } }
      return JSON.stringify([{ title: id, current_node: 'a', mapping: { a: { message, parent: null, children: [] } } }])
    }
    const bytes = zipOf(
      { name: 'one/conversations.json', content: chat('one') },
      { name: 'one/user.json', content: '{}' },
      { name: 'two/conversations.json', content: chat('two') },
      { name: 'conversation.json', content },
      { name: 'photo.png', content: '' },
    )
    expect(await opened(bytes)).toEqual([
      ['one', ['one/conversations.json: one']],
      ['two', ['two/conversations.json: two']],
      ['conversation.json', ['Hi']],
    ])
    expect((await openBytes(bytes)).left).toEqual(['one/user.json', 'photo.png'])
  })

  it('reads compressed members of an archive', async () => {
    const inner = zipOf({ name: 'a.json', content }, { name: 'b.txt', content }, { name: 'c.zip', content: zipOf() })
    const bytes = zipOf(
      { name: 'a.json.gz', content: gzipSync(content) },
      { name: 'b.jsonl.zst', content: zstdOf(content) },
      { name: 'c.traj', content },
      { name: 'd.eval', content },
      { name: 'e.zip', content: inner },
    )
    const names = ['a.json.gz', 'b.jsonl.zst', 'c.traj', 'd.eval', 'e.zip/a.json']
    expect(await opened(bytes)).toEqual(names.map((name) => [name, ['Hi']]))
    expect((await openBytes(bytes)).left).toEqual(['e.zip/b.txt', 'e.zip/c.zip'])
  })

  it('a zip archive of an Inspect log is one file of its samples', async () => {
    const sample = (id: number) =>
      JSON.stringify({ id, epoch: 1, messages: [{ role: 'user', content: `Sample ${id}` }] })
    const log = zipOf(
      { name: 'summaries.json', content: '[]', method: 93 },
      { name: 'samples/1_epoch_1.json', content: sample(1), method: 93 },
      { name: 'samples/2_epoch_1.json', content: sample(2), method: 8 },
      {
        name: 'header.json',
        content: JSON.stringify({ version: 2, status: 'success', eval: { task: 't', model: 'm' } }),
      },
    )
    const words = ['samples/1_epoch_1.json: Sample 1', 'samples/2_epoch_1.json: Sample 2']
    expect(await opened(log)).toEqual([[undefined, words]])
  })

  it.each<[string, Uint8Array, RegExp]>([
    ['empty', zipOf(), /^the zip archive holds no transcripts, only nothing$/],
    [
      'without any',
      zipOf(...'abcdef'.split('').map((name) => ({ name, content }))),
      /, only a, b, c, d, e and 1 more$/,
    ],
    [
      'encrypted',
      zipOf({ name: 'a.json', content, method: 8, encrypted: true }),
      /^"a.json" in the zip archive is encrypted/,
    ],
    [
      'of another method',
      zipOf({ name: 'a.json', content, method: 14 }),
      /^"a.json" .* uses compression method 14; supported are/,
    ],
    ['truncated', zipOf({ name: 'a.json', content }).subarray(0, 60), /^the zip archive is damaged/],
    [
      'of a wrong size',
      zipOf({ name: 'a.json', content, method: 8, size: 5 }),
      /^"a.json" .* is damaged: too many bytes/,
    ],
    ['of a wrong size', zipOf({ name: 'a.json', content, method: 93, size: 5 }), /expected 5 bytes, found more$/],
    [
      'of a wrong sum',
      zipOf({ name: 'a.json', content, sum: 5 }),
      /^"a.json" .* is damaged: its checksum does not match/,
    ],
    [
      'of a wrong sum',
      zipOf({ name: 'a.json', content, method: 93, sum: 5 }),
      /is damaged: its checksum does not match/,
    ],
    ['that leads out of its folder', zipOf({ name: '../a.json', content }), /^the zip archive is damaged: invalid rel/],
  ])('a zip archive that is %s is refused', async (_, bytes, message) => {
    expect(await failure(bytes)).toMatch(message)
  })

  it('refuses an archive with overlapping members', async () => {
    const bytes = zipOf({ name: 'a.json', content: long }, { name: 'b.json', content: long })
    const once = Buffer.from(bytes)
    const second = once.lastIndexOf('PK\x01\x02', undefined, 'latin1')
    // Both are at the start, and what the first holds is taken out.
    once.writeUInt32LE(0, second + 42)
    const start = once.indexOf('PK\x03\x04', 4, 'latin1')
    const end = once.indexOf('PK\x01\x02', 0, 'latin1')
    const overlapping = Buffer.concat([once.subarray(0, start), once.subarray(end)])
    overlapping.writeUInt32LE(start, overlapping.length - 6)
    expect(await failure(overlapping)).toMatch(/^the zip archive is damaged: its members overlap/)
  })
})

describe('a bomb', () => {
  const packed = deflatedBlanks(300)
  const zip = { name: 'a.json', content: '', method: 8, packed, size: 300 << 20 }
  const gzipHead = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3)
  const bombs: [string, () => Uint8Array, RegExp][] = [
    ['zip', () => zipOf(zip), /^the zip archive unpacks to more than 200 times its size/],
    ['gzip', () => Buffer.concat([gzipHead, packed]), /^the gzip file unpacks to more than 200 times its size/],
    ['zstd', () => zstdOfBlanks(1 << 20), /^the zstd file unpacks to more than 200 times its size/],
  ]

  it.each(bombs)('a bomb of %s is refused before it has unpacked', async (_, pack, message) => {
    let bytes = 0
    const reading = (async () => {
      const [file] = (await openBytes(pack())).files
      for await (const part of file?.chunks() ?? []) bytes += (part as Uint8Array).length
    })()
    await expect(reading).rejects.toThrow(message)
    expect(bytes).toBeLessThan(257 << 20)
  })
})
