import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { Incoming, Outgoing } from './outgoing.js'

/** Sends over sockets of its own, that are kept for the next request; paths go out as they are. */
export function socketSender() {
  const plain = new Agent({ keepAlive: true })
  const tls = new TlsAgent({ keepAlive: true })
  return {
    send({ method, url, target, headers, body }: Outgoing): Promise<Incoming> {
      const { protocol, hostname, port } = new URL(url)
      const host = hostname.replace(/^\[|\]$/g, '')
      const length = body && !('content-length' in headers || 'transfer-encoding' in headers)
      const options = {
        ...{ method, host, path: target },
        ...(port && { port }),
        headers: { ...headers, ...(length && { 'content-length': body.byteLength }) },
      }
      return new Promise((resolve, reject) => {
        const answered = (response: IncomingMessage) => read(response).then(resolve, reject)
        const sent =
          protocol === 'https:'
            ? requestTls({ ...options, agent: tls }, answered)
            : request({ ...options, agent: plain }, answered)
        sent.on('error', reject)
        sent.end(body)
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
