import type { Answered, Ask } from './rule.js'
import { type Bases, type Incoming, type Outgoing, outgoing } from './transports/outgoing.js'

/** What was asked, and what was answered: nothing where no answer arrived, or was not waited for. */
export interface Exchange {
  surface: Ask['surface']
  method: string
  /** Below the base URL of the surface. */
  path: string
  headers: Readonly<Record<string, string>>
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
    const exchange: Exchange = { surface: ask.surface, method: sent.method, path: ask.path, headers: sent.headers }
    exchanges.push(exchange)
    exchange.answer = await within(patienceMs, send(sent), `${sent.method} ${ask.path}`)
    return { ...exchange.answer, json: parsed(exchange.answer.text) }
  }
}

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
