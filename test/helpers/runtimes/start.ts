import { execFile, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Report, Urls } from './job.js'

/** How long a runtime may take: the slowest part of the job waits two seconds for a rate limit; the rules are many. */
const patienceMs = 180_000

/** Runs a program to its end in Node, Bun or Deno, and gives the last line that it printed. */
export const inProcess = (
  binary: string,
  program: string,
  argument: { urls: Urls; transport?: boolean } | Urls,
  flags: string[] = [],
) =>
  new Promise<Report>((resolve, reject) => {
    const env = { PATH: process.env.PATH }
    execFile(
      binary,
      [...flags, program, JSON.stringify(argument)],
      { env, timeout: patienceMs },
      (error, stdout, stderr) =>
        error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(JSON.parse(stdout)),
    )
  })

/** Opens the page at an origin in a headless Chromium until it has posted what it found. */
export async function inChromium<Result = Report>(
  binary: string,
  app: string,
  origin: string,
  reported: Promise<string>,
): Promise<Result> {
  const profile = mkdtempSync(join(app, 'profile-'))
  const args = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, origin]
  const { ended, stop } = started(binary, args, { stdio: 'ignore' })
  try {
    return parsed(await Promise.race([reported, ended]))
  } finally {
    await stop()
  }
}

/** Gives a script to the library that is installed beside a command, and asks it for its report. */
export async function inEdgeRuntime(binary: string, app: string, script: string, urls: Urls): Promise<Report> {
  const program = join(mkdtempSync(join(app, 'edge-')), 'edge.cjs')
  const library = join(dirname(binary), '../edge-runtime')
  writeFileSync(
    program,
    `const { EdgeRuntime } = require(${JSON.stringify(library)})
    const runtime = new EdgeRuntime({ initialCode: ${JSON.stringify(script)} })
    const asked = runtime.dispatchFetch('http://edge.test/', { method: 'POST', body: process.argv[2] })
    asked.then((answer) => answer.text()).then(console.log)`,
  )
  return inProcess(process.execPath, program, urls)
}

/** Serves a module with workerd, and asks it for its report. */
export async function inWorkerd(binary: string, app: string, module: string, flags: string[], urls: Urls) {
  const folder = mkdtempSync(join(app, 'worker-'))
  writeFileSync(join(folder, 'job.js'), module)
  const config = join(folder, 'config.capnp')
  writeFileSync(config, capnp(flags))
  const args = ['serve', config, '--control-fd=3']
  const { ended, stop, child } = started(binary, args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] })
  try {
    const listening = portOf(child.stdio[3] as Readable)
    const port = await Promise.race([listening, ended])
    const asked = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(urls) })
    return parsed(await (await Promise.race([asked, ended])).text())
  } finally {
    await stop()
  }
}

const capnp = (flags: string[]) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "job", worker = (
      modules = [(name = "job.js", esModule = embed "job.js")],
      compatibilityDate = "2025-06-01",
      compatibilityFlags = ${JSON.stringify(flags)},
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "job")],
);
`

/** workerd tells on this pipe, a line of JSON for each event, where it listens. */
async function portOf(control: Readable): Promise<number> {
  for await (const chunk of control) {
    const port = /"port":\s*(\d+)/.exec(String(chunk))?.[1]
    if (port) return Number(port)
  }
  throw new Error('workerd listens nowhere.')
}

function parsed<Result = Report>(text: string): Result {
  if (!text.startsWith('{')) throw new Error(text)
  return JSON.parse(text)
}

/** A child that is stopped in the end; `ended` rejects when it ends by itself or takes too long. */
function started(binary: string, args: string[], options: SpawnOptions) {
  const child = spawn(binary, args, options)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${binary} ended with ${code}.`)))
    const timer = setTimeout(() => reject(new Error(`No report within ${patienceMs} ms.`)), patienceMs)
    child.once('exit', () => clearTimeout(timer))
  })
  ended.catch(() => {})
  const stop = () => {
    child.kill()
    return exited
  }
  return { child, ended, stop }
}
