import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Base, locate, nowhere, sorted } from './bases.js'
import type { AnswerCall } from './call.js'
import { finish, SocketCall } from './node-exchange.js'
import type { Surface } from './types.js'

/** Where to listen. */
export interface ListenOptions {
  /** Default 0: a free port. */
  port?: number
  /** Default `127.0.0.1`. */
  host?: string
}

/** A server that listens. */
export interface Listening {
  baseUrl: string
  publicBaseUrl: string
  port: number
  /** Stops listening and ends; connections that are still busy after half a second are cut. */
  close(): Promise<void>
}

const graceMs = 500

/** Serves calls over `node:http`, each surface under its path. */
export async function listen(
  answer: AnswerCall,
  paths: Readonly<Record<Surface, string>>,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<Listening> {
  const bases = sorted([
    { surface: 'annotation', prefix: paths.annotation },
    { surface: 'workspace', prefix: paths.workspace },
  ])
  const http = await nodeHttp()
  let closing = false
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const call = new SocketCall(request, response, targetOf(bases, request.url ?? ''), expectsContinue)
    answer(call)
      .then((reply) => finish(request, response, reply, closing))
      .catch(() => response.destroy())
  }
  const server = http.createServer((request, response) => serve(request, response, false))
  // Node would send 100 Continue by itself, and the body would come before it can be refused.
  server.on('checkContinue', (request, response) => serve(request, response, true))
  await started(server, port, host)

  const { port: actual } = server.address() as AddressInfo
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
  return {
    baseUrl: origin + paths.annotation,
    publicBaseUrl: origin + paths.workspace,
    port: actual,
    close: () => {
      closing = true
      return stopped(server)
    },
  }
}

/** The target of a request line: a path, or a whole URL whose authority is not looked at. */
function targetOf(bases: readonly Base[], url: string) {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
  return locate(bases, path) ?? nowhere
}

async function nodeHttp() {
  // Inside `try`, so that a bundler for browsers leaves the import alone.
  try {
    return await import('node:http')
  } catch (cause) {
    throw new Error('listen() needs node:http; elsewhere use server.fetch or server.handlers.', { cause })
  }
}

function started(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function stopped(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}
