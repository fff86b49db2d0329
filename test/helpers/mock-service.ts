import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createClient } from '@svc/client'
import { bin, cleanEnv } from './own-service.js'
import { svcCalls } from './svc-calls.js'

/** The exit code and the output of a shell. */
export interface Ended {
  code: number | null
  out: string
  err: string
}

/** `svc mock` in a process of its own, and shells whose `svc` leads there. */
export const mockService = (...flags: string[]) =>
  serviceWith(flags, async (folder) => symlinkSync(bin, join(folder, 'svc')))

/** The same with an `svc` that this process runs: see `svcCalls`. */
export const mockServiceOfCalls = (...flags: string[]) => serviceWith(flags, svcCalls)

async function serviceWith(flags: string[], install: (folder: string) => Promise<{ close(): Promise<void> } | void>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mock-service-'))
  const installed = await install(folder)
  const own = {
    ...cleanEnv,
    HOME: folder,
    PATH: [folder, cleanEnv.PATH].join(delimiter),
    SVC_STATE_DIR: join(folder, 'state'),
    SVC_CACHE_DIR: join(folder, 'cache'),
    SVC_CONFIG: join(folder, 'config.json'),
  }
  const serving = spawn(process.execPath, [bin, 'mock', '--json', ...flags], {
    env: own,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const variables: Record<string, string> = JSON.parse(
    await new Promise((resolve, reject) => {
      serving.stdout.once('data', (data) => resolve(String(data)))
      serving.once('close', (code) => reject(new Error(`svc mock ended with ${code}`)))
    }),
  )
  const env: Record<string, string> = { ...variables, ...own }
  const client = createClient({ environment: variables })

  /** Runs a program with the service in its environment. */
  const run = (argv: readonly string[], cwd: string, more: Record<string, string> = {}) => {
    const [program = '', ...rest] = argv
    return ended(spawn(program, rest, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] }))
  }

  return {
    folder,
    env,
    run,
    /** A folder of its own, with so many transcripts in `transcripts`. */
    workplace(name: string, conversations: number) {
      const cwd = join(folder, name)
      mkdirSync(join(cwd, 'transcripts'), { recursive: true })
      for (let n = 0; n < conversations; n++) {
        const conversation = {
          name: `conversation ${n}`,
          turns: [{ role: 'user', content: `This is conversation ${n}.` }],
        }
        writeFileSync(join(cwd, 'transcripts', `${n}.json`), JSON.stringify(conversation))
      }
      return cwd
    },
    /** Creates another project and returns its id. */
    createProject: async (name: string) => (await client.projects.create({ name })).id,
    /** The sorted names of the stored transcripts of a project. */
    async stored(project = variables.SVC_PROJECT ?? '') {
      const names: unknown[] = []
      for await (const { name } of client.transcripts.all(project)) names.push(name)
      return names.sort()
    },
    async close() {
      await new Promise((resolve) => serving.on('close', resolve).kill())
      await installed?.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export const namesOf = (conversations: number): string[] =>
  Array.from({ length: conversations }, (_, n) => `conversation ${n}`).sort()

function ended(child: ChildProcess): Promise<Ended> {
  const written = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    written.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    written.err += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...written }))
  })
}
