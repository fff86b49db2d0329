import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, ownService, runProcess } from '../../helpers/own-service.js'

const big = 'x'.repeat(5_000_000)
const project = { id: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10', name: 'P', transcript_count: 0 }
let stored = 0

let service: Awaited<ReturnType<typeof ownService>>
beforeAll(async () => {
  service = await ownService(async (request, response) => {
    const url = request.url ?? ''
    for await (const _ of request);
    response.setHeader('content-type', 'application/json')
    if (request.method === 'POST') {
      const id = `tr_${stored++}`
      response.statusCode = 201
      response.end(
        JSON.stringify({ data: { id, name: big.slice(0, 20_000), turn_count: 1, processing_status: 'queued' } }),
      )
    } else if (url.endsWith('/health')) response.end(JSON.stringify({ status: 'ok', substrate: 'lambda' }))
    else if (url.includes('/projects?') || url.endsWith('/projects')) {
      response.end(JSON.stringify({ data: [project], pagination: { page: 1, limit: 20, total: 1 } }))
    } else if (url.includes('/transcripts')) {
      response.end(JSON.stringify({ data: [], pagination: { page: 1, limit: 20, total: 0 } }))
    } else response.end(JSON.stringify({ data: { ...project, executive_summary: big } }))
  })
})
afterAll(() => service.close())

const start = (argv: string[], env = service.env) =>
  spawn(process.execPath, [bin, ...argv], { env, cwd: service.folder })

describe('standard output', () => {
  it('arrives whole when its reader is slow', async () => {
    const child = start(['projects', 'get', project.id, '--json'])
    // Nothing is read until the service has answered and the pipe has something in it.
    await once(child.stdout, 'readable')
    let out = ''
    for await (const chunk of child.stdout) out += chunk
    expect(JSON.parse(out).executive_summary).toHaveLength(big.length)
    expect(child.exitCode ?? (await once(child, 'close'))[0]).toBe(0)
  })

  it('standard output may be closed by its reader before the end, without a word and without stopping uploads', async () => {
    const lines = Array.from(
      { length: 40 },
      (_, i) => `${JSON.stringify([{ role: 'user', content: `conversation ${i}` }])}\n`,
    )
    writeFileSync(join(service.folder, 'many.jsonl'), lines.join(''))
    const child = start(['upload', 'many.jsonl', '--json', '--quiet'])
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [code] = await once(child, 'close')
    expect([code, err, stored]).toEqual([0, '', 40])
  })

  it.each([['--version'], ['upload', '--help'], ['projects', 'list']])(
    'standard output may be gone from the start: svc %s',
    async (...argv) => {
      const child = start(argv)
      child.stdout.destroy()
      let err = ''
      child.stderr.on('data', (chunk) => {
        err += chunk
      })
      expect([(await once(child, 'close'))[0], err]).toEqual([0, ''])
    },
  )

  it.runIf(process.platform === 'linux')('reports an output that cannot be written, and exits 1', async () => {
    for (const argv of ['--version', 'projects list --json']) {
      const child = spawn('sh', ['-c', `"${process.execPath}" "${bin}" ${argv} > /dev/full`], { env: service.env })
      let err = ''
      child.stderr.on('data', (chunk) => {
        err += chunk
      })
      const [code] = await once(child, 'close')
      expect([code, err]).toEqual([1, 'svc: cannot write the output (ENOSPC).\n'])
    }
  })
})

describe('the surroundings of a process', () => {
  const ask = async (env: Record<string, string | undefined>, cwd?: string) => {
    const { SVC_STATE_DIR: _, SVC_CACHE_DIR: __, SVC_CONFIG: ___, ...own } = service.env
    const { code, out, err } = await runProcess(['projects', 'list'], { ...own, ...env }, cwd)
    return [code, out.split('\t')[0], err]
  }
  const well = [0, project.id, '']

  it('the surroundings of a process may lack a home', async () => {
    expect(await ask({ HOME: undefined, USERPROFILE: undefined })).toEqual(well)
    expect(await ask({ HOME: '' })).toEqual(well)
    expect(await ask({ HOME: '/nonexistent' })).toEqual(well)
  })

  it('the surroundings of a process may have a home that cannot be written', async () => {
    const home = join(service.folder, 'read-only')
    mkdirSync(home)
    chmodSync(home, 0o500)
    expect(await ask({ HOME: home })).toEqual(well)
  })

  it('the surroundings of a process may have folders that are not absolute, which do not count', async () => {
    const env = { XDG_CONFIG_HOME: 'config', XDG_STATE_HOME: './state', XDG_CACHE_HOME: '' }
    expect(await ask(env)).toEqual(well)
  })

  it('the surroundings of a process may lack a working directory', async () => {
    const script = `mkdir gone; cd gone; rmdir ../gone; "${process.execPath}" "${bin}" "$@"`
    const inNoFolder = async (...argv: string[]) => {
      const child = spawn('sh', ['-c', script, 'sh', ...argv], { env: service.env, cwd: service.folder })
      return (
        await once(
          child.on('error', () => {}),
          'close',
        )
      )[0]
    }
    expect(await inNoFolder('--version')).toBe(0)
    expect(await inNoFolder('health')).toBe(0)
    expect(await inNoFolder('annotate', 'a.json', '--annotator', 'a')).toBe(3)
  })
})
