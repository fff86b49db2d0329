import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { platform, tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-folder-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a folder', () => {
  it('is made with all that is missing above it, for this user alone, and may be there', async () => {
    const path = join(folder, 'a', 'b', 'c')
    await Promise.all([makeFolder(path), makeFolder(join(path, 'd'))])
    await makeFolder(path)
    await makeFolder(parse(path).root)
    expect(existsSync(join(path, 'd'))).toBe(true)
    if (platform() !== 'win32') expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  })

  it('is not made where there is a file', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' })
    await expect(makeFolder(join(file, 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it.runIf(existsSync('/proc/self'))('is not tried for ever where none can be made', async () => {
    await expect(makeFolder('/proc/none/a')).rejects.toMatchObject({ code: 'ENOENT', syscall: 'mkdir' })
  })
})
