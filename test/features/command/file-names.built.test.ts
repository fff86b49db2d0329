import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { realIo } from '@svc/cli'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { mockService } from '../../helpers/mock-service.js'
import { createShell } from '../../helpers/run-cli.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-file-names-'))
afterAll(() => rmSync(folder, { recursive: true }))

const conversation = (content: string) => JSON.stringify({ turns: [{ role: 'user', content }] })
const latin1 = (path: string) => Buffer.from(path, 'latin1')

/** Files in a folder, two of them with a Latin-1 name, and a folder with one. */
function writeLogs(cwd: string) {
  mkdirSync(latin1(`${cwd}/logs/k\xf6ln`), { recursive: true })
  for (const name of ['a', 'caf\xe9', 'caf\xe8', 'k\xf6ln/b', 'z'])
    writeFileSync(latin1(`${cwd}/logs/${name}.json`), conversation(name))
}

// Other systems have no such names.
describe.runIf(platform() === 'linux')('a file whose name is not UTF-8', () => {
  it.each([
    [['logs'], 5],
    [['logs/caf*.json'], 2],
    [['logs/caf\\xe9.json', 'logs/k\\xf6ln'], 2],
  ])('is read and named when %j is uploaded', async (paths, total) => {
    const { svc, cwd, server, project } = createShell()
    writeLogs(cwd)
    const { code, lines } = await svc(['upload', ...paths, '--json'])
    expect(code).toBe(0)
    expect(server.world.transcripts(project)).toHaveLength(total)
    expect(lines().map(({ path }) => path)).toContain('logs/caf\\xe9.json')
  })

  it('a file whose name is not UTF-8 is judged by svc check', async () => {
    const { svc, cwd } = createShell()
    writeLogs(cwd)
    const { code, json } = await svc(['check', 'logs', '--annotator', 'structural', '--json'])
    expect([code, json()]).toMatchObject([100, { judged: 5, total: 5 }])
  })

  it('is read when the shell expands the pattern', async () => {
    const service = await mockService()
    try {
      const cwd = service.workplace('work', 0)
      writeLogs(cwd)
      const { code, err } = await service.run(['sh', '-c', 'svc upload logs/*.json'], cwd)
      expect([code, err]).toEqual([0, expect.stringContaining('4 transcripts uploaded')])
    } finally {
      await service.close()
    }
  })

  it('a file whose name has the text of a byte is read, too', async () => {
    const { svc } = createShell()
    const { code, out } = await svc(['convert', '--detect', 'logs'], {
      files: { 'logs/caf\\xe9.json': conversation('a') },
    })
    expect([code, out]).toEqual([0, expect.stringContaining('logs/caf')])
  })

  it('is read under the name that its folder shows, whatever its bytes are', async () => {
    const byte = fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constantFrom(0x5c, 0x78, 0x65, 0x39, 0xc3, 0xa9, 0xe9))
    const name = fc.array(byte, { minLength: 1, maxLength: 40 })
    // The text of a byte is the name of no other file.
    const isName = (bytes: Buffer) =>
      !bytes.includes('/') && !/^\.{1,2}$|\\x[89a-f][\da-f]/.test(bytes.toString('latin1'))
    const names = fc.uniqueArray(name.map((bytes) => Buffer.from(bytes)).filter(isName), {
      ...{ minLength: 1, maxLength: 8 },
      selector: (bytes) => bytes.toString('hex'),
    })
    const io = realIo(process, folder, { signal: new AbortController().signal, onSignal: () => () => {} })
    await fc.assert(
      fc.asyncProperty(names, async (all) => {
        const place = mkdtempSync(join(folder, 'names-'))
        for (const each of all) writeFileSync(Buffer.concat([Buffer.from(`${place}/`), each]), each)
        const found = await io.readDirectory(place)
        const contents = await Promise.all(found.map((each) => io.readFile(join(place, each.name))))
        const hex = (of: readonly Uint8Array[]) => of.map((each) => Buffer.from(each).toString('hex')).sort()
        expect(hex(contents)).toEqual(hex(all))
      }),
    )
  })
})
