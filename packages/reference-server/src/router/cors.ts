import type { IncomingRequest } from '../http-messages.js'

type Headers = Readonly<Record<string, string>>

const allowOrigin = (origin: string): Headers => ({ 'access-control-allow-origin': origin, vary: 'origin' })

/** Let a page of an allowed origin read the response; the HTTP edge has already refused every other origin. */
export function corsHeaders(request: IncomingRequest): Headers | undefined {
  const origin = request.header('origin')
  if (origin === null || request.rejection) return undefined
  return { ...allowOrigin(origin), 'access-control-expose-headers': 'retry-after, date, allow, www-authenticate' }
}

export const isPreflight = ({ method, header }: IncomingRequest): boolean =>
  method === 'OPTIONS' && header('origin') !== null && header('access-control-request-method') !== null

/** Allow the methods of a path and the headers that the browser asks for, for ten minutes. A preflight carries no key. */
export function preflightHeaders({ header }: IncomingRequest, allow = 'OPTIONS'): Headers {
  const requested = header('access-control-request-method') ?? ''
  return {
    ...allowOrigin(header('origin') ?? ''),
    // A method that is not allowed must be sent too, or the page would see a network error in place of the 404 or 405.
    'access-control-allow-methods': allow.split(', ').includes(requested) ? allow : `${allow}, ${requested}`,
    'access-control-allow-headers': header('access-control-request-headers') ?? 'authorization, content-type',
    'access-control-max-age': '600',
  }
}
