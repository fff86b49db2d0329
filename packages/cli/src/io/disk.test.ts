import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { writeWhole } from './disk.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'))
afterAll(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('a file that is written whole', () => {
  it('contains all its parts in order, and leaves no temporary file', async () => {
    const path = join(folder, 'parts')
    const parts = ['one\n', '', 'ü'.repeat(300_000), '\nend']
    await writeWhole(path, parts, false)
    expect(readFileSync(path, 'utf8')).toBe(parts.join(''))
    expect(readdirSync(folder).filter((name) => name.includes('parts'))).toEqual(['parts'])
  })

  it('a file that is written whole is private on request, also if it replaces a file that others could read', async () => {
    const path = join(folder, 'rejects')
    await writeWhole(path, ['open'], false)
    expect(modeOf(path)).toBe(0o666 & ~process.umask())
    await writeWhole(path, ['closed'], true, { isPrivate: true })
    expect([modeOf(path), readFileSync(path, 'utf8')]).toEqual([0o600, 'closed'])
  })

  it('a file that is written whole is synced to the disk before it takes the place of the earlier one', async () => {
    const path = join(folder, 'settings')
    await writeWhole(path, ['before'], false)
    const any = await open(path)
    const handles = Object.getPrototypeOf(any) as typeof any
    await any.close()
    const { sync } = handles
    const contents: string[] = []
    const draft = () => readdirSync(folder).find((name) => name.startsWith('.settings.')) ?? 'settings'
    handles.sync = async function (this: typeof any) {
      contents.push(readFileSync(path, 'utf8'), readFileSync(join(folder, draft()), 'utf8'))
      return sync.call(this)
    }
    try {
      await writeWhole(path, ['after'], true)
    } finally {
      handles.sync = sync
    }
    expect([contents, readFileSync(path, 'utf8')]).toEqual([['before', 'after'], 'after'])
  })

  it('keeps a symbolic link to it', async () => {
    writeFileSync(join(folder, 'real'), 'before')
    symlinkSync('real', join(folder, 'link'))
    await writeWhole(join(folder, 'link'), ['after'], true)
    expect([lstatSync(join(folder, 'link')).isSymbolicLink(), readFileSync(join(folder, 'real'), 'utf8')]).toEqual([
      true,
      'after',
    ])
  })

  it('removes the drafts that killed processes left beside it, and no others', async () => {
    const path = join(folder, 'left.md')
    const script = `import { writeWhole } from ${JSON.stringify(new URL('disk.ts', import.meta.url).href)}
      writeWhole(${JSON.stringify(path)}, (async function* () { process.kill(process.pid, 'SIGKILL'); yield 'half' })(), true)`
    spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script])
    const drafts = () => readdirSync(folder).filter((name) => name.startsWith('.left.md.'))
    expect([drafts().length, existsSync(path)]).toEqual([1, false])
    const ofOthers = ['.left.md.0123abcd-1.id', '.left.md.notes']
    for (const name of ofOthers) writeFileSync(join(folder, name), '')
    await writeWhole(path, ['whole'], true)
    expect([drafts().sort(), readFileSync(path, 'utf8')]).toEqual([ofOthers, 'whole'])
  })

  it('writes into a pipe without replacing it', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const [read] = await Promise.all([readFile(pipe, 'utf8'), writeWhole(pipe, ['through'], true)])
    expect([read, lstatSync(pipe).isFIFO()]).toEqual(['through', true])
  })

  it('a file that is written whole is appended to, not replaced, if it is already open', async () => {
    const path = join(folder, 'open')
    const file = openSync(path, 'w')
    writeSync(file, 'before\n')
    await writeWhole(`/dev/fd/${file}`, ['after'], true)
    closeSync(file)
    expect(readFileSync(path, 'utf8')).toBe('before\nafter')
  })
})
