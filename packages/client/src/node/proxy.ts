import { parseUrl } from '../environment.js'
import { connectionInputError } from '../errors/index.js'
import { isLoopback } from '../transport.js'

/** `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`; lower-case names take precedence, and an empty variable is unset. */
export type ProxyEnvironment = Record<string, string | undefined>

/** Proxy URLs by protocol and the value of `NO_PROXY`; empty if unset. */
export interface Proxies {
  'http:': string
  'https:': string
  except: string
}

export function proxiesOf(environment: ProxyEnvironment): Proxies {
  const except = variable(environment, 'no_proxy')
  // Without proxies, undici is not needed.
  if (except.trim() === '*') return { 'http:': '', 'https:': '', except: '' }
  return { 'http:': proxyUrl(environment, 'http_proxy'), 'https:': proxyUrl(environment, 'https_proxy'), except }
}

/**
 * Get the proxy that `nodeTransport` uses for a URL; undefined for a direct connection. Throws an InputError if a variable
 * is not the URL of a proxy.
 *
 * @example
 * proxyFor(new URL('https://svc.example'), { HTTPS_PROXY: 'http://proxy.example:3128' })
 */
export function proxyFor(url: URL, environment: ProxyEnvironment): string | undefined {
  const { protocol, hostname, port } = url
  const proxies = proxiesOf(environment)
  const proxy = proxies[protocol === 'https:' ? 'https:' : 'http:']
  if (proxy === '' || goesDirect(proxies, hostname, port || (protocol === 'https:' ? '443' : '80'))) return undefined
  return proxy
}

/** True for loopback and for the hosts in `NO_PROXY` with their subdomains. */
export const goesDirect = ({ except }: Proxies, hostname: string, port: string): boolean =>
  isLoopback(hostname) || except.split(/[,\s]/).some((entry) => names(entry.toLowerCase(), hostname, port))

function names(entry: string, hostname: string, port: string): boolean {
  const [, name = entry, ownPort = port] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? []
  const bare = name.replace(/^\*?\.|[[\]]/g, '')
  return bare !== '' && ownPort === port && (hostname === bare || hostname.endsWith(`.${bare}`))
}

/** Accepts a host and port without a scheme, like curl. */
function proxyUrl(environment: ProxyEnvironment, name: string): string {
  const value = variable(environment, name)
  const url = value === '' || /^[a-z\d]+:\/\//i.test(value) ? value : `http://${value}`
  if (url === '' || parseUrl(url)) return url
  const problem = `expected the URL of a proxy in ${name.toUpperCase()}, as in http://proxy.example:3128`
  throw connectionInputError('invalid_input', 'nodeTransport', problem)
}

const variable = (environment: ProxyEnvironment, name: string): string =>
  environment[name] || environment[name.toUpperCase()] || ''
