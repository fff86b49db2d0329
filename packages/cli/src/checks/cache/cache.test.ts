import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import type { Annotation } from '@svc/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCache } from './cache.js'
import { header, lineOf } from './cache-file.js'
import { annotationOf, keyOf, temporaryWorld } from './cache-fixture.js'

let world: ReturnType<typeof temporaryWorld>
let said: string[]
beforeEach(() => {
  world = temporaryWorld()
  said = []
})
afterEach(() => world.remove())

const name = join('cache', 'annotations.jsonl')
const telling = { warn: (text: string) => said.push(text) }
const open = (maxBytes?: number) => openCache(world.io, name, { ...telling, ...(maxBytes && { maxBytes }) })
const path = () => join(world.folder, name)
const line = (text: string, annotation = annotationOf(text)) => lineOf(keyOf(text), annotation)
const isWindows = platform() === 'win32'

/** Writes a file of such lines. */
function write(...lines: string[]): void {
  mkdirSync(join(world.folder, 'cache'), { recursive: true })
  writeFileSync(path(), `${lines.join('\n')}\n`, { mode: 0o600 })
}

/** Puts annotations by the texts that they answer, with a run of its own. */
async function run(...texts: string[]) {
  const cache = await open()
  for (const text of texts) await cache.put(keyOf(text), annotationOf(text))
  return cache.close()
}

describe('a cache', () => {
  it('gives in the next run what was put into it', async () => {
    await run('a', 'b')
    const cache = await open()
    expect([cache.get(keyOf('a')), cache.get(keyOf('b')), cache.get(keyOf('c'))]).toEqual([
      ...[annotationOf('a'), annotationOf('b'), undefined],
    ])
    expect(await cache.close()).toEqual({ entries: 2, bytes: statSync(path()).size, evicted: 0 })
    expect(said).toEqual([])
  })

  it('gives what was put into it in the same run, too', async () => {
    const cache = await open()
    await cache.put(keyOf('a'), annotationOf('a'))
    expect(cache.get(keyOf('a'))).toEqual(annotationOf('a'))
    await cache.close()
  })

  it('gives the last of several answers to the same', async () => {
    write(header, line('a', annotationOf('old')), line('b'), line('a', annotationOf('new')))
    const cache = await open()
    expect(cache.get(keyOf('a'))).toEqual(annotationOf('new'))
    expect(await cache.close()).toMatchObject({ entries: 2 })
  })

  it('makes nothing before there is something to keep', async () => {
    const cache = await open()
    expect(cache.get(keyOf('a'))).toBeUndefined()
    expect(await cache.close()).toEqual({ entries: 0, bytes: 0, evicted: 0 })
    expect(readdirSync(world.folder)).toEqual([])
  })

  it('keeps no answer that is not whole', async () => {
    const cache = await open()
    await cache.put(keyOf('a'), { ...annotationOf('a'), usage: null } as unknown as Annotation)
    expect(cache.get(keyOf('a'))).toBeUndefined()
    await cache.close()
    expect(existsSync(path())).toBe(false)
  })

  it('has an answer on disk as soon as it was put', async () => {
    const cache = await open()
    await cache.put(keyOf('a'), annotationOf('a'))
    expect(readFileSync(path(), 'utf8')).toBe(`${header}\n${line('a')}\n`)
    await cache.close()
  })

  it('goes on behind a line that was never finished, and takes no notice of it', async () => {
    write(header, line('a'), ` ${line('b').slice(1, 99)}`)
    writeFileSync(path(), readFileSync(path(), 'utf8').slice(0, -1))
    await run('c')
    const cache = await open()
    expect(['a', 'b', 'c'].map((text) => cache.get(keyOf(text))?.summary.title)).toEqual(['a', undefined, 'c'])
    await cache.close()
  })

  it('may be several in one file, as `cat` puts them together', async () => {
    write(header, line('a'), header, line('b'))
    const cache = await open()
    expect([cache.get(keyOf('a')), cache.get(keyOf('b'))]).toEqual([annotationOf('a'), annotationOf('b')])
    await cache.close()
  })

  it('takes an empty file for one without answers, and goes on with it', async () => {
    write('')
    writeFileSync(path(), '')
    await run('a')
    expect(readFileSync(path(), 'utf8')).toBe(`${header}\n${line('a')}\n`)
  })

  it('finds where it is when its file was taken away meanwhile', async () => {
    const cache = await open()
    await cache.put(keyOf('a'), annotationOf('a'))
    world.remove()
    mkdirSync(join(world.folder, 'cache'), { recursive: true })
    await cache.put(keyOf('b'), annotationOf('b'))
    await cache.close()
    expect(readFileSync(path(), 'utf8')).toBe(`${header}\n${line('b')}\n`)
  })
})

describe.skipIf(isWindows)('the file of a cache', () => {
  it('is for this user alone, as its folder is', async () => {
    await run('a')
    expect([statSync(path()).mode & 0o777, statSync(join(world.folder, 'cache')).mode & 0o777]).toEqual([0o600, 0o700])
  })

  it('is closed to others, and that is said', async () => {
    await run('a')
    chmodSync(path(), 0o644)
    await (await open()).close()
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(said).toEqual([
      `others on this machine could open ${path()}; now it is yours alone. It holds excerpts of transcripts.`,
    ])
  })

  it.runIf(existsSync('/proc/self'))('that cannot be written is said once, and stops nothing', async () => {
    const nowhere = '/proc/svc/annotations.jsonl'
    const cache = await openCache(world.io, nowhere, telling)
    await cache.put(keyOf('a'), annotationOf('a'))
    await cache.put(keyOf('b'), annotationOf('b'))
    expect(cache.get(keyOf('a'))).toEqual(annotationOf('a'))
    expect(await cache.close()).toEqual({ entries: 2, bytes: 0, evicted: 0 })
    expect(said).toEqual([`the cache of annotations cannot be written (ENOENT): ${nowhere}`])
  })

  it('stays good on a disk that is full', async () => {
    const script = `
      import { openCache } from ${JSON.stringify(new URL('cache.ts', import.meta.url).href)}
      import { annotationOf, keyOf } from ${JSON.stringify(new URL('cache-fixture.ts', import.meta.url).href)}
      import { realIo } from ${JSON.stringify(new URL('../../io.ts', import.meta.url).href)}
      const io = realIo(process, ${JSON.stringify(world.folder)}, {})
      const cache = await openCache(io, ${JSON.stringify(name)}, { warn: console.log })
      for (const text of 'abcdefgh') await cache.put(keyOf(text), annotationOf(text))
    `
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 3; exec "$@"', 'sh', ...node], {
      encoding: 'utf8',
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    })
    expect(stdout).toMatch(/^the cache of annotations cannot be written \((ENOSPC|EFBIG)\): \S+\n$/)
    await run('z')
    const cache = await open()
    expect(['a', 'h', 'z'].map((text) => cache.get(keyOf(text))?.summary.title)).toEqual(['a', undefined, 'z'])
    await cache.close()
  })
})

describe('a cache that is too large', () => {
  const size = (...texts: string[]) => [header, ...texts.map((text) => line(text))].join('\n').length + 1

  it('is made smaller at the end: what the run used stays first, then what came last', async () => {
    await run('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
    const cache = await open(Buffer.byteLength(readFileSync(path())) - 1)
    cache.get(keyOf('b'))
    await cache.put(keyOf('i'), annotationOf('i'))
    const { entries, bytes, evicted } = await cache.close()
    expect([entries, evicted, bytes]).toEqual([5, 4, statSync(path()).size])
    expect(bytes).toBeLessThanOrEqual((size(...'abcdefgh') * 3) / 4 + 100)
    const lines = readFileSync(path(), 'utf8').split('\n')
    expect(lines).toEqual([header, ...['f', 'g', 'h', 'b', 'i'].map((text) => line(text)), ''])
    expect(readdirSync(join(world.folder, 'cache'))).toEqual(['annotations.jsonl'])
    if (!isWindows) expect(statSync(path()).mode & 0o777).toBe(0o600)
  })

  it('loses nothing of another run that adds to it meanwhile', async () => {
    await run(...'abcdefgh')
    const other = await open()
    await other.put(keyOf('x'), annotationOf('x'))
    await (await open(1_000)).close()
    await other.put(keyOf('y'), annotationOf('y'))
    expect(other.get(keyOf('a'))).toEqual(annotationOf('a'))
    await other.close()
    const cache = await open()
    expect(['a', 'y'].map((text) => cache.get(keyOf(text))?.summary.title)).toEqual([undefined, 'y'])
    await cache.close()
  })

  it.skipIf(isWindows)('stays where a link leads to', async () => {
    await run(...'abcdefgh')
    symlinkSync(path(), join(world.folder, 'link.jsonl'))
    const cache = await openCache(world.io, 'link.jsonl', { maxBytes: 2_000, ...telling })
    expect((await cache.close()).evicted).toBeGreaterThan(0)
    expect(readdirSync(join(world.folder, 'cache'))).toEqual(['annotations.jsonl'])
    expect([statSync(path()).size < 2_000, said]).toEqual([true, []])
  })
})
