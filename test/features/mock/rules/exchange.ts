import type { Answered, Ask } from './rule.js'
import { type Bases, type Incoming, type Outgoing, outgoing } from './transports/transport.js'

/** A request and its answer; no answer if none arrived, or if the trial did not wait for it. */
export interface Exchange {
  surface: Ask['surface']
  method: string
  /** Below the base URL of the surface. */
  path: string
  headers: Readonly<Record<string, string>>
  /** The beginning of the body that was sent. */
  body?: string
  answer?: Incoming
}

interface Way {
  bases: Bases
  /** The key of an ask that names none. */
  key(): string
  send(sent: Outgoing): Promise<Incoming>
  patienceMs: number
}

/** Asks, and keeps what was asked and answered. */
export function recorded(exchanges: Exchange[], { bases, key, send, patienceMs }: Way) {
  return async (ask: Ask): Promise<Answered> => {
    const sent = outgoing(ask, bases, key)
    const { method, headers } = sent
    const body = sent.body && { body: sent.body instanceof Uint8Array ? beginning(sent.body) : '(a stream)' }
    const exchange: Exchange = { surface: ask.surface, method, path: ask.path, headers, ...body }
    exchanges.push(exchange)
    exchange.answer = await within(patienceMs, send(sent), `${sent.method} ${ask.path}`)
    return { ...exchange.answer, json: parsed(exchange.answer.text) }
  }
}

/** The most bytes of a body that an exchange keeps: some rules send megabytes. */
const kept = 2000

const beginning = (body: Uint8Array) =>
  new TextDecoder().decode(body.subarray(0, kept)) + (body.byteLength > kept ? `… (${body.byteLength} bytes)` : '')

function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} was not answered within ${ms} ms.`)), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
