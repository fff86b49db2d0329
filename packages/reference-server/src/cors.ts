import type { Call } from './call.js'

type Headers = Readonly<Record<string, string>>

const any: Headers = { 'access-control-allow-origin': '*' }
const readable: Headers = {
  ...any,
  'access-control-expose-headers': 'retry-after, date, allow, etag, www-authenticate',
}

/** What a browser must be told so that a page of any origin may read the answer; nothing for whoever names no origin. */
export const corsHeaders = (call: Call): Headers | undefined => (call.header('origin') === null ? undefined : readable)

/** Whether a browser asks if it may send a request. It sends no key with the question. */
export const isPreflight = (call: Call): boolean =>
  call.method === 'OPTIONS' && call.header('origin') !== null && call.header('access-control-request-method') !== null

/** Lets a browser send what a path allows, with the headers that it asked for, and ask again after ten minutes. */
export const preflightHeaders = (call: Call, allow: string): Headers => ({
  ...any,
  'access-control-allow-methods': allow,
  'access-control-allow-headers': call.header('access-control-request-headers') ?? 'authorization, content-type',
  'access-control-max-age': '600',
})
