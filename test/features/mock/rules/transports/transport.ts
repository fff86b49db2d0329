import type { ReferenceServer, ServerOptions } from '@svc/reference-server/core'
import type { Answered, Ask, TransportName } from '../rule.js'

/** One reference server, and a way to it. */
export interface Opened {
  server: ReferenceServer
  bases: Bases
  /** Rejects where no answer arrives. */
  send(sent: Outgoing): Promise<Incoming>
  close(): unknown
}

/** A way in which rules reach reference servers. */
export interface Transport {
  name: TransportName
  /** Before the first server is opened, and after the last one is closed. */
  start?(): unknown
  stop?(): unknown
  open(options: ServerOptions): Promise<Opened> | Opened
}

/** The base URLs of every reference server that does not listen. */
export const bases: Bases = { baseUrl: 'http://svc.test', publicBaseUrl: 'http://svc.test/public/api/v1' }

/** The base URLs of the two surfaces. */
export interface Bases {
  baseUrl: string
  publicBaseUrl: string
}

/** An ask as it goes out. */
export interface Outgoing {
  method: string
  url: string
  /** The target of the request line: the path below the origin, or the whole URL. */
  target: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | undefined
  signal?: AbortSignal
}

/** An answer as it came in. */
export type Incoming = Omit<Answered, 'json'>

/** Makes an ask into what is sent; `key` is for one that names none. */
export function outgoing({ surface, path, absoluteForm, ...ask }: Ask, bases: Bases, key: () => string): Outgoing {
  const base = (surface === 'annotation' ? bases.baseUrl : bases.publicBaseUrl).replace(/\/+$/, '')
  const url = base + path
  const body = ask.body === undefined ? undefined : bytesOf(ask.body)
  const named = ask.key === undefined && !names(ask.headers, 'authorization') ? key() : ask.key
  const headers: Record<string, string> = {
    ...(named != null && { authorization: `Bearer ${named}` }),
    ...(body && { 'content-type': 'application/json' }),
  }
  for (const [name, value] of Object.entries(ask.headers ?? {})) {
    if (value === null) delete headers[name.toLowerCase()]
    else headers[name.toLowerCase()] = value
  }
  const target = absoluteForm ? url : url.replace(/^https?:\/\/[^/]*/i, '')
  const { method = body ? 'POST' : 'GET', signal } = ask
  return { method, url, target, headers, body, ...(signal && { signal }) }
}

const names = (headers: Ask['headers'], name: string) =>
  Object.keys(headers ?? {}).some((each) => each.toLowerCase() === name)

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (body instanceof ReadableStream) return body
  if (body instanceof Uint8Array) return new Uint8Array(body)
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}
