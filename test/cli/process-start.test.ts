import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram, type Io } from '@svc/cli'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createShell } from '../run-cli.js'
import { bin, ownService, runProcess } from './own-service.js'

let service: Awaited<ReturnType<typeof ownService>>
beforeAll(async () => {
  service = await ownService((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"status":"ok","substrate":"lambda"}'),
  )
  // Written to a descriptor of its own at the end: the files of the package and the modules of Node that were loaded.
  writeFileSync(
    join(service.folder, 'loaded.cjs'),
    `const vm = require('node:vm')
     const chunks = []
     vm.Script = class extends vm.Script {
       constructor(text, options) {
         super(text, options)
         chunks.push(options.filename)
       }
     }
     process.on('exit', () => {
       const files = [...Object.keys(require.cache), ...chunks].filter((path) => !path.endsWith('loaded.cjs'))
       require('node:fs').writeSync(3, JSON.stringify({ files, modules: process.moduleLoadList }))
     })`,
  )
})
afterAll(() => service.close())

/** What a process had loaded when it ended. */
async function loaded(...argv: string[]): Promise<{ files: string[]; modules: string[] }> {
  const child = spawn(process.execPath, ['-r', join(service.folder, 'loaded.cjs'), bin, ...argv], {
    env: service.env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  let text = ''
  child.stdio[3]?.on('data', (chunk) => {
    text += chunk
  })
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  const { files, modules } = JSON.parse(text) as { files: string[]; modules: string[] }
  return { files: files.map((path) => path.replace(/.*\/packages\/cli\//, '')), modules }
}

type Command = ReturnType<typeof buildProgram>
const paths = (command: Command, above: string[] = []): string[][] => [
  above,
  ...command.commands.flatMap((each) => paths(each, [...above, each.name()])),
]

describe('the start of a process', () => {
  it('loads one file for the version and for help', async () => {
    for (const argv of [['--version'], ['-V'], ['--help'], ['-h'], ['projects', 'list', '--help']]) {
      expect((await loaded(...argv)).files.sort()).toEqual(['bin/svc.js', 'dist/bin.cjs'])
    }
  })

  it('brings neither Node’s fetch nor TLS nor undici nor any reader of transcripts for a plain request', async () => {
    const { modules, files } = await loaded('health')
    const heavy = /undici|_tls_|internal\/crypto|worker_threads|child_process|zlib|http2/
    expect(modules.filter((name) => heavy.test(name) && !name.startsWith('Internal Binding'))).toEqual([])
    expect(files.filter((name) => /undici|ora|containers|mock/.test(name))).toEqual([])
    expect(files).toContain('dist/main.cjs')
    expect(files.length).toBeLessThan(30)
  })
})

describe('prepared help', () => {
  it('is what the parser would print, for every command', async () => {
    const { svc } = createShell()
    const all = paths(buildProgram({} as Io, () => async () => {}))
    const { out } = await runProcess(['--help'], service.env)
    expect(out).toBe((await svc(['--help'])).out)
    const printed = await Promise.all(all.map((words) => runProcess([...words, '--help'], service.env)))
    for (const [i, words] of all.entries()) {
      expect(printed[i]).toEqual({ code: 0, out: (await svc([...words, '--help'])).out, err: '' })
    }
  })

  it('does not stand in the way of operands and other words', async () => {
    expect((await runProcess(['help', 'projects'], service.env)).out).toContain('Usage: svc projects')
    expect((await runProcess(['constructor', '--help'], service.env)).code).toBe(0)
    expect((await runProcess(['projects', 'get', '--', '--help'], service.env)).code).not.toBe(0)
  })
})
