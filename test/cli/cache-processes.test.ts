import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCache } from '../../packages/cli/src/checks/cache/cache.js'
import { header, lineOf } from '../../packages/cli/src/checks/cache/cache-file.js'
import { annotationOf, keyOf, temporaryWorld } from '../../packages/cli/src/checks/cache/cache-fixture.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-cache-child-'))
const program = join(folder, 'child.mjs')
beforeAll(async () => {
  const entry = fileURLToPath(new URL('cache-child.ts', import.meta.url))
  await build({
    ...{
      entryPoints: [entry],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['@svc/reference-server*'],
    },
    logLevel: 'error',
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

let world: ReturnType<typeof temporaryWorld>
beforeEach(() => {
  world = temporaryWorld()
})
afterEach(() => world.remove())

interface Writing {
  seed: string
  many: number
  characters: number
  maxBytes?: number
}

/** A process that puts annotations into the cache; gives what it said, having been killed when it has put so many. */
async function write(
  { seed, many, characters, maxBytes = 1 << 30 }: Writing,
  killedAfter = many + 1,
): Promise<string[]> {
  const given = [world.folder, seed, many, characters, maxBytes].map(String)
  const child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
    if (said.split('\n').length > killedAfter) child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.on('close', resolve))
  // What was said last may have been cut off in the pipe.
  return said.split('\n').slice(0, -1)
}

/** The texts of lines such as `put TEXT` that the cache has no answer to. */
async function missing(lines: readonly string[]): Promise<string[]> {
  const cache = await openCache(world.io, 'annotations.jsonl', { warn: expect.unreachable })
  const texts = lines.map((line) => line.replace(/^put /, ''))
  const gone = texts.filter((text) => cache.get(keyOf(text))?.summary.title !== text)
  await cache.close()
  return gone
}

describe('a cache that several processes write at once', () => {
  it('has all that each of them put into it', async () => {
    const writing = (seed: string) => ({ seed, many: 300, characters: 2_000 })
    const said = (await Promise.all(['one', 'two', 'three'].map((seed) => write(writing(seed))))).flat()
    expect(said).toHaveLength(900)
    expect(await missing(said)).toEqual([])
  })

  it('has it, too, when one of them made it smaller meanwhile', async () => {
    const old = (i: number) =>
      lineOf(keyOf(`old ${i}`), annotationOf(`old ${i}`, { outcome_notes: 'o'.repeat(20_000) }))
    const lines = [header, ...Array.from({ length: 500 }, (_, i) => old(i))]
    for (let round = 0; round < 2; round++) {
      const path = join(world.folder, 'annotations.jsonl')
      writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
      const [said, silent] = await Promise.all([
        write({ seed: `${round}`, many: 1_000, characters: 500 }),
        write({ seed: 'none', many: 0, characters: 0, maxBytes: 7_500_000 }),
      ])
      expect([said.length, silent]).toEqual([1_000, []])
      expect(statSync(path).size).toBeLessThan(7_500_000)
      expect(await missing(said)).toEqual([])
      expect(readdirSync(world.folder)).toEqual(['annotations.jsonl'])
    }
  })

  it('has what was put into it before they were killed, and never half of a line that counts', async () => {
    const said: string[] = []
    for (let round = 0; round < 10; round++) {
      const writing = (seed: string, characters: number) => ({ seed: `${round} ${seed}`, many: 10_000, characters })
      const killed = await Promise.all([
        write(writing('short', 1_500), 20 + 13 * round),
        write(writing('long', 20_000), 10 + 2 * round),
      ])
      said.push(...killed.flat())
    }
    expect(said.length).toBeGreaterThan(500)
    expect(await missing(said)).toEqual([])
  })
})
