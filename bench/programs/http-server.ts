import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Send = (status: number, body: string, headers?: Record<string, string>) => void

/** Serve on a free port of loopback, and print the port. */
export function listen(handle: (request: IncomingMessage, send: Send) => void): void {
  const server = createServer((request, response: ServerResponse) => {
    handle(request, (status, body, headers) => {
      const length = Buffer.byteLength(body)
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(body)
    })
  })
  // Idle connections outlive the slowest round, so that no call uses one that is being closed.
  server.keepAliveTimeout = 120_000
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
}
