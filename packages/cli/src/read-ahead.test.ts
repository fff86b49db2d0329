import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReadFile, readAhead } from './read-ahead.js'
import { createReader } from './read-ahead-thread.js'

const large = 32 << 10
let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'svc-ahead-'))
  writeFileSync(join(cwd, 'empty'), '')
  writeFileSync(join(cwd, 'small'), 'x'.repeat(large - 1))
  writeFileSync(join(cwd, 'large'), 'x'.repeat(large))
  execFileSync('mkfifo', [join(cwd, 'pipe')])
})
afterAll(() => rmSync(cwd, { recursive: true }))

const sizeOf = (bytes: Uint8Array | undefined) => bytes?.length

describe('the thread that reads ahead', () => {
  it('gives small files whole, and leaves alone what is large, missing, or no file', async () => {
    const reader = createReader()
    const found = await reader.read(['small', 'large', 'empty', 'gone', 'pipe', '.'].map((name) => join(cwd, name)))
    expect(found.map(sizeOf)).toEqual([large - 1, undefined, 0, undefined, undefined, undefined])
    const many = await reader.read(Array<string>(64).fill(join(cwd, 'small')))
    expect(many.map(sizeOf)).toEqual(Array<number>(64).fill(large - 1))
    reader.close()
    expect(await reader.read([join(cwd, 'small')])).toEqual([])
  })

  it('leaves nobody waiting that asked before it was closed', async () => {
    const reader = createReader()
    const asked = reader.read([join(cwd, 'small')])
    reader.close()
    expect(await asked).toEqual([])
  })
})

describe('files read ahead', () => {
  const names = Array.from({ length: 300 }, (_, at) => `talk-${at}`)
  beforeAll(() => {
    for (const name of names) writeFileSync(join(cwd, name), name)
  })

  async function read(lists: string[][]): Promise<ReadFile[]> {
    const files: ReadFile[] = []
    for await (const batch of readAhead(given(lists), cwd)) files.push(...batch)
    return files
  }
  async function* given(lists: string[][]) {
    yield* lists
  }
  const textOf = ({ whole }: ReadFile) => whole && Buffer.from(whole).toString()

  it('come in their order, each with its own bytes', async () => {
    const files = await read([[...names.slice(0, 100), 'gone', ...names.slice(100)], names])
    expect(files.map(({ path }) => path)).toEqual([...names.slice(0, 100), 'gone', ...names.slice(100), ...names])
    expect(files.map(textOf)).toEqual([...names.slice(0, 100), undefined, ...names.slice(100), ...names])
  })

  it('are left to whoever opens them where they are few', async () => {
    expect((await read([names.slice(0, 2)])).map(textOf)).toEqual([undefined, undefined])
  })
})
