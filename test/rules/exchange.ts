import type { Answered, Ask, Keys } from './rule.js'
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

/** The longest part of a body that is shown. */
const shown = 2000

/** The exchanges as text for a reader, with every key replaced by its kind. */
export function reported(exchanges: readonly Exchange[], keys: Partial<Keys>): string {
  return hidden(exchanges.map(one).join('\n\n'), keys)
}

/** A text with every key replaced by its kind. */
export function hidden(text: string, keys: Partial<Keys>): string {
  return Object.entries(keys).reduce((rest, [kind, key]) => rest.replaceAll(key, `‹${kind} key›`), text)
}

function one({ surface, method, path, headers, body, answer }: Exchange): string {
  return [
    `→ ${method} ${path} (${surface} surface)`,
    ...lines(headers),
    ...(body === undefined ? [] : ['', indented(body)]),
    answer ? `← ${answer.status}` : '← nothing',
    ...(answer ? [...lines(answer.headers), '', indented(answer.text)] : []),
  ].join('\n')
}

const lines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)

const indented = (text: string) =>
  `  ${text.length > shown ? `${text.slice(0, shown)}… (${text.length} characters)` : text}`
