import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { bin } from '../built.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-mock-test-'))
afterAll(() => rmSync(folder, { recursive: true }))
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
const annotation = { annotator: 'structural', transcript: [] }

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Starts the built command; `ended` gives its exit code, `said` what it wrote on stderr. */
function start(...argv: string[]) {
  const child = spawn(process.execPath, [bin, 'mock', ...argv], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  stops.push(stop)
  return { child, ended, stop, said: () => err }
}

/** A mock that serves, and ways to ask it with its own key. */
async function mock(...flags: string[]) {
  const started = start('--json', ...flags)
  const line = await new Promise<string>((resolve) =>
    started.child.stdout.once('data', (data) => resolve(String(data))),
  )
  const served = JSON.parse(line) as Record<string, string>
  const send = (url: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${served.SVC_API_KEY}`, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    })
  const annotate = async (headers = {}) =>
    (await send(`${served.SVC_BASE_URL}/v1/annotations`, annotation, headers)).status
  const project = async () => {
    const response = await send(`${served.SVC_PUBLIC_BASE_URL}/projects/${served.SVC_PROJECT}`)
    return (await response.json()).data
  }
  return { ...started, served, send, annotate, project }
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Asks until something answers. */
async function answer(url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined)
    if (response) return response
  }
}

/** Reads a file as soon as it is there with another content than `earlier`. */
async function appearance(file: string, earlier?: string): Promise<string> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => earlier)
    if (text !== earlier && text !== undefined) return text
  }
}

describe('svc mock', () => {
  it('limits a key, and the provider', async () => {
    const limited = await mock('--limit', '2/1h')
    expect([await limited.annotate(), await limited.annotate(), await limited.annotate()]).toEqual([200, 200, 429])
    const saturated = await mock('--saturation', '1/1h')
    expect([await saturated.annotate(), await saturated.annotate()]).toEqual([200, 429])
    expect(await saturated.project()).toMatchObject({ name: 'Mock project' })
  })

  it('injects faults by rule, and by header with --fault-header', async () => {
    const byRule = await mock(
      '--fault',
      'annotations.create: status; code=503; times=1',
      '--fault',
      'health: status; code=502',
    )
    expect([await byRule.annotate(), await byRule.annotate()]).toEqual([503, 200])
    expect((await byRule.send(`${byRule.served.SVC_BASE_URL}/health`)).status).toBe(502)
    const byHeader = await mock('--fault-header')
    await expect(byHeader.annotate({ 'svc-fault': 'lost' })).rejects.toThrow('fetch failed')
    expect(await byHeader.annotate()).toBe(200)
  })

  it('names the faults of a request with --verbose, and no status that a fault left out', async () => {
    const { served, send, said } = await mock('--verbose', '--fault', 'health: reset-before; times=1')
    await expect(send(`${served.SVC_BASE_URL}/health`)).rejects.toThrow('fetch failed')
    expect((await send(`${served.SVC_BASE_URL}/health`)).status).toBe(200)
    await expect.poll(said).toMatch(/^- GET annotation \/health \S+ reset-before\n200 GET annotation \/health \S+$/m)
  })

  it('stores uploads with processing_status error with --submit-error', async () => {
    const { served, send } = await mock('--submit-error')
    const path = `${served.SVC_PUBLIC_BASE_URL}/projects/${served.SVC_PROJECT}/transcripts`
    const upload = { name: 't', turns: [{ role: 'user', content: 'Hi' }] }
    expect((await (await send(path, upload)).json()).data.processing_status).toBe('error')
  })

  it('answers 403 to a foreign Host and Origin, but not to the allowed ones', async () => {
    const { served } = await mock('--allow-host', 'mock.internal', '--allow-origin', 'https://app.example')
    const statusOf = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        get(`${served.SVC_BASE_URL}/health`, { headers }, (answer) => resolve(answer.resume().statusCode))
      })
    expect(await statusOf({ host: 'mock.internal:4010' })).toBe(200)
    expect(await statusOf({ host: 'evil.example' })).toBe(403)
    expect(await statusOf({ origin: 'https://app.example' })).toBe(200)
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(403)
  })

  it('starts from a seed, applies --reading, and shows each request', async () => {
    const seed = {
      workspaces: ['acme'],
      keys: [{ key: 'reader', permissions: ['projects-read'] }, { key: 'all' }],
      projects: [{ name: 'Seeded', transcripts: [{ name: 't', turns: [{ role: 'user', content: 'Hi' }] }] }],
    }
    writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
    const { served, send, project, said } = await mock(
      '--seed',
      'seed.json',
      '--reading',
      'annotatorsNeedKey=false',
      '--reading',
      'rowFields=no metadata',
      '--reading',
      'pastEnd=404',
      '--reading',
      'databaseSkewMs=-60000',
      '--verbose',
    )
    expect(served.SVC_API_KEY).toBe('all')
    expect(await project()).toMatchObject({ name: 'Seeded', transcript_count: 1 })
    expect((await send(`${served.SVC_BASE_URL}/v1/annotators`, undefined, { authorization: '' })).status).toBe(200)
    expect(said()).toContain(`200 GET workspace /projects/${served.SVC_PROJECT} …`)
    const list = `${served.SVC_PUBLIC_BASE_URL}/projects/${served.SVC_PROJECT}/transcripts`
    const [row] = (await (await send(list)).json()).data
    expect([row.name, 'metadata' in row]).toEqual(['t', false])
    expect(Date.parse(row.created_at)).toBeLessThan(Date.now() - 50_000)
    expect((await send(`${list}?page=2`)).status).toBe(404)
  })

  it('answers by a script, and starts again from a snapshot of another server', async () => {
    writeFileSync(join(folder, 'script.json'), JSON.stringify([{ id: 'mine', outcome: 'poor' }]))
    const first = await mock('--control', '--script', 'script.json')
    const headers = { authorization: `Bearer ${first.served.SVC_CONTROL_TOKEN}` }
    const registry = async ({ served, send }: Awaited<ReturnType<typeof mock>>) =>
      (await (await send(`${served.SVC_BASE_URL}/v1/annotators`)).json()).annotators.map(({ id }: { id: string }) => id)
    expect(await registry(first)).toEqual(['structural', 'patterns', 'mine'])
    const snapshot = await fetch(`${first.served.SVC_CONTROL_URL}world?keys=true`, { headers })
    writeFileSync(join(folder, 'snapshot.json'), await snapshot.text())
    const second = await mock('--seed', 'snapshot.json')
    expect(await registry(second)).toEqual(['structural', 'patterns', 'mine'])
    expect(await second.project()).toEqual(await first.project())
  })

  it('svc mock is controlled with the token', async () => {
    const { served, annotate } = await mock('--control', '--limit', '1/1h')
    const steer = (path: string, body: unknown, token = served.SVC_CONTROL_TOKEN) =>
      fetch(served.SVC_CONTROL_URL + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect([await annotate(), await annotate()]).toEqual([200, 429])
    expect((await steer('clock', { advanceMs: 3_600_000 }, 'guess')).status).toBe(401)
    expect((await steer('clock', { advanceMs: 3_600_000 })).status).toBe(200)
    expect(await annotate()).toBe(200)
  })

  it.each([[[]], [['--data', 'reset world']]])('still has its project and key after a reset: %j', async (flags) => {
    for (const _ of ['a new world', 'a kept world']) {
      const { served, project, stop } = await mock('--control', ...flags)
      const headers = { authorization: `Bearer ${served.SVC_CONTROL_TOKEN}` }
      expect((await fetch(`${served.SVC_CONTROL_URL}reset`, { method: 'POST', headers })).status).toBe(204)
      expect(await project()).toMatchObject({ name: 'Mock project' })
      await stop()
    }
  })

  it('prints assignments for a shell, also with special characters', async () => {
    const { child, said, stop } = start('--data', `it's "a" $world`)
    const lines = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))))
    const shown = spawnSync('sh', ['-c', `${lines}\nprintf %s "$SVC_STATE_DIR"`], { encoding: 'utf8' })
    expect([shown.stderr, shown.stdout]).toEqual(['', join(folder, `it's "a" $world`, 'state')])
    await stop()
    expect(said()).toContain('/docs')
  })

  it('prints the variables before the first request is answered', async () => {
    const port = await freePort()
    const file = join(folder, 'printed')
    const output = openSync(file, 'w')
    const child = spawn(process.execPath, [bin, 'mock', '--port', String(port)], {
      env,
      stdio: ['ignore', output, 'ignore'],
    })
    const ended = new Promise((resolve) => child.on('close', resolve))
    stops.push(() => {
      child.kill()
      return ended
    })
    await answer(`http://127.0.0.1:${port}/health`)
    expect(readFileSync(file, 'utf8')).toMatch(/^export SVC_API_KEY=.*\nexport SVC_CONFIG='[^\n]*'\n$/s)
    closeSync(output)
  })

  it.each([[[]], [['--', 'sleep', '1000']]])(
    'writes a file once it serves, in place of that of an earlier run, and removes it at the end: %j',
    async (command) => {
      const file = join(folder, 'ready')
      writeFileSync(file, 'earlier')
      const { stop } = start('--control', '--ready-file', 'ready', ...command)
      const text = await appearance(file, 'earlier')
      const shown = spawnSync('sh', ['-c', '. ./ready; echo "$SVC_BASE_URL/health $SVC_CONTROL_TOKEN"'], {
        cwd: folder,
      })
      const [url = '', token = ''] = String(shown.stdout).trim().split(' ')
      expect((await fetch(url)).status).toBe(200)
      expect(text).toContain(`export SVC_CONTROL_TOKEN='${token}'\n`)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      await stop()
      expect(existsSync(file)).toBe(false)
    },
  )

  it('writes the file as the document that it prints with --json', async () => {
    const { served } = await mock('--ready-file', 'ready.json')
    expect(JSON.parse(await appearance(join(folder, 'ready.json')))).toEqual(served)
  })

  it('keeps its world in a folder, with the state of its commands, through a kill', async () => {
    const first = await mock('--data', 'world')
    const upload = { name: 't', turns: [{ role: 'user', content: 'Hi' }] }
    const path = `${first.served.SVC_PUBLIC_BASE_URL}/projects/${first.served.SVC_PROJECT}/transcripts`
    expect((await first.send(path, upload)).status).toBe(201)
    expect(first.served.SVC_STATE_DIR).toBe(join(folder, 'world', 'state'))
    await first.stop('SIGKILL')
    const second = await mock('--data', 'world')
    expect(second.served.SVC_PROJECT).toBe(first.served.SVC_PROJECT)
    expect(await second.project()).toMatchObject({ transcript_count: 1 })
    const third = start('--data', 'world')
    expect(await third.ended).toBe(3)
    expect(third.said()).toMatch(/world.*another/s)
  })

  it('completes open requests after a stop', async () => {
    const { annotate, stop } = await mock('--fault', 'annotations.create: latency; ms=200')
    const answer = annotate()
    const ready = await mock()
    expect(await ready.annotate()).toBe(200)
    const ended = stop()
    expect(await answer).toBe(200)
    expect(await ended).toBe(143)
  })
})

describe('svc mock refuses', () => {
  it.each([
    [2, ['--limit', '200'], 'such as 200/10s'],
    [2, ['--limit', '-1/10s'], 'such as 200/10s'],
    [2, ['--fault', 'boom'], 'expected a kind out of'],
    [2, ['--fault', 'annotation.create: lost'], 'unknown operation annotation.create'],
    [2, ['--reading', 'politeness=true'], 'expected one of annotatorsNeedKey'],
    [2, ['--reading', 'lenientPaging=perhaps'], 'must be true or false'],
    [2, ['--reading', 'unknownAnnotator=500'], 'must be 404 or 422'],
    [2, ['--reading', 'turnBytes=-1'], 'must be an integer from 0'],
    [2, ['--reading', 'rowField=id'], 'unknown reading rowField (did you mean rowFields?)'],
    [
      2,
      ['--reading', 'rowFields=some'],
      'rowFields must be full, id, names, no metadata, null metadata or empty metadata',
    ],
    [
      2,
      ['--reading', 'order=a', '--reading', 'pageCap=b'],
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
  ])('svc mock refuses with %i: %j', async (code, argv, message) => {
    const { ended, said } = start(...argv, '--', 'true')
    expect(await ended).toBe(code)
    expect(said()).toContain(message)
  })

  it('a seed with everything that is wrong in it', async () => {
    writeFileSync(join(folder, 'bad.json'), JSON.stringify({ keys: [{}], projets: [] }))
    const { ended, said } = start('--seed', 'bad.json', '--', 'true')
    expect(await ended).toBe(3)
    expect(said()).toMatch(/\/keys\/0\/key: required.*\/projets: no such field/s)
  })

  it('a seed that names an id twice, and has made no world of it', async () => {
    const id = 'hp-00000000-0000-4000-a000-000000000000'
    const projects = ['a', 'b'].map((name) => ({ id, name }))
    writeFileSync(join(folder, 'twice.json'), JSON.stringify({ projects }))
    const { ended, said } = start('--seed', 'twice.json', '--data', 'twice', '--', 'true')
    expect(await ended).toBe(3)
    expect(said()).toMatch(/twice\.json.*\/projects\/1\/id: expected another value than \/projects\/0\/id/s)
    expect((await mock('--data', 'twice')).served.SVC_PROJECT).not.toBe(id)
  })

  it.skipIf(process.platform === 'win32')(
    'a folder that cannot be written, or a file in it, and names it',
    async () => {
      const data = join(folder, 'read-only')
      const files = ['world.db', 'world.db-journal', 'world.lock'].map((name) => join(data, name))
      await start('--data', data, '--', 'true').ended
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
    const { ended, said } = start('--port', String(port))
    expect(await ended).toBe(3)
    expect(said()).toContain(`Cannot listen on 127.0.0.1:${port}: it is in use.`)
    await new Promise((resolve) => taken.close(resolve))
  })
})
