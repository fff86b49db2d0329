import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { platform, tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from './node.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-folder-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a folder', () => {
  it('a folder is created with its missing parents, is private, and may already exist', () => {
    const path = join(folder, 'a', 'b', 'c')
    makeFolder(join(path, 'd'))
    makeFolder(path)
    makeFolder(parse(path).root)
    expect(existsSync(join(path, 'd'))).toBe(true)
    if (platform() !== 'win32') expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  })

  it('a folder is not created in place of a file', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(() => makeFolder(file)).toThrow('EEXIST')
    expect(() => makeFolder(join(file, 'a'))).toThrow('ENOTDIR')
  })

  it.runIf(existsSync('/proc/self'))('fails for a folder that cannot be created', () => {
    expect(() => makeFolder('/proc/none/a')).toThrow(/ENOENT.* mkdir /)
  })
})
