import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'
import { createShell } from '../../helpers/run-cli.js'

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
const annotation = { annotator: 'structural', transcript: [] }

let shell: ReturnType<typeof createShell>
let folder = ''
beforeEach(() => {
  shell = createShell()
  folder = shell.cwd
})
const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Serves in this process; `printed` gives what it wrote first on stdout, `said` what it wrote on stderr. */
function start(...argv: string[]) {
  const stopping = new AbortController()
  const said: string[] = []
  const output = (write: (text: string) => unknown) => ({ isTTY: false, columns: 100, write })
  let ended: Promise<unknown> | undefined
  const printed = new Promise<string>((print) => {
    const io = { stdout: output(print), stderr: output((text) => said.push(text)) }
    ended = shell.svc(['mock', ...argv], { env, io, signal: stopping.signal })
  })
  const stop = async () => {
    stopping.abort('SIGTERM')
    await ended
  }
  stops.push(stop)
  return { printed, stop, said: () => said.join('') }
}

/** Starts the built command, for what a process alone has. */
function startProcess(...argv: string[]) {
  const child = spawn(process.execPath, [bin, 'mock', ...argv], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const printed = new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  stops.push(() => stop())
  return { printed, ended, stop }
}

/** A mock that serves, and ways to ask it with its own key. */
const mock = (...flags: string[]) => serving(start('--json', ...flags))
async function serving<Started extends { printed: Promise<string> }>(started: Started) {
  const served = JSON.parse(await started.printed) as Record<string, string>
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

  it('starts from a seed, applies --ambiguity, and shows each request', async () => {
    const seed = {
      workspaces: ['acme'],
      keys: [{ key: 'reader', permissions: ['projects-read'] }, { key: 'all' }],
      projects: [{ name: 'Seeded', transcripts: [{ name: 't', turns: [{ role: 'user', content: 'Hi' }] }] }],
    }
    writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
    const { served, send, project, said } = await mock(
      '--seed',
      'seed.json',
      '--ambiguity',
      'annotatorsNeedKey=false',
      '--ambiguity',
      'rowFields=no metadata',
      '--ambiguity',
      'pastEnd=404',
      '--verbose',
    )
    expect(served.SVC_API_KEY).toBe('all')
    expect(await project()).toMatchObject({ name: 'Seeded', transcript_count: 1 })
    expect((await send(`${served.SVC_BASE_URL}/v1/annotators`, undefined, { authorization: '' })).status).toBe(200)
    expect(said()).toContain(`200 GET workspace /projects/${served.SVC_PROJECT} …`)
    const list = `${served.SVC_PUBLIC_BASE_URL}/projects/${served.SVC_PROJECT}/transcripts`
    const [row] = (await (await send(list)).json()).data
    expect([row.name, 'metadata' in row]).toEqual(['t', false])
    expect((await send(`${list}?page=2`)).status).toBe(404)
  })

  it('answers by a script, and starts again from a snapshot of another server', async () => {
    writeFileSync(join(folder, 'script.json'), JSON.stringify([{ id: 'mine', outcome: 'poor' }]))
    const first = await mock('--control', '--script', 'script.json')
    const headers = { authorization: `Bearer ${first.served.SVC_CONTROL_TOKEN}` }
    const registry = async ({ served, send }: Awaited<ReturnType<typeof mock>>) =>
      (await (await send(`${served.SVC_BASE_URL}/v1/annotators`)).json()).annotators.map(({ id }: { id: string }) => id)
    expect(await registry(first)).toEqual(['structural', 'patterns', 'mine'])
    const snapshot = await fetch(`${first.served.SVC_CONTROL_URL}/world?keys=true`, { headers })
    writeFileSync(join(folder, 'snapshot.json'), await snapshot.text())
    const second = await mock('--seed', 'snapshot.json')
    expect(await registry(second)).toEqual(['structural', 'patterns', 'mine'])
    expect(await second.project()).toEqual(await first.project())
  })

  it('svc mock is controlled with the token', async () => {
    const { served, annotate } = await mock('--control', '--limit', '1/1h')
    const steer = (path: string, body: unknown, token = served.SVC_CONTROL_TOKEN) =>
      fetch(`${served.SVC_CONTROL_URL}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect([await annotate(), await annotate()]).toEqual([200, 429])
    expect((await steer('clock', { advanceMs: 3_600_000 }, 'guess')).status).toBe(401)
    expect((await steer('clock', { advanceMs: 3_600_000 })).status).toBe(200)
    expect(await annotate()).toBe(200)
  })

  it('gives each URL without a slash at its end', async () => {
    const { served } = await mock('--control')
    const urls = Object.entries(served).filter(([name]) => name.endsWith('_URL'))
    expect(urls.map(([name]) => name)).toEqual(['SVC_BASE_URL', 'SVC_PUBLIC_BASE_URL', 'SVC_CONTROL_URL'])
    for (const [, url] of urls) expect(url).not.toMatch(/\/$/)
  })

  it.each([[[]], [['--data', 'reset world']]])('still has its project and key after a reset: %j', async (flags) => {
    for (const _ of ['a new world', 'a kept world']) {
      const { served, project, stop } = await mock('--control', ...flags)
      const headers = { authorization: `Bearer ${served.SVC_CONTROL_TOKEN}` }
      expect((await fetch(`${served.SVC_CONTROL_URL}/reset`, { method: 'POST', headers })).status).toBe(204)
      expect(await project()).toMatchObject({ name: 'Mock project' })
      await stop()
    }
  })

  it('prints assignments for a shell, also with special characters', async () => {
    const { printed, said, stop } = start('--data', `it's "a" $world`)
    const shown = spawnSync('sh', ['-c', `${await printed}\nprintf %s "$SVC_STATE_DIR"`], { encoding: 'utf8' })
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
      const { stop } = startProcess('--control', '--ready-file', 'ready', ...command)
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

  it.each([
    ['--ready-file', 'ready', '--prot', '1'],
    ['--ready-file=ready', '--port', 'x'],
    ['--prot', '--ready-file', 'ready'],
  ])('removes the file of an earlier run also where it cannot start: %j', async (...argv) => {
    const file = join(folder, 'ready')
    writeFileSync(file, 'earlier')
    expect((await shell.svc(['mock', ...argv, '--help'], { env })).code).toBe(0)
    expect(existsSync(file)).toBe(true)
    expect((await shell.svc(['mock', ...argv], { env })).code).toBe(2)
    expect(existsSync(file)).toBe(false)
  })

  it('leaves a file that only its command names', async () => {
    const file = join(folder, 'ready')
    writeFileSync(file, 'of the command')
    const program = `process.exit(require('node:fs').existsSync('ready') ? 0 : 1)`
    const { code } = await shell.svc(['mock', '--', process.execPath, '-e', program, '--', '--ready-file', 'ready'], {
      env,
    })
    expect(code).toBe(0)
  })

  it('lets its command run the policy in code that its user trusts', async () => {
    const own = { ...env, SVC_CONFIG: join(folder, 'own.json') }
    writeFileSync(
      join(folder, 'svc.checks.mjs'),
      'export default { failOn: "none", rules: { never: () => undefined } }',
    )
    writeFileSync(join(folder, 'a.json'), JSON.stringify([{ role: 'user', content: 'Hi' }]))
    const svc = (...argv: string[]) =>
      spawnSync(process.execPath, [bin, ...argv], { cwd: folder, env: own, encoding: 'utf8' })
    const check = ['mock', '--', 'svc', 'check', 'a.json', '--annotator', 'structural']
    expect(svc(...check)).toMatchObject({ status: 3, stderr: expect.stringContaining('svc config trust') })
    expect(svc('config', 'trust', 'svc.checks.mjs', '--yes').status).toBe(0)
    expect(svc(...check)).toMatchObject({ status: 0 })
  })

  it('writes the file as the document that it prints with --json', async () => {
    const { served } = await mock('--ready-file', 'ready.json')
    expect(JSON.parse(await appearance(join(folder, 'ready.json')))).toEqual(served)
  })

  it('keeps its world in a folder, with the state of its commands, through a kill', async () => {
    const first = await serving(startProcess('--json', '--data', 'world'))
    const upload = { name: 't', turns: [{ role: 'user', content: 'Hi' }] }
    const path = `${first.served.SVC_PUBLIC_BASE_URL}/projects/${first.served.SVC_PROJECT}/transcripts`
    expect((await first.send(path, upload)).status).toBe(201)
    expect(first.served.SVC_STATE_DIR).toBe(join(folder, 'world', 'state'))
    await first.stop('SIGKILL')
    const second = await mock('--data', 'world')
    expect(second.served.SVC_PROJECT).toBe(first.served.SVC_PROJECT)
    expect(await second.project()).toMatchObject({ transcript_count: 1 })
    const third = await shell.svc(['mock', '--data', 'world'], { env })
    expect([third.code, third.err]).toEqual([3, expect.stringMatching(/world.*another/s)])
  })

  const asFirstProcess = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child']
  const [unshare = '', ...namespaces] = asFirstProcess
  const canBeFirst = spawnSync(unshare, [...namespaces, 'true']).status === 0
  for (const [how, prefix, isSkipped] of [
    ['', [], false],
    [' as process 1', asFirstProcess, !canBeFirst],
  ] as const) {
    const name = `ends${how} at a SIGTERM during its start, and serves nothing`
    if (isSkipped) it.skip(`${name} (not run: unshare is not permitted)`)
    else
      it(name, () => {
        const preload = join(folder, 'preload.cjs')
        // The signal comes as soon as the process listens for it: the earliest time at which a process 1 can get it.
        const text = `process.on('newListener', (name) => {
          if (name === 'SIGTERM') setImmediate(() => process.kill(process.pid, 'SIGTERM'))
        })`
        writeFileSync(preload, text)
        const [program = '', ...argv] = [...prefix, process.execPath, '--require', preload, bin, 'mock']
        const { status, stdout } = spawnSync(program, argv, { cwd: folder, env, encoding: 'utf8' })
        expect([status, stdout]).toEqual([143, ''])
      })
  }

  it.each([
    ['{"name":"P"}', 143],
    ['{"name":"P","domian":"general"}', 100],
  ])('ends at a stop with --check after the body %s with %i', async (body, code) => {
    const { served, send, stop } = await serving(startProcess('--json', '--check'))
    expect((await send(`${served.SVC_PUBLIC_BASE_URL}/projects`, JSON.parse(body))).status).toBe(201)
    expect(await stop()).toBe(code)
  })

  it('completes open requests after a stop', async () => {
    const { annotate, stop } = await serving(startProcess('--json', '--fault', 'annotations.create: latency; ms=200'))
    const answer = annotate()
    const ready = await mock()
    expect(await ready.annotate()).toBe(200)
    const ended = stop()
    expect(await answer).toBe(200)
    expect(await ended).toBe(143)
  })
})
