import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { beforeEach, describe, expect, it } from 'vitest'
import { exit } from '../exit.js'
import { readCompiled } from './file.js'
import { keepCompiled } from './keep.js'
import { compiledFileOf } from './place.js'

const userId = process.getuid?.()
const isWindows = userId === undefined
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-keep-'))
  return () => rmSync(root, { recursive: true })
})

const fileOf = (build = 'one', tag = cachedDataVersionTag()) =>
  compiledFileOf({ SVC_CACHE_DIR: join(root, 'cache') }, ['health'], build, () => tag) ?? ''
const compiled = () => new Map([['main.cjs', new Script('1 + 1').createCachedData()]])
const keep = (file: string, code: (typeof exit)[keyof typeof exit] = exit.ok) =>
  keepCompiled(code, { file, compiled, userId })

describe('code that was compiled', () => {
  it('is kept for this user alone, and V8 takes it', async () => {
    const file = fileOf()
    await keep(file)
    const cachedData = Buffer.from(readCompiled(file, userId).get('main.cjs') ?? [])
    expect(new Script('1 + 1', { cachedData }).cachedDataRejected).toBe(false)
    if (isWindows) return
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
  })

  it('replaces what could not be read, and leaves nothing beside it', async () => {
    const file = fileOf()
    await keep(file)
    writeFileSync(file, 'damaged')
    await keep(file)
    expect(readCompiled(file, userId).size).toBe(1)
    expect(readdirSync(join(file, '..'))).toHaveLength(1)
  })

  it('is kept of a run that failed, and not of a word that is no command', async () => {
    await keep(fileOf('one'), exit.temporary)
    await keep(fileOf('two'), exit.usage)
    expect([existsSync(fileOf('one')), existsSync(fileOf('two'))]).toEqual([true, false])
  })

  it('is not kept where the run has changed the flags of V8', async () => {
    const file = fileOf('one', cachedDataVersionTag() + 1)
    await keep(file)
    expect(existsSync(file)).toBe(false)
  })

  it('takes the place of a link, and not of what it leads to', async () => {
    const file = fileOf()
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(join(root, 'mine'), 'mine')
    symlinkSync(join(root, 'mine'), file)
    await keep(file)
    expect(statSync(join(root, 'mine')).size).toBe(4)
    expect(readCompiled(file, userId).size).toBe(1)
  })

  it('is not put into a folder of somebody else’s', async () => {
    const file = fileOf()
    await keepCompiled(exit.ok, { file, compiled, userId: (userId ?? 0) + 1 })
    expect(existsSync(file)).toBe(false)
  })

  it('makes the folders below a home, and no home', async () => {
    const of = (home: string) => compiledFileOf({ HOME: home }, ['health'], 'one', cachedDataVersionTag) ?? ''
    await keep(of(root))
    expect(readCompiled(of(root), userId).size).toBe(1)
    await keep(of(join(root, 'nobody')))
    expect(existsSync(join(root, 'nobody'))).toBe(false)
  })

  it('is missing without a word where it cannot be written', async () => {
    writeFileSync(join(root, 'cache'), 'a file')
    await keep(fileOf())
    expect(statSync(join(root, 'cache')).isFile()).toBe(true)
  })

  it('is kept for the last four builds and Nodes of a command; those of other commands stay', async () => {
    const other = join(fileOf(), '..', 'upload-one-1')
    for (const [age, build] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      await keep(fileOf(build))
      utimesSync(fileOf(build), 1_000 + age, 1_000 + age)
      if (age === 0) writeFileSync(other, '')
    }
    await keep(fileOf('g'))
    const kept = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].filter((build) => existsSync(fileOf(build)))
    expect(kept).toEqual(['d', 'e', 'f', 'g'])
    expect(existsSync(other)).toBe(true)
  })
})
