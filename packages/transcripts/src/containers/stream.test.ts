import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { zipOf, zstdOf } from '../../test/fixtures/archives.js'
import { parseStream } from '../importer/parse.js'
import { openStream } from './open.js'

const conversation = (content: string) => JSON.stringify({ name: 'n', turns: [{ role: 'user', content }] })

async function* streamed(bytes: Uint8Array, step: number) {
  for (let at = 0; at < bytes.length; at += step) yield bytes.slice(at, at + step)
}

async function wordsOf(chunks: Parameters<typeof parseStream>[0]) {
  const words: string[] = []
  for await (const { turns } of parseStream(chunks)) words.push(turns.map(({ content }) => content).join())
  return words
}

describe('a stream', () => {
  const bytes = new TextEncoder().encode(`${conversation('first')}\n${conversation('second')}\n`)

  it('a stream is read as it comes', async () => {
    const begun: string[] = []
    async function* slow() {
      yield bytes.slice(0, -5)
      begun.push('the rest is asked for')
      yield bytes.slice(-5)
    }
    const [file] = (await openStream(slow())).files
    for await (const part of file?.chunks() ?? []) begun.push(`${(part as Uint8Array).length} bytes`)
    expect(begun).toEqual([`${bytes.length - 5} bytes`, 'the rest is asked for', '5 bytes'])
  })

  it('a stream can be read again while no more has come than is kept', async () => {
    const [file] = (await openStream(streamed(bytes, 8), bytes.length)).files
    const chunks = () => wordsOf(file?.chunks() ?? [])
    expect([await chunks(), await chunks()]).toEqual([
      ['first', 'second'],
      ['first', 'second'],
    ])
  })

  it('does not buffer more than the limit, and reports this when it is read again', async () => {
    const [file] = (await openStream(streamed(bytes, 8), bytes.length - 1)).files
    expect(await wordsOf(file?.chunks() ?? [])).toEqual(['first', 'second'])
    await expect(wordsOf(file?.chunks() ?? [])).rejects.toThrow(/no longer in memory/)
  })

  it.each([
    ['gzip', (text: string) => gzipSync(text)],
    ['zstd', (text: string) => zstdOf(text)],
    ['zip', (text: string) => zipOf({ name: 'conversations.jsonl', content: text })],
  ])('a stream that is packed by %s is unpacked', async (_, pack) => {
    const packed = pack(new TextDecoder().decode(bytes))
    const [file] = (await openStream(streamed(packed, 3))).files
    expect(await wordsOf(file?.chunks() ?? [])).toEqual(['first', 'second'])
  })

  it('closes the stream when the reader stops early', async () => {
    let isClosed = false
    async function* endless() {
      try {
        for (;;) yield bytes.slice()
      } finally {
        isClosed = true
      }
    }
    const [file] = (await openStream(endless())).files
    for await (const _ of file?.chunks() ?? []) break
    expect(isClosed).toBe(true)
  })
})
