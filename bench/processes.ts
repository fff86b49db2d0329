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

/** Without extra certificates, which every process reads at its start. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/**
 * Compile a program of `programs/`, so that it runs without a loader. Packages stay external, as they are built, unless it
 * asks parts of them that they do not export.
 */
export async function compiled(name: string, { fromSources = false } = {}): Promise<string> {
  // Inside node_modules, so that packages resolve by name.
  const outfile = here(`../node_modules/.bench/${name}.mjs`)
  await build({
    entryPoints: [here(`./programs/${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    // The paths of the project's tsconfig lead to the sources.
    ...(fromSources ? { tsconfig: here('../tsconfig.json') } : { tsconfigRaw: '{}' }),
  })
  return outfile
}

/** The CPU of a process in milliseconds, and its peak memory in megabytes. */
export interface Used {
  cpu: number
  peak: number
}

/** A server in its own process, whose work is not counted with its client's. */
export interface Server {
  baseUrl: string
  used(): Promise<Used>
  stop(): void
}

/** Start a program of `programs/` that prints its port when it listens. */
export const serve = async (name: string, argv: string[] = []): Promise<Server> => served(await compiled(name), argv)

export async function served(program: string, argv: string[] = []): Promise<Server> {
  const child = spawn(process.execPath, [...preload, program, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const stop = () => {
    process.off('exit', stop)
    child.kill()
  }
  // Also if the bench fails.
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

interface RunOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  stdin?: Readable
  /** Expected exit codes. Default: 0. */
  codes?: number[]
}

/** Run `node …` to its end. `wall` is in milliseconds. */
export async function run(argv: string[], options: RunOptions = {}): Promise<Used & { wall: number; out: string }> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...preload, ...argv], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
    stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const [stdin, ...streams] = child.stdio
  // A process that ends early is reported by its exit code.
  stdin?.on('error', () => {})
  if (stdin) options.stdin?.pipe(stdin)
  const [[code], out, err, used] = await Promise.all([once(child, 'exit'), ...streams.map((s) => text(s as Readable))])
  const wall = performance.now() - startedAt
  if (!(options.codes ?? [0]).includes(code)) throw new Error(`${argv.join(' ')} ended with ${code}: ${err}`)
  return { ...(JSON.parse(used ?? '') as Used), wall, out: out ?? '' }
}

/** Work in a temporary folder. */
export async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The environment of the command: a service, a project, and a folder in place of the user's. */
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
