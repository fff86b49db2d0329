import { expect } from 'vitest'
import { handClock } from '../../../test/hand-clock.js'
import { createClient } from './client.js'
import type { ClientEvent } from './events.js'
import type { ClientOptions } from './options.js'

export const project = { data: { id: 'hp-1', name: 'P' }, processing_time_ms: 1 }
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
export const networkError = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
export const upload = { name: 'A talk', turns: [{ role: 'user' as const, content: 'my words' }], externalId: 'e1' }

export type Scripted = Response | Error | 'never' | ((request: Request) => Promise<Response>)

/** A client whose fetch answers from a script, one entry a request; nothing is mocked, the client is handed a Fetch. */
export function scripted(script: Scripted[], options: ClientOptions = {}) {
  const clock = handClock()
  const requests: { method: string; url: string; redirect: string; headers: Headers; body: string; at: number }[] = []
  const events: ClientEvent[] = []
  const startedAt = clock.now()
  const svc = createClient({
    apiKey: 'sk-service-api03-secret',
    baseUrl: 'https://svc.test',
    publicBaseUrl: 'https://svc.test/public/api/v1',
    clock,
    environment: {},
    // What becomes of a write in doubt is told by test/contract/reconcile.test.ts.
    reconcile: false,
    onEvent: (event) => events.push(event),
    fetch: async (request) => {
      const { method, url, redirect, headers } = request
      requests.push({ method, url, redirect, headers, body: await request.clone().text(), at: clock.now() - startedAt })
      const next = script[requests.length - 1] ?? 'never'
      if (typeof next === 'function') return next(request)
      if (next === 'never') return new Promise(() => {})
      if (next instanceof Error) throw next
      return next
    },
    ...options,
  })
  return { svc, clock, requests, events }
}

export const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('it succeeded'),
    (error) => error,
  )
