import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.js'

/** Hosts and origins that a listening server accepts besides loopback. */
export interface AllowedCallers {
  /** Names or addresses in `Host`, with any port, such as `mock.internal`. */
  hosts: readonly string[]
  /** Origins of pages, such as `https://app.example`. `*`: every page. */
  origins: readonly string[]
}

/** Browsers resolve every name under `localhost` to this machine (RFC 6761, 6.3). */
const loopback = /^(?:(?:[\w-]+\.)*localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|\[::1\])$/

/** `Example.com:80` → `example.com`; an IPv6 address keeps its brackets. */
const nameOf = (host: string): string => host.replace(/:\d*$/, '').toLowerCase()

/**
 * Create the check of `Host` and `Origin`; it returns a 403 for any other caller. Every page can make a browser send requests
 * to this machine, with its `Origin`; and a page's own host name can resolve to this machine, which `Host` shows.
 */
export function createHostCheck({
  hosts,
  origins,
}: AllowedCallers): (message: Pick<IncomingMessage, 'url' | 'headers'>) => Refusal | undefined {
  const allowed = new Set(hosts.map(nameOf))
  const isAllowedHost = (host: string) => loopback.test(nameOf(host)) || allowed.has(nameOf(host))
  const isAllowedOrigin = (origin: string, host: string | undefined) => {
    if (origins.includes('*') || origins.includes(origin)) return true
    const [, originHost] = /^https?:\/\/([^/]*)$/.exec(origin) ?? []
    return (
      originHost !== undefined &&
      (loopback.test(nameOf(originHost)) || originHost.toLowerCase() === host?.toLowerCase())
    )
  }
  const refusal = (header: string, value: string, option: string, flag: string) =>
    new Refusal(
      403,
      `The ${header} ${JSON.stringify(value)} is not this machine; ${option} (svc mock: ${flag}) allows others.`,
    )
  return ({ url = '', headers: { host, origin } }) => {
    // The authority of an absolute URL in the request line overrides the Host (RFC 9112, 3.2.2).
    const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
    const foreign = [host, authority].find((each) => each && !isAllowedHost(each))
    if (foreign) return refusal('Host', foreign, 'allowedHosts', '--allow-host')
    if (origin !== undefined && !isAllowedOrigin(origin, host))
      return refusal('Origin', origin, 'allowedOrigins', '--allow-origin')
    return undefined
  }
}

/** The problem of a host's name; undefined if there is none. */
export const allowedHostProblem = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(?:[\w.-]+|\[[\da-fA-F:.]+\])$/.test(value)
    ? undefined
    : 'expected a host name or an address without scheme and port, such as mock.internal'

/** The problem of an origin, which has to be written as a browser sends it; undefined if there is none. */
export function allowedOriginProblem(value: unknown): string | undefined {
  if (value === '*' || value === 'null') return undefined
  if (typeof value === 'string' && URL.canParse(value)) {
    const { origin, protocol, host } = new URL(value)
    if (value === (origin === 'null' ? `${protocol}//${host}` : origin)) return undefined
  }
  return 'expected an origin as a browser sends it, such as https://app.example, or *'
}

/** Host and port by RFC 3986: a name, an IPv4 address or a literal in brackets. It may be empty. */
const authority = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i

/** The problem of the Host by RFC 9112, 3.2. `rawHeaders` holds names and values alternately. */
export function hostProblem(rawHeaders: readonly string[], httpVersion: string): string | undefined {
  const [host, ...others] = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host')
  if (others.length > 0) return 'There is more than one Host header.'
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'The Host header is missing.'
  return authority.test(host) ? undefined : 'The Host header is not a host and a port.'
}
