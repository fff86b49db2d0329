import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createChunks } from './chunks.js'
import { type Compiled, nothing } from './file.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-chunks-'))
afterAll(() => rmSync(folder, { recursive: true }))
const outer = createRequire(import.meta.url)
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const chunks = (before: Compiled = nothing) => createChunks(folder, outer, before)

describe('the files of the command', () => {
  it('are loaded each once, when they are asked for', () => {
    write('a.cjs', `globalThis.loadedA = (globalThis.loadedA ?? 0) + 1; exports.b = () => require('./b.cjs').b`)
    write('b.cjs', `module.exports = { b: __filename + '|' + __dirname }`)
    const { load, compiled } = chunks()
    const a = load('a.cjs') as { b(): string }
    expect(load('a.cjs')).toBe(a)
    expect((globalThis as { loadedA?: number }).loadedA).toBe(1)
    expect([...compiled().keys()]).toEqual(['a.cjs'])
    expect(a.b()).toBe(`${join(folder, 'b.cjs')}|${folder}`)
  })

  it('may need one another in a circle, and Node’s own as ever', () => {
    write('egg.cjs', `exports.name = 'egg'; exports.of = require('./hen.cjs').name`)
    write('hen.cjs', `exports.name = require('./egg.cjs').name + ' of ' + require('node:path').basename('/a/hen')`)
    expect((chunks().load('egg.cjs') as { of: string }).of).toBe('egg of hen')
  })

  it('tell where an error happened', () => {
    write('throws.cjs', `exports.run = () => {\n  throw new Error('here')\n}`)
    const { run } = chunks().load('throws.cjs') as { run(): void }
    expect(run).toThrow(expect.objectContaining({ stack: expect.stringMatching(/throws\.cjs:2:9/) }))
  })

  it('are loaded anew after a failure', () => {
    write('fails.cjs', `throw new Error('not yet')`)
    const { load } = chunks()
    expect(() => load('fails.cjs')).toThrow('not yet')
    write('fails.cjs', `exports.isThere = true`)
    expect(load('fails.cjs')).toEqual({ isThere: true })
  })

  it('are taken as they were compiled before, where the text is as long', () => {
    write('told.cjs', `exports.told = 'one'`)
    const first = chunks()
    first.load('told.cjs')
    expect(first.areNew()).toBe(true)
    const second = chunks(first.compiled())
    // V8 itself knows a text by its length: a proof that it did not compile this one.
    write('told.cjs', `exports.told = 'two'`)
    expect(second.load('told.cjs')).toEqual({ told: 'one' })
    expect(second.areNew()).toBe(false)
  })

  it('are kept beside those that this run did not load', () => {
    write('early.cjs', `exports.told = 'early'`)
    write('late.cjs', `exports.told = 'late'`)
    const first = chunks()
    first.load('early.cjs')
    const second = chunks(first.compiled())
    second.load('late.cjs')
    expect([second.areNew(), [...second.compiled().keys()]]).toEqual([true, ['early.cjs', 'late.cjs']])
    const third = chunks(second.compiled())
    for (const name of ['early.cjs', 'late.cjs']) third.load(name)
    expect(third.areNew()).toBe(false)
  })

  it('are compiled where what is kept is for another text', () => {
    write('grown.cjs', `exports.told = 'one'`)
    const first = chunks()
    first.load('grown.cjs')
    write('grown.cjs', `exports.told = 'three'`)
    const second = chunks(first.compiled())
    expect(second.load('grown.cjs')).toEqual({ told: 'three' })
    expect(second.areNew()).toBe(true)
  })
})
