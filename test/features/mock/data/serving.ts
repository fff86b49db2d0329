import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The result of a start, which the program prints as one line of JSON. */
export type Said = { publicBaseUrl: string } | { refused: { reason: string; message: string; hint: string } }

/** A process that serves a folder. */
export interface Serving {
  said: Said
  process: ChildProcess
  /** The text that it wrote to stderr. */
  errors(): string
  /** Kills it as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>
}

/** The way to start a program. Default: with this Node, directly. */
export interface Start {
  /** The Node.js binary. */
  binary?: string
  /** Words before the command line, as of a shell that limits what the process may do. */
  through?: readonly string[]
}

/** The project that every world has. */
export const projectId = 'hp-00000000-0000-4000-8000-000000000001'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** Builds the program from the sources, beside the library that is not part of it (unless it is left out). */
export async function buildServing({ library = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-serving-'))
  const program = join(folder, 'child.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('serving-child.ts', import.meta.url))],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', target: 'node20', external: ['libsql'] },
    tsconfig: join(root, 'tsconfig.json'),
    logLevel: 'error',
  })
  if (library) {
    const { resolve } = createRequire(join(root, 'packages/reference-server/package.json'))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(dirname(resolve('libsql')), join(folder, 'node_modules/libsql'))
  }
  return {
    serve: (data: string, start: Start = {}) => serve(program, data, start),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

async function serve(program: string, data: string, { binary = process.execPath, through = [] }: Start) {
  const [command = '', ...args] = [...through, binary, program, data, projectId]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(child, 'close')
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>
  const ended = gone.then(() => Promise.reject(new Error(`The program ended without a word: ${err}`)))
  const [text] = await Promise.race([line, ended])
  ended.catch(() => {})
  const serving: Serving = {
    said: JSON.parse(text) as Said,
    process: child,
    errors: () => err,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
  return serving
}

/** The base URL of the server. Throws if its start was refused. */
export function urlOf({ said }: Serving): string {
  if ('refused' in said) throw new Error(said.refused.message)
  return said.publicBaseUrl
}
