import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const preload = ['-r', here('./usage.cjs')]

/** The built command. */
export const svc = here('../packages/cli/bin/svc.js')

/** Extra certificates are read when a process starts, which is no cost of what it runs. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/** Compiles a program of `programs/` to what node runs by itself, with no loader to disturb it; packages stay outside. */
export async function compiled(name: string): Promise<string> {
  // Inside node_modules, so that packages are found by their names, as a user's program finds them.
  const outfile = here(`../node_modules/.bench/${name}.mjs`)
  await build({
    entryPoints: [here(`./programs/${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    // The paths of the project's own would lead to the sources.
    tsconfigRaw: '{}',
  })
  return outfile
}

/** What a process has used: milliseconds of CPU, megabytes of memory at the most. */
export interface Used {
  cpu: number
  peak: number
}

/** A server in a process of its own, so that its work is not counted into that of its caller. */
export interface Server {
  baseUrl: string
  used(): Promise<Used>
  stop(): void
}

/** Starts a program of `programs/` that prints its port once it listens. */
export const serve = async (name: string, argv: string[] = []): Promise<Server> => served(await compiled(name), argv)

/** Starts a compiled program that prints its port once it listens. */
export async function served(program: string, argv: string[] = []): Promise<Server> {
  const child = spawn(process.execPath, [...preload, program, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const stop = () => {
    process.off('exit', stop)
    child.kill()
  }
  // Also where the bench itself fails.
  process.once('exit', stop)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${program}: ended before it listened`)))
  const [port] = await Promise.race([once(child.stdout as Readable, 'data'), ended])
  ended.catch(() => {})
  return {
    baseUrl: `http://127.0.0.1:${Number(port)}`,
    used: async () => {
      const answer = once(child, 'message')
      child.send('used')
      return (await answer)[0] as Used
    },
    stop,
  }
}

/** How to run a process. */
interface RunOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  stdin?: Readable
  /** Exit codes that are no failure. Default: 0. */
  codes?: number[]
}

/** Runs `node …` from start to end: what it used, the milliseconds that it took, and what it printed. */
export async function run(argv: string[], options: RunOptions = {}): Promise<Used & { wall: number; out: string }> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...preload, ...argv], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
    stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const [stdin, ...streams] = child.stdio
  // A process that ends early shows by its exit code.
  stdin?.on('error', () => {})
  if (stdin) options.stdin?.pipe(stdin)
  const [[code], out, err, used] = await Promise.all([once(child, 'exit'), ...streams.map((s) => text(s as Readable))])
  const wall = performance.now() - startedAt
  if (!(options.codes ?? [0]).includes(code)) throw new Error(`${argv.join(' ')} ended with ${code}: ${err}`)
  return { ...(JSON.parse(used ?? '') as Used), wall, out: out ?? '' }
}

/** Gives a folder to work in, which is gone afterwards. */
export async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The environment of the command: a service, a project, and a folder of its own in place of the user's. */
export const settingsIn = (folder: string, baseUrl: string, state = 'state'): NodeJS.ProcessEnv => ({
  SVC_API_KEY: 'bench',
  SVC_BASE_URL: baseUrl,
  SVC_PUBLIC_BASE_URL: baseUrl,
  SVC_PROJECT: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10',
  SVC_CONFIG: join(folder, 'config.json'),
  SVC_STATE_DIR: join(folder, state),
  SVC_CACHE_DIR: join(folder, 'cache'),
  HOME: folder,
})
