import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Cache, openCache } from './cache.js'
import { header, lineOf } from './cache-file.js'
import { annotationOf, keyOf, temporaryWorld } from './cache-fixture.js'

let world: ReturnType<typeof temporaryWorld>
let warnings: string[]
beforeEach(() => {
  world = temporaryWorld()
})
afterEach(() => world.remove())

const path = () => join(world.folder, 'annotations.jsonl')
const open = (name = 'annotations.jsonl') => {
  warnings = []
  return openCache(world.io, name, { warn: (text) => warnings.push(text) })
}
const line = (text: string) => lineOf(keyOf(text), annotationOf(text))

/** The texts whose answers a cache gives. */
const known = (cache: Cache) => [...'abcd'].filter((text) => cache.get(keyOf(text))?.summary.title === text).join('')

const whole = [header, line('a'), line('b'), ''].join('\n')

function noUtf8(): Buffer {
  const bytes = Buffer.from(whole)
  bytes[bytes.lastIndexOf('ü')] = 0xff
  return bytes
}

describe('a file that is no cache is neither used nor changed, and that is said:', () => {
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
  ])('%s', async (_, content, place) => {
    writeFileSync(path(), content, { mode: 0o600 })
    const cache = await open()
    await cache.put(keyOf('d'), annotationOf('d'))
    expect(known(cache)).toBe('d')
    await cache.close()
    expect(warnings).toEqual([
      expect.stringContaining(`is not used: it is no cache of this version of svc: ${path()}:${place}`),
    ])
    expect(readFileSync(path())).toEqual(Buffer.from(content))
  })

  it('a folder', async () => {
    mkdirSync(path())
    await (await open()).close()
    expect(warnings).toEqual([`the cache of annotations is not used: ${path()} is a folder`])
  })

  it.skipIf(platform() === 'win32')('a folder that is a file', async () => {
    writeFileSync(path(), whole)
    await (await open(join('annotations.jsonl', 'b.jsonl'))).close()
    expect(warnings).toEqual([expect.stringContaining('is not used: it cannot be read (ENOTDIR)')])
  })
})

describe('a damaged line of a cache is a miss, is named, and is dropped in the end:', () => {
  it.each<[string, string | Uint8Array, string, string]>([
    ['a last line that was cut off', whole.slice(0, -100), 'a', `3:${line('b').length - 98} expected `],
    ['a line that was cut off', whole.replace(line('a'), line('a').slice(0, 50)), 'b', '2:51 expected '],
    ['JSON of something else', `${header}\n{"a":1}\n`, '', '2:3 expected an entry as svc writes it'],
    ['no JSON', `${header}\n{"digest":}\n`, '', '2:11 expected '],
    ['another word', whole.replace('"title":"b"', '"title":"c"'), 'a', '3:12 the digest of the line is another'],
    ['no UTF-8', noUtf8(), 'a', `3:${line('b').indexOf('ü') + 1} expected UTF-8`],
  ])('%s', async (_, content, left, place) => {
    writeFileSync(path(), content, { mode: 0o600 })
    const cache = await open()
    expect(known(cache)).toBe(left)
    await cache.put(keyOf('d'), annotationOf('d'))
    await cache.close()
    expect(warnings).toEqual([expect.stringContaining(`is damaged, and 1 line of it not used: ${path()}:${place}`)])
    const again = await open()
    expect([known(again), warnings]).toEqual([`${left}d`, []])
    await again.close()
  })
})

it('a line that is longer than any may be is a miss, and those behind it are known', async () => {
  const long = `{"digest":${' '.repeat((1 << 24) + 1)}`
  writeFileSync(path(), `${header}\n${long}\n${line('a')}\n${long}`, { mode: 0o600 })
  const cache = await open()
  await cache.put(keyOf('d'), annotationOf('d'))
  await cache.close()
  expect(warnings).toEqual([
    expect.stringContaining(`is damaged, and 2 lines of it not used: ${path()}:2:1 expected lines`),
  ])
  const again = await open()
  expect([known(again), warnings]).toEqual(['ad', []])
  await again.close()
}, 30_000)

describe('whatever befalls a cache', { timeout: 60_000 }, () => {
  const texts = [...'abcd']
  const file = Buffer.from([header, ...texts.map(line), ''].join('\n'))

  /** Every answer that it still gives is the right one, and what is missing is said with its place. */
  async function isHonest(content: Uint8Array): Promise<void> {
    writeFileSync(path(), content, { mode: 0o600 })
    const cache = await open()
    for (const warning of warnings) expect(warning).toMatch(/:\d+:\d+ /)
    for (const text of texts) expect([undefined, annotationOf(text)]).toContainEqual(cache.get(keyOf(text)))
    await cache.close()
  }

  it('a byte that is another, it gives no wrong answer', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.nat(255), async (at, byte) => {
        const content = Uint8Array.from(file)
        content[at] = byte
        await isHonest(content)
      }),
      { numRuns: 150 },
    ))

  it('an end that is missing, it gives no wrong answer', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(file.length), (length) => isHonest(file.subarray(0, length))),
      { numRuns: 100 },
    ))

  it('bytes that were taken out, put in or moved, it gives no wrong answer', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(file.length), fc.nat(file.length), fc.nat(file.length), (from, to, at) => {
        const part = file.subarray(Math.min(from, to), Math.max(from, to))
        return isHonest(Buffer.concat([file.subarray(0, at), part, file.subarray(at)]))
      }),
      { numRuns: 100 },
    ))
})
