import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { createServer } from '@svc/reference-server/core'
import { bases, type Incoming, type Outgoing, type Transport } from './transport.js'

/** HTTP over loopback. */
export const http: Transport = {
  name: 'http',
  async open(options) {
    const server = createServer({ ...options, ...bases })
    const { close, ...listening } = await server.listen()
    const sender = socketSender()
    return {
      server,
      bases: listening,
      send: sender.send,
      close() {
        sender.close()
        return close()
      },
    }
  },
}

/** Sends over sockets of its own, that are kept for the next request; paths go out as they are. */
export function socketSender() {
  // An idle one is let go before servers usually do it, which would look like a reset of the next request.
  const kept = { keepAlive: true, timeout: 4000 }
  const plain = new Agent(kept)
  const tls = new TlsAgent(kept)
  return {
    send({ method, url, target, headers, body, signal }: Outgoing): Promise<Incoming> {
      const { protocol, hostname, port } = new URL(url)
      const host = hostname.replace(/^\[|\]$/g, '')
      const length = body instanceof Uint8Array && !('content-length' in headers || 'transfer-encoding' in headers)
      const options = {
        ...{ method, host, path: target },
        ...(port && { port }),
        ...(signal && { signal }),
        headers: { ...headers, ...(length && { 'content-length': body.byteLength }) },
      }
      return new Promise((resolve, reject) => {
        const answered = (response: IncomingMessage) => read(response).then(resolve, reject)
        const sent =
          protocol === 'https:'
            ? requestTls({ ...options, agent: tls }, answered)
            : request({ ...options, agent: plain }, answered)
        sent.on('error', reject)
        if (body instanceof ReadableStream) pipeline(Readable.fromWeb(body as NodeStream), sent, () => {})
        else sent.end(body)
      })
    },
    close() {
      plain.destroy()
      tls.destroy()
    },
  }
}

async function read(response: IncomingMessage): Promise<Incoming> {
  const text = new TextDecoder().decode(await buffer(response))
  return { status: response.statusCode ?? 0, headers: joined(response.headers), text }
}

const joined = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
