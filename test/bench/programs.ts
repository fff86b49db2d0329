import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** Inside node_modules, so that packages are found from here by their names, as a user's program finds them. */
const built = here('../../node_modules/.bench/')

/** Extra certificates are read when a process starts, which is no cost of what it runs. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/** Writes a program of so few words that it needs no file of its own. */
export function writeProgram(name: string, code: string): string {
  mkdirSync(built, { recursive: true })
  writeFileSync(built + name, code)
  return built + name
}

/** Compiles a program of `programs/` to what node runs by itself, with no loader to disturb it; packages stay outside. */
export async function compiled(name: string): Promise<string> {
  const outfile = `${built}${name}.mjs`
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

/** Runs a program to its end and gives what it printed, as JSON. */
export async function run<Result>(
  program: string,
  argv: string[],
  flags: string[] = [],
  node = process.execPath,
): Promise<Result> {
  const child = spawn(node, [...flags, program, ...argv], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  await ended(child, program)
  return JSON.parse(printed) as Result
}

/** A server in a process of its own, so that its work is not counted into that of whoever calls it. */
export async function serve(name: string): Promise<{ baseUrl: string; stop: () => void }> {
  const child = spawn(process.execPath, [await compiled(name)], { stdio: ['ignore', 'pipe', 'inherit'] })
  // Also where the bench itself fails.
  process.once('exit', () => child.kill())
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (line) => resolve(Number(line)))
    child.once('exit', () => reject(new Error(`${name}: ended before it listened`)))
  })
  return { baseUrl: `http://127.0.0.1:${port}`, stop: () => child.kill() }
}

/** Milliseconds that a whole process took, by the wall and by the processor. */
export interface Spent {
  wall: number
  cpu: number
}

/** Runs `node …` from start to end, with more variables in its environment. */
export async function spend(argv: string[], more: NodeJS.ProcessEnv = {}): Promise<Spent> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['-r', here('./cpu.cjs'), ...argv], {
    env: { ...env, ...more },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  let micros = ''
  child.stdio[3]?.on('data', (chunk) => {
    micros += chunk
  })
  let wall = Number.NaN
  child.on('exit', () => {
    wall = performance.now() - startedAt
  })
  // A process that failed was quick, and says nothing.
  await ended(child, argv.join(' '))
  return { wall, cpu: Number(micros) / 1_000 }
}

/** Resolves when a process has ended well and all that it wrote is read. */
const ended = (child: ChildProcess, what: string): Promise<void> =>
  new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${what}: ended with ${code}`))))
  })
