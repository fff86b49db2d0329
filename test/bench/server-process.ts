import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { referenceKey } from '@svc/reference-server/core'
import { install } from '../runtimes/cache.js'
import type { Used } from './programs/usage.js'
import { compiled } from './programs.js'

/** A server in a process of its own. */
export interface ServerProcess {
  origin: string
  /** Milliseconds from the start of the process to its first 200. */
  startedIn: number
  /** What the process has used so far; only where it was started with `measured`. */
  used(): Promise<Used>
  stop(): Promise<void>
}

/** The headers of every request. */
export const headers = { authorization: `Bearer ${referenceKey}` }

/** Starts `node …` with the port that it is to listen on, and waits for its first 200 on a path. */
export async function startServer(
  argvOf: (port: number) => string[],
  path: string,
  measured: string[] = [],
): Promise<ServerProcess> {
  const port = await freePort()
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const argv = [...measured, ...argvOf(port)]
  const startedAt = performance.now()
  const child = spawn(process.execPath, argv, {
    env,
    stdio: ['ignore', 'ignore', 'inherit', ...(measured.length > 0 ? (['ipc'] as const) : [])],
  })
  const kill = () => void child.kill()
  // Also where the bench itself fails.
  process.once('exit', kill)
  let ended = false
  const closed = once(child, 'close').then(() => {
    ended = true
  })
  const origin = `http://127.0.0.1:${port}`
  while (!(await answers(origin + path))) {
    if (ended) throw new Error(`${argv.join(' ')}: ended before it answered`)
    if (performance.now() - startedAt > 20_000) throw new Error(`${argv.join(' ')}: does not answer`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return {
    origin,
    startedIn: performance.now() - startedAt,
    used: async () => {
      const answer = once(child, 'message')
      child.send('used')
      const [used] = await answer
      return used as Used
    },
    stop: async () => {
      process.off('exit', kill)
      kill()
      await closed
    },
  }
}

/** Node's flags that let a process be asked what it has used; with `collect` after a garbage collection. */
export async function measured({ collect = false } = {}): Promise<string[]> {
  return ['--import', `file://${await compiled('usage')}`, ...(collect ? ['--expose-gc'] : [])]
}

/** How Prism serves a document of `spec/`, or why it cannot be had. Not a dependency: installed on demand, into the cache. */
export function prism(document: 'annotation' | 'workspace'): ((port: number) => string[]) | { missing: string } {
  const runtime = install({
    name: 'Prism',
    // The newest that runs on every Node that the bench runs on.
    package: '@stoplight/prism-cli@5.14.2',
    binary: 'node_modules/.bin/prism',
  })
  if ('missing' in runtime) return { missing: runtime.missing }
  const spec = new URL(`../../spec/${document}.openapi.yaml`, import.meta.url).pathname
  return (port) => [runtime.binary, 'mock', '--host', '127.0.0.1', '--port', `${port}`, '-v', 'silent', spec]
}

const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    }).on('error', () => resolve(false))
  })

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
