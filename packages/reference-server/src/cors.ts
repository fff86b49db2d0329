import type { Call } from './call.js'

type Headers = Readonly<Record<string, string>>

const any: Headers = { 'access-control-allow-origin': '*' }
const readable: Headers = {
  ...any,
  'access-control-expose-headers': 'retry-after, date, allow, www-authenticate',
}

/** What a browser must be told so that a page of any origin may read the answer; nothing for whoever names no origin. */
export const corsHeaders = (call: Call): Headers | undefined => (call.header('origin') === null ? undefined : readable)

/** Whether a browser asks if it may send a request. It sends no key with the question. */
export const isPreflight = (call: Call): boolean =>
  call.method === 'OPTIONS' && call.header('origin') !== null && call.header('access-control-request-method') !== null

/** Lets a browser send what a path allows, and what it asks for, with the headers that it asked for, and ask again after ten minutes. */
export function preflightHeaders(call: Call, allow = 'OPTIONS'): Headers {
  const asked = call.header('access-control-request-method') ?? ''
  return {
    ...any,
    // A page that may not send it would see no 404 and no 405, but a network error.
    'access-control-allow-methods': allow.split(', ').includes(asked) ? allow : `${allow}, ${asked}`,
    'access-control-allow-headers': call.header('access-control-request-headers') ?? 'authorization, content-type',
    'access-control-max-age': '600',
  }
}
