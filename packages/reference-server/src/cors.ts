import type { Call } from './call.js'

type Headers = Readonly<Record<string, string>>

/** An origin that may not ask has been refused before. */
const allowing = (origin: string): Headers => ({ 'access-control-allow-origin': origin, vary: 'origin' })

/** What a browser must be told so that a page of an allowed origin may read the answer; nothing for whoever names none. */
export function corsHeaders(call: Call): Headers | undefined {
  const origin = call.header('origin')
  if (origin === null) return undefined
  return { ...allowing(origin), 'access-control-expose-headers': 'retry-after, date, allow, www-authenticate' }
}

/** Whether a browser asks if it may send a request. It sends no key with the question. */
export const isPreflight = (call: Call): boolean =>
  call.method === 'OPTIONS' && call.header('origin') !== null && call.header('access-control-request-method') !== null

/** Lets a browser send what a path allows, and what it asks for, with the headers that it asked for, and ask again after ten minutes. */
export function preflightHeaders(call: Call, allow = 'OPTIONS'): Headers {
  const asked = call.header('access-control-request-method') ?? ''
  return {
    ...allowing(call.header('origin') ?? ''),
    // A page that may not send it would see no 404 and no 405, but a network error.
    'access-control-allow-methods': allow.split(', ').includes(asked) ? allow : `${allow}, ${asked}`,
    'access-control-allow-headers': call.header('access-control-request-headers') ?? 'authorization, content-type',
    'access-control-max-age': '600',
  }
}
