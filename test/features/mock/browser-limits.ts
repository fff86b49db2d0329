import type { Outgoing } from './rules/transports/transport.js'

/** Requests that a page cannot send, and the reason; a rule with such a request is skipped in pages. */
const limits: readonly { because: string; holds(sent: Outgoing): boolean }[] = [
  {
    because: 'fetch in a page does not let its caller set the headers of the connection, of CORS or of cookies',
    holds: ({ headers }) =>
      Object.keys(headers).some((name) => forbiddenHeaders.has(name) || /^(proxy|sec)-/.test(name)),
  },
  {
    because: 'fetch does not send these methods',
    holds: ({ method }) => ['CONNECT', 'TRACE', 'TRACK'].includes(method.toUpperCase()),
  },
]

/** The forbidden request-headers of the Fetch standard. */
const forbiddenHeaders = new Set([
  ...['accept-charset', 'accept-encoding', 'access-control-request-headers', 'access-control-request-method'],
  ...['access-control-request-private-network', 'connection', 'content-length', 'cookie', 'cookie2', 'date', 'dnt'],
  ...['expect', 'host', 'keep-alive', 'origin', 'referer', 'set-cookie', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'via'],
])

export const reasons = limits.map(({ because }) => because)

/** Why a page cannot send this; undefined where it can. */
export const notInAPage = (sent: Outgoing): string | undefined => limits.find(({ holds }) => holds(sent))?.because
