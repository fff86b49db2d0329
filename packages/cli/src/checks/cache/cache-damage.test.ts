import { mkdirSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CliError } from '../../exit.js'
import { openCache } from './cache.js'
import { header, lineOf } from './cache-file.js'
import { annotationOf, keyOf, temporaryWorld } from './cache-fixture.js'

let world: ReturnType<typeof temporaryWorld>
beforeEach(() => {
  world = temporaryWorld()
})
afterEach(() => world.remove())

const path = () => join(world.folder, 'annotations.jsonl')
const open = () => openCache(world.io, 'annotations.jsonl', { say: () => {} })
const line = (text: string) => lineOf(keyOf(text), annotationOf(text))

/** The error of a file with such a content. */
async function errorOf(content: string | Uint8Array): Promise<CliError> {
  writeFileSync(path(), content, { mode: 0o600 })
  return open().then(
    () => expect.unreachable(),
    (error) => error,
  )
}

const whole = [header, line('a'), line('b'), ''].join('\n')

function noUtf8(): Buffer {
  const bytes = Buffer.from(whole)
  bytes[bytes.lastIndexOf('ü')] = 0xff
  return bytes
}

describe('a damaged cache is refused with its place:', () => {
  const expected = `expected ${header}`
  it.each<[string, string | Uint8Array, string]>([
    ['another file', '{"a":1}\n', `1:1 ${expected}`],
    ['a text', 'hello', `1:1 ${expected}`],
    ['a header that was cut off', header.slice(0, 12), `1:1 ${expected}`],
    [
      'a cache of a later svc',
      '{"schema":"svc/annotation-cache@2"}\n',
      `1:1 ${expected}, found svc/annotation-cache@2`,
    ],
    ['no header', whole.slice(header.length + 1), `1:1 ${expected}`],
    ['UTF-16', Buffer.from(`\ufeff${whole}`, 'utf16le'), `1:1 ${expected}`],
    ['bytes', Uint8Array.from({ length: 5_000 }, (_, i) => (i * 7) % 256), `1:1 ${expected}`],
    ['a last line that was cut off', whole.slice(0, -100), `3:${line('b').length - 98} expected `],
    ['a line that was cut off', whole.replace(line('a'), line('a').slice(0, 50)), '2:51 expected '],
    ['JSON of something else', `${header}\n{"a":1}\n`, '2:3 expected an entry as svc writes it'],
    ['no JSON', `${header}\n{"digest":}\n`, '2:11 expected '],
    ['another word', whole.replace('"title":"b"', '"title":"c"'), '3:12 the digest of the line is another'],
    ['no UTF-8', noUtf8(), `3:${line('b').indexOf('ü') + 1} expected UTF-8`],
  ])('%s', async (_, content, place) => {
    const error = await errorOf(content)
    expect(error).toMatchObject({
      ...{ name: 'CliError', exit: 3, message: 'The cache of annotations is damaged; nothing was sent.' },
      hint: expect.stringMatching(/delete the file.* asked for again; or run with --no-cache$/),
    })
    expect(error.details).toEqual([expect.stringContaining(`${path()}:${place}`)])
  })

  it('a folder', async () => {
    mkdirSync(path())
    await expect(open()).rejects.toMatchObject({ exit: 3, details: [`${path()}:1:1 expected a file, found a folder`] })
  })

  it.skipIf(platform() === 'win32')('a folder that is a file', async () => {
    writeFileSync(path(), whole)
    const opening = openCache(world.io, join('annotations.jsonl', 'b.jsonl'), { say: () => {} })
    await expect(opening).rejects.toMatchObject({
      exit: 3,
      message: expect.stringContaining('cannot be read (ENOTDIR)'),
    })
  })

  it('lines without an end', async () => {
    const error = await errorOf(`${header}\n{"digest":${' '.repeat((1 << 24) + 1)}`)
    expect(error.details[0]).toContain(`${path()}:2:`)
  })
})

describe('whatever befalls a cache', () => {
  const texts = [...'abcd']
  const file = Buffer.from([header, ...texts.map(line), ''].join('\n'))

  /** Every answer that it still gives is the right one, or it is refused with its place. */
  async function isHonest(content: Uint8Array): Promise<void> {
    writeFileSync(path(), content, { mode: 0o600 })
    const cache = await open().catch((error: CliError) => {
      expect([error.exit, error.details[0]]).toEqual([3, expect.stringMatching(/:\d+:\d+ /)])
    })
    for (const text of texts) expect([undefined, annotationOf(text)]).toContainEqual(cache?.get(keyOf(text)))
    await cache?.close()
  }

  it('a byte that is another, it gives no wrong answer', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.nat(255), async (at, byte) => {
        const content = Uint8Array.from(file)
        content[at] = byte
        await isHonest(content)
      }),
      { numRuns: 300 },
    ))

  it('an end that is missing, it gives no wrong answer', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(file.length), (length) => isHonest(file.subarray(0, length))),
      { numRuns: 200 },
    ))

  it('bytes that were taken out, put in or moved, it gives no wrong answer', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(file.length), fc.nat(file.length), fc.nat(file.length), (from, to, at) => {
        const part = file.subarray(Math.min(from, to), Math.max(from, to))
        return isHonest(Buffer.concat([file.subarray(0, at), part, file.subarray(at)]))
      }),
      { numRuns: 200 },
    ))
})
