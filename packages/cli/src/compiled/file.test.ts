import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type Compiled, compiledBytes, compiledIn, nothing, readCompiled } from './file.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-compiled-'))
afterAll(() => rmSync(folder, { recursive: true }))
const userId = process.getuid?.()
const isWindows = userId === undefined

const held = new Map([
  ['main.cjs', new Uint8Array(5_000).fill(7)],
  ['chunk.cjs', new Uint8Array(1_500).fill(9)],
])
const bytes = Buffer.from(compiledBytes(held))
const plain = (compiled: Compiled) => [...compiled].map(([name, code]) => [name, [...code]])

describe('compiled code as bytes', () => {
  it('comes back as it was', () => {
    const codes = fc.array(fc.tuple(fc.string(), fc.uint8Array({ maxLength: 3_000 })))
    fc.assert(
      fc.property(codes, (entries) => {
        const compiled = new Map(entries)
        expect(plain(compiledIn(Buffer.from(compiledBytes(compiled))))).toEqual(plain(compiled))
      }),
    )
  })

  it('is nothing where a sector of it was lost', () => {
    for (let at = 0; at < bytes.length; at += 512) {
      const damaged = Buffer.from(bytes).fill(0, at, Math.min(at + 512, bytes.length))
      expect(compiledIn(damaged)).toBe(nothing)
    }
  })

  it('is nothing where its end is missing or something stands behind it', () => {
    for (let length = 0; length < bytes.length; length += 97)
      expect(compiledIn(bytes.subarray(0, length))).toBe(nothing)
    expect(compiledIn(Buffer.concat([bytes, Buffer.alloc(4)]))).toBe(nothing)
  })

  it('is nothing where it is anything else', () => {
    fc.assert(fc.property(fc.uint8Array(), (any) => compiledIn(Buffer.from(any)) === nothing))
    const list = Buffer.from(compiledBytes(['main.cjs'] as never))
    expect(serialize(['main.cjs']).equals(list.subarray(0, -4))).toBe(true)
    expect(compiledIn(list)).toBe(nothing)
  })
})

describe('a file of compiled code', () => {
  const file = join(folder, 'health')
  const write = (mode: number) => {
    writeFileSync(file, bytes)
    chmodSync(file, mode)
  }

  it('is read where it is this user’s own', () => {
    write(0o600)
    expect(plain(readCompiled(file, userId))).toEqual(plain(held))
  })

  it('is not where it is somebody else’s', () => {
    write(0o600)
    expect(readCompiled(file, (userId ?? 0) + 1)).toBe(nothing)
  })

  it.skipIf(isWindows)('is not where others may write it (Windows has no such bits)', () => {
    for (const mode of [0o620, 0o602, 0o666]) {
      write(mode)
      expect(readCompiled(file, userId)).toBe(nothing)
    }
  })

  it('is not where it is none', () => {
    expect(readCompiled(join(folder, 'absent'), userId)).toBe(nothing)
    expect(readCompiled(folder, userId)).toBe(nothing)
  })
})
