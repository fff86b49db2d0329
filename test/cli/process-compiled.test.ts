import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { compiledBytes, compiledIn } from '../../packages/cli/src/compiled/file.js'
import { bin, ownService, runProcess } from './own-service.js'

let service: Awaited<ReturnType<typeof ownService>>
let folder: string
beforeAll(async () => {
  service = await ownService((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"status":"ok","substrate":"lambda"}'),
  )
  folder = join(service.env.SVC_CACHE_DIR ?? '', 'compiled')
})
afterAll(() => service.close())
beforeEach(() => rmSync(dirname(folder), { recursive: true, force: true }))

const health = (more: Record<string, string | undefined> = {}) => runProcess(['health'], { ...service.env, ...more })
const kept = () => (existsSync(folder) ? readdirSync(folder) : [])
const file = () => join(folder, kept()[0] ?? 'none')
const fine = { code: 0, out: expect.stringContaining('ok'), err: '' }

/** What V8 makes of a file that ends with 77, of a length; in a process of its own, with V8's flags as the command has them. */
function compiledOtherwise(length: number): Buffer {
  const code = `const { Script } = require('node:vm'), module = {}
    const text = 'module.exports = { main: async () => 77 }'.padEnd(${length})
    const wrapped = '(function (exports, require, module, __filename, __dirname) { ' + text + '\\n})'
    const script = new Script(wrapped)
    script.runInThisContext()({}, require, module)
    module.exports.main()
    process.stdout.write(script.createCachedData())`
  return execFileSync(process.execPath, ['-e', code])
}

describe('what a command has compiled', () => {
  it('is kept by its first run, and taken as it is by the next', async () => {
    expect(await health()).toEqual(fine)
    expect(kept()).toEqual([expect.stringMatching(/^health-[0-9a-f]{12}-[0-9a-z]+$/)])
    utimesSync(file(), 1_000, 1_000)
    expect(await health()).toEqual(fine)
    expect(statSync(file()).mtimeMs).toBe(1_000_000)
  })

  it('is what runs the next time', async () => {
    await health()
    // V8 knows a text by its length.
    const { length } = readFileSync(join(dirname(bin), '../dist/main.cjs'), 'utf8')
    const compiled = new Map([...compiledIn(readFileSync(file())), ['main.cjs', compiledOtherwise(length)] as const])
    writeFileSync(file(), compiledBytes(compiled))
    expect((await health()).code).toBe(77)
  })

  it('is compiled anew, and kept again, where the file is damaged', async () => {
    await health()
    const whole = readFileSync(file())
    for (const damaged of [whole.subarray(0, 1_000), Buffer.from(whole).fill(0, 20_000, 24_096), Buffer.alloc(0)]) {
      writeFileSync(file(), damaged)
      expect(await health()).toEqual(fine)
      expect(statSync(file()).size).toBeGreaterThan(100_000)
    }
  })

  it.skipIf(process.platform === 'win32')(
    'is not taken where others may write it (Windows has no such bits)',
    async () => {
      await health()
      chmodSync(file(), 0o666)
      expect(await health()).toEqual(fine)
      expect(statSync(file()).mode & 0o777).toBe(0o600)
    },
  )

  it('is not kept in CI, where Node is told to keep none, and for words that are no command', async () => {
    expect(await health({ CI: 'true' })).toEqual(fine)
    expect(await health({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(fine)
    expect((await runProcess(['healt'], service.env)).code).toBe(2)
    expect(kept()).toEqual([])
  })

  it('is not looked for below the folder that a command is run in', async () => {
    const cwd = join(service.folder, 'cloned')
    mkdirSync(cwd)
    expect(await runProcess(['health'], { ...service.env, SVC_CACHE_DIR: 'cache' }, cwd)).toEqual(fine)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('is missing without a word where its folder cannot be made', async () => {
    mkdirSync(dirname(folder), { recursive: true })
    writeFileSync(folder, 'a file')
    expect(await health()).toEqual(fine)
    expect(readFileSync(folder, 'utf8')).toBe('a file')
  })

  it.skipIf(process.platform === 'win32')(
    'is missing without a word where the disk is full (Windows sets no limit)',
    async () => {
      const script = `ulimit -f 8 && exec "${process.execPath}" "${bin}" health`
      const { stderr } = await promisify(execFile)('sh', ['-c', script], { env: service.env })
      expect(stderr).toBe('')
      expect(kept()).toEqual([])
    },
  )

  it('is that of another V8 with other flags', async () => {
    await health()
    expect((await health({ NODE_OPTIONS: '--jitless' })).code).toBe(0)
    expect(kept()).toHaveLength(2)
  })

  it('is kept by many runs at once', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, () => health()))
    for (const run of runs) expect(run).toEqual(fine)
    expect(kept()).toHaveLength(1)
    expect(await health()).toEqual(fine)
  })
})
