import { type Base, locate, nowhere, type Target } from './bases.js'
import { tooLarge } from './body.js'
import { type Call, CallerGone, type SentBody } from './call.js'
import { readBytes } from './fetch-body.js'
import { remembered } from './remembered.js'
import { isAscii } from './text.js'
import type { Surface } from './types.js'

/** A call that came through a Fetch. */
export interface Asked extends Call {
  /** Undefined where nobody can abort. */
  readonly abortable: AbortSignal | undefined
  /** Why the body could not be read, after it was tried. */
  readonly unread: unknown
}

/** What a Fetch is asked. A Request takes longer to make and to read than most answers, and is made only where it says more. */
export function asked(bases: readonly Base[], input: Request | string | URL, init: RequestInit | undefined): Asked {
  const plain = typeof input === 'string' ? plainly(bases, input, init ?? {}) : undefined
  if (plain) return plain
  const request = input instanceof Request && init === undefined ? input : new Request(input, init)
  if (request.bodyUsed) throw new TypeError('The body of the Request has been used already.')
  return new OfRequest(bases, request)
}

class OfRequest implements Asked {
  readonly method: string
  readonly surface: Surface
  readonly path: string
  readonly query: string
  readonly signal: AbortSignal
  unread: unknown
  readonly #request: Request

  constructor(bases: readonly Base[], request: Request) {
    const { surface, path, query } = locate(bases, request.url) ?? nowhere
    this.#request = request
    this.method = request.method
    this.surface = surface
    this.path = path
    this.query = query
    this.signal = request.signal
  }

  get abortable(): AbortSignal {
    return this.signal
  }

  header(name: string): string | null {
    return this.#request.headers.get(name)
  }

  readBody(limit: number): Promise<Uint8Array> {
    return readBytes(this.#request, limit, (why) => {
      this.unread = why
      return new CallerGone('The body could not be read.', { cause: why })
    })
  }
}

/** Those of the interface, as they are written; of any other a Request knows whether it is allowed. */
const methods: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * A URL with a method, headers and a text, of which a Request would hold the same (in a browser without what it forbids, as
 * `Host`); undefined for all else.
 */
function plainly(bases: readonly Base[], input: string, init: RequestInit): Asked | undefined {
  // A Request in the place of plain values inherits its members.
  if (Object.getPrototypeOf(init) !== Object.prototype) return undefined
  for (const name in init) if (name !== 'method' && name !== 'headers' && name !== 'body') return undefined
  const { method = 'GET', headers, body = null } = init
  if (!methods.has(method)) return undefined
  if (body !== null && (typeof body !== 'string' || method === 'GET' || method === 'HEAD')) return undefined
  const url = urlOf(input)
  if (url === undefined || url.username + url.password !== '') return undefined
  return new OfValues(locate(bases, url.href) ?? nowhere, method, new Headers(headers), body)
}

/** One request mostly goes where the one before it went. */
const urlOf = remembered((text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
})

const utf8 = new TextEncoder()

class OfValues implements Asked {
  readonly abortable = undefined
  readonly unread = undefined
  readonly method: string
  readonly surface: Surface
  readonly path: string
  readonly query: string
  readonly #headers: Headers
  readonly #body: string | null
  #signal: AbortSignal | undefined

  constructor({ surface, path, query }: Target, method: string, headers: Headers, body: string | null) {
    this.method = method
    this.surface = surface
    this.path = path
    this.query = query
    this.#headers = headers
    this.#body = body
    if (body !== null && !headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8')
  }

  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal
    return this.#signal
  }

  header(name: string): string | null {
    return this.#headers.get(name)
  }

  async readBody(limit: number): Promise<SentBody> {
    const text = this.#body ?? ''
    const body = isAscii(text) ? text : utf8.encode(text)
    if (body.length > limit) throw tooLarge(limit)
    return body
  }
}
