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
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeDisk, nodeEnvironment } from '@svc/bulk/node'
import { systemClock } from '@svc/client'
import { afterAll, describe, expect, it } from 'vitest'
import { filesOn } from './disk.js'
import { nodePlaces } from './places.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'))
afterAll(() => rmSync(folder, { recursive: true }))

const filesWith = (disk = nodeDisk) =>
  filesOn({
    ...{ ...nodeEnvironment, disk, clock: systemClock, places: nodePlaces(folder) },
    ...{ temporary: folder, signal: new AbortController().signal },
  })
const { writeFile: writeWhole, tryWrite, makeTemporary } = filesWith()

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
    const contents: string[] = []
    const open: typeof nodeDisk.open = (...given) => {
      const file = nodeDisk.open(...given)
      const sync = () => {
        const draft = readdirSync(folder).find((name) => name.startsWith('.settings.')) ?? 'settings'
        contents.push(readFileSync(path, 'utf8'), readFileSync(join(folder, draft), 'utf8'))
        return file.sync()
      }
      return { ...file, sync }
    }
    await filesWith({ ...nodeDisk, open }).writeFile(path, ['after'], true)
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
    const script = `import { realIo } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)}
      const { writeFile } = realIo(process, '/', { signal: new AbortController().signal })
      writeFile(${JSON.stringify(path)}, (async function* () { process.kill(process.pid, 'SIGKILL'); yield 'half' })(), true)`
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

  it('does not replace a file that is there, also where the disk fails to link the draft', async () => {
    const path = join(folder, 'there')
    writeFileSync(path, 'before')
    await expect(writeWhole(path, ['after'], false)).rejects.toMatchObject({ code: 'EEXIST' })
    const link = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' })
    }
    const files = filesWith({ ...nodeDisk, link })
    await expect(files.writeFile(path, ['after'], false)).rejects.toMatchObject({ code: 'EIO' })
    expect(readFileSync(path, 'utf8')).toBe('before')
  })
})

it('a temporary file gives its text back whole, and is in no folder afterwards', async () => {
  const file = await makeTemporary()
  const text = 'ü€'.repeat(300_000)
  await file.append(text)
  await file.append('end')
  let read = ''
  for await (const part of file.read()) read += part
  await file.close()
  expect([read === `${text}end`, readdirSync(folder).filter((name) => name.startsWith('svc-'))]).toEqual([true, []])
})

it('a file is tried by a block in its nearest existing folder, which is removed', async () => {
  await tryWrite(join(folder, 'missing', 'too', 'file'))
  expect(readdirSync(folder).filter((name) => name.startsWith('.svc.') || name === 'missing')).toEqual([])
})
