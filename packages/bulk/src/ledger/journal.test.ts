import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/fixtures/ledger.js'
import { type DiskFile, nodeDisk } from '../environment/index.js'
import { wholeLines } from './files.js'
import { createJournal, endOfLines, type Later } from './journal.js'

const made: (() => void)[] = []
afterEach(() => {
  for (const remove of made.splice(0)) remove()
})

const atNextTurn: Later = (act) => {
  const immediate = setImmediate(act)
  return () => clearImmediate(immediate)
}

function newFile(content: string): { path: string; file: DiskFile } {
  const { folder, remove } = temporaryFolder()
  made.push(remove)
  const path = join(folder, 'file')
  const file = nodeDisk.open(path, 'append')
  if (content) appendFileSync(path, content)
  return { path, file }
}

describe('a journal', () => {
  it('keeps all lines in the order in which they were added', async () => {
    const { path, file } = newFile('')
    const journal = createJournal({ file, length: 0 }, atNextTurn)
    const first = journal.appendSynced(['a', 'b'])
    journal.append('c')
    await Promise.all([first, journal.appendSynced(['d'])])
    expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\nd\n')
    journal.append('e')
    await new Promise((resolve) => setImmediate(resolve))
    expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\nd\ne\n')
    journal.append('f')
    await journal.close()
    expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\nd\ne\nf\n')
  })

  it('writes an event when its time comes, unless it was written with other lines before', async () => {
    const { path, file } = newFile('')
    const due: (() => void)[] = []
    const journal = createJournal({ file, length: 0 }, (write) => {
      due.push(write)
      return () => void due.splice(due.indexOf(write), 1)
    })
    journal.append('a')
    journal.append('b')
    expect([due.length, readFileSync(path, 'utf8')]).toEqual([1, ''])
    due[0]?.()
    expect([due.length, readFileSync(path, 'utf8')]).toEqual([0, 'a\nb\n'])
    journal.append('c')
    await journal.appendSynced(['d'])
    expect([due.length, readFileSync(path, 'utf8')]).toEqual([0, 'a\nb\nc\nd\n'])
    journal.append('e')
    await journal.close()
    expect([due.length, readFileSync(path, 'utf8')]).toEqual([0, 'a\nb\nc\nd\ne\n'])
  })

  it('writes waiting events at once on flush', async () => {
    const { path, file } = newFile('')
    const journal = createJournal({ file, length: 0 }, atNextTurn)
    const added = journal.appendSynced(['a'])
    await Promise.resolve()
    journal.append('b')
    expect(readFileSync(path, 'utf8')).toBe('a\n')
    journal.write()
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
    await added
    await journal.close()
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
  })

  it.runIf(existsSync('/dev/full'))(
    'rejects an event that a full disk does not accept, and keeps the earlier ones',
    async () => {
      const journal = createJournal({ file: nodeDisk.open('/dev/full', 'append'), length: 0 }, atNextTurn)
      await expect(journal.appendSynced(['a'])).rejects.toMatchObject({ code: 'ENOSPC' })
      journal.append('b')
      await new Promise((resolve) => setImmediate(resolve))
      await expect(Promise.all([journal.appendSynced(['c']), journal.sync()])).rejects.toMatchObject({ code: 'ENOSPC' })
      await expect(journal.close()).rejects.toMatchObject({ code: 'ENOSPC' })
    },
  )

  it.skipIf(platform() === 'win32')('does not reject a written event because a later one failed', () => {
    const { path } = newFile('')
    const script = `
      import { nodeDisk } from ${JSON.stringify(new URL('../environment/node.ts', import.meta.url).href)}
      import { createJournal } from ${JSON.stringify(new URL('journal.ts', import.meta.url).href)}
      const journal = createJournal({ file: nodeDisk.open(${JSON.stringify(path)}, 'append'), length: 0 }, () => () => {})
      const added = journal.appendSynced(['a'])
      for (const line of ['b', 'x'.repeat(4096)]) {
        journal.append(line)
        journal.write()
      }
      const reported = await Promise.allSettled([added, journal.appendSynced(['c'])])
      console.log(reported.map(({ status, reason }) => reason?.code ?? status).join())
    `
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 1; exec "$@"', 'sh', ...node], {
      encoding: 'utf8',
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    })
    expect([stdout, readFileSync(path, 'utf8')]).toEqual(['fulfilled,EFBIG\n', 'a\nb\n'])
  })

  it('rejects everything after its file could not be synced', async () => {
    const { file } = newFile('')
    const journal = createJournal({ file, length: 0 }, atNextTurn)
    await journal.close()
    await expect(journal.appendSynced(['a'])).rejects.toMatchObject({ code: 'EBADF' })
    await expect(journal.appendSynced(['b'])).rejects.toMatchObject({ code: 'EBADF' })
  })
})

describe('whole lines', () => {
  const text = ['one', '', 'drei ü €', 'x'.repeat(50), 'last'].join('\n')

  it.each([1, 2, 7, 1 << 20])('numbers lines and finds where they end when %i bytes are read at a time', (chunk) => {
    const { path, file } = newFile(`${text}\ntorn`)
    const lines = [...wholeLines(nodeDisk, path, { chunkBytes: chunk })]
    expect(lines.map((line) => line.text)).toEqual(text.split('\n'))
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
    const { size } = statSync(path)
    expect(endOfLines(file, size, chunk)).toBe(size - 4)
  })

  it('end where they do although the system reads less at once than it is asked for', () => {
    const { path, file } = newFile(`${text}\ntorn`)
    const read: DiskFile['read'] = (buffer, offset, length, position) =>
      file.read(buffer, offset, Math.ceil(length / 2), position)
    const { size } = statSync(path)
    expect(endOfLines({ ...file, read }, size)).toBe(size - 4)
  })

  it('end where the file begins when none is whole', () => {
    const { file } = newFile('torn')
    expect([endOfLines(file, 4, 3), endOfLines(file, 0)]).toEqual([0, 0])
  })
})
