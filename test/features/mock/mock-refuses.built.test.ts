import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'
import { createShell } from '../../helpers/run-cli.js'

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))

let shell: ReturnType<typeof createShell>
let folder = ''
beforeEach(() => {
  shell = createShell()
  folder = shell.cwd
})

/** Runs the command in this process: it ends before anything waits for a signal. */
const svc = (...argv: string[]) => shell.svc(['mock', ...argv], { env })

describe('svc mock refuses', () => {
  it.each([
    [2, ['--limit', '200'], 'such as 200/10s'],
    [2, ['--limit', '-1/10s'], 'such as 200/10s'],
    [2, ['--fault', 'boom'], 'expected one of the kinds'],
    [2, ['--fault', 'annotation.create: lost'], 'unknown operation annotation.create'],
    [2, ['--ambiguity', 'politeness=true'], 'expected one of annotatorsNeedKey'],
    [2, ['--ambiguity', 'lenientPaging=perhaps'], 'must be true or false'],
    [2, ['--ambiguity', 'unknownAnnotator=500'], 'must be 404 or 422'],
    [2, ['--ambiguity', 'turnBytes=-1'], 'must be an integer from 0'],
    [2, ['--ambiguity', 'rowField=id'], 'unknown ambiguity rowField (did you mean rowFields?)'],
    [
      2,
      ['--ambiguity', 'rowFields=some'],
      'rowFields must be full, id, names, no metadata, null metadata or empty metadata',
    ],
    [
      2,
      ['--ambiguity', 'order=a', '--ambiguity', 'pageCap=b'],
      'descending, ascending or unstable; pageCap must be an integer',
    ],
    [2, ['--fault', 'limited; ms=1; form=x'], 'form must be one of seconds, none, date, ms'],
    [2, ['--allow-host', 'http://x'], 'expected a host name'],
    [2, ['--allow-origin', 'x'], 'expected an origin'],
    [2, ['--ready-file', ''], 'Expected a name that is not empty'],
    [3, ['--ready-file', '.'], 'cannot write the ready file (EISDIR)'],
    [2, ['--data', ''], 'Expected a name that is not empty'],
    [3, ['--seed', 'nowhere.json'], 'The file does not exist'],
    [3, ['--script', 'package.json'], 'Cannot use the script package.json'],
    [3, ['--host', '192.0.2.1'], 'Cannot listen on'],
  ])('svc mock refuses with %i: %j', async (expected, argv, message) => {
    const { code, err } = await svc(...argv, '--', 'true')
    expect([code, err]).toEqual([expected, expect.stringContaining(message)])
  })

  it('a seed with everything that is wrong in it', async () => {
    writeFileSync(join(folder, 'bad.json'), JSON.stringify({ keys: [{}], projets: [] }))
    const { code, err } = await svc('--seed', 'bad.json', '--', 'true')
    expect(code).toBe(3)
    expect(err).toMatch(/\/keys\/0\/key: required.*\/projets: no such field/s)
  })

  it('a seed that names an id twice, and has made no world of it', async () => {
    const id = 'hp-00000000-0000-4000-a000-000000000000'
    const projects = ['a', 'b'].map((name) => ({ id, name }))
    writeFileSync(join(folder, 'twice.json'), JSON.stringify({ projects }))
    const { code, err } = await svc('--seed', 'twice.json', '--data', 'twice', '--', 'true')
    expect(code).toBe(3)
    expect(err).toMatch(/twice\.json.*\/projects\/1\/id: expected another value than \/projects\/0\/id/s)
    const argv = ['mock', '--json', '--data', 'twice']
    const served = (await shell.svc(argv, { signal: AbortSignal.abort('SIGTERM') })).json()
    expect(served.SVC_PROJECT).toMatch(/^hp-(?!0{8})/)
  })

  it.skipIf(process.platform === 'win32')(
    'a folder that cannot be written, or a file in it, and names it',
    async () => {
      const data = join(folder, 'read-only')
      const files = ['world.db', 'world.db-journal', 'world.lock'].map((name) => join(data, name))
      await svc('--data', data, '--', 'true')
      // To root nothing is read-only, so the command runs as somebody else.
      const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
      const { uid = -1, gid = -1 } = other
      for (const path of [folder, data, ...files]) chownSync(path, uid, gid)
      for (const path of [data, ...files]) {
        chmodSync(path, path === data ? 0o500 : 0o400)
        const { status, stderr } = spawnSync(process.execPath, [bin, 'mock', '--data', data, '--', 'true'], {
          env,
          encoding: 'utf8',
          ...other,
        })
        chmodSync(path, 0o700)
        expect([status, stderr]).toEqual([3, expect.stringContaining(`access '${path}'`)])
        expect(stderr).not.toContain('bug in svc')
      }
    },
  )

  const hasDatabase = process.getBuiltinModule?.('node:sqlite' as 'fs') !== undefined
  it.skipIf(hasDatabase)(
    'a folder where no library reads it, and names the command (Node has one from 22.13 on)',
    async () => {
      // An installation of the command alone: nothing beside it, where the repository has libsql.
      const alone = join(folder, 'alone')
      for (const part of ['bin', 'dist', 'package.json'])
        cpSync(join(dirname(bin), '..', part), join(alone, part), { recursive: true })
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(alone, 'bin/svc.js'), 'mock', '--data', 'w', '--', 'true'],
        {
          cwd: folder,
          // A package manager that runs the tests may name its own folder of packages there.
          env: { ...env, NODE_PATH: '' },
          encoding: 'utf8',
        },
      )
      expect([status, stderr]).toEqual([3, expect.stringContaining('npm install libsql')])
      expect(existsSync(join(folder, 'w'))).toBe(false)
    },
  )

  it('a port that is in use, and names it', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const { code, err } = await svc('--port', String(port))
    expect([code, err]).toEqual([3, expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: it is in use.`)])
    await new Promise((resolve) => taken.close(resolve))
  })
})
