import { type Act, passOn } from './fault-server.js'

export { passOn }

type Headers = Record<string, string>
const json = { 'content-type': 'application/json' }

/** Reads the request, then gives this answer. Headers may depend on the time. */
export const answer =
  (status: number, body: unknown = {}, headers: Headers | ((now: number) => Headers) = {}): Act =>
  async ({ body: read, response, clock }) => {
    await read()
    const given = typeof headers === 'function' ? headers(clock.now()) : headers
    response.writeHead(status, { ...json, ...given }).end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** 429 with this `Retry-After`: a text, or the milliseconds from now as a date. */
export const limited = (retryAfter: string | { inMs: number }): Act =>
  answer(429, { error: { message: 'Too many requests', type: 'rate_limit_error', code: 429 } }, (now) => ({
    'retry-after': typeof retryAfter === 'string' ? retryAfter : new Date(now + retryAfter.inMs).toUTCString(),
  }))

/** A page of a proxy. */
export const page = (status: number): Act =>
  answer(status, '<html><head><title>A proxy speaks</title></head></html>', { 'content-type': 'text/html' })

/** Answers another way than the service, which has stored what it was sent. */
export const storedThen =
  (act: Act): Act =>
  async (exchange) => {
    await exchange.service()
    await act(exchange)
  }

/** Stores what it was sent, but only after this time. */
export const storedLater =
  (ms: number, act: Act): Act =>
  async (exchange) => {
    await exchange.body()
    exchange.clock.after(ms, () => void exchange.service())
    await act(exchange)
  }

/** Answers as the service does, but only after this time. */
export const slow =
  (ms: number): Act =>
  async (exchange) => {
    await exchange.body()
    const release = exchange.hold()
    exchange.clock.after(ms, () => {
      release()
      passOn(exchange)
    })
  }

/** Reads the whole request, then resets the connection. */
export const reset: Act = async ({ request, body }) => {
  await body()
  request.socket.resetAndDestroy()
}

/** Resets the connection as soon as the head of the request is there; its body is not read. */
export const resetUnread: Act = ({ request }) => request.socket.resetAndDestroy()

/** Reads the request and never answers. */
export const silence: Act = async ({ body, hold }) => {
  await body()
  hold()
}

/** Reads hardly more than the head, so that the rest of a large body stays with the sender. */
export const unread: Act = ({ hold }) => void hold()

/** Answers with a head and the beginning of a body, and stops there. */
export const stalled =
  (status: number, part = '{"data":{"id":"hp-'): Act =>
  async ({ body, response, hold }) => {
    await body()
    hold('afterHead')
    response.writeHead(status, json).write(part)
  }

/** Promises more bytes than it sends, and closes. */
export const truncated =
  (status: number, part = '{"data":{"id":"hp-'): Act =>
  async ({ body, response, request }) => {
    await body()
    response.writeHead(status, { ...json, 'content-length': '500' })
    response.write(part, () => request.socket.destroySoon())
  }

/**
 * Answers while the body is still coming, after its first piece: the connection is then reset, closed, or closed only
 * after the rest of the body was read away.
 */
export const early =
  (status: number, then: 'reset' | 'close' | 'readAway'): Act =>
  ({ request, response }) => {
    const text = JSON.stringify({ error: 'payload_too_large', detail: 'The body is too large.' })
    const end = {
      reset: () => request.socket.resetAndDestroy(),
      close: () => request.socket.destroySoon(),
      readAway: () => {},
    }
    request.once('data', () => {
      request.pause()
      response.writeHead(status, { ...json, 'content-length': String(text.length), connection: 'close' })
      response.write(text, end[then])
      if (then === 'readAway') request.resume().once('end', () => response.end())
    })
    request.resume()
  }

/** Sends the caller on: to another path, or to another origin. */
export const redirect =
  (status: number, to: 'path' | 'origin'): Act =>
  async ({ body, response, request, elsewhere }) => {
    await body()
    response.writeHead(status, { location: to === 'path' ? '/other' : elsewhere + request.url }).end()
  }
