import { InputError } from '../errors/index.js'
import { isLoopback } from '../transport.js'

/** The variables that name proxies, each also in lower case, which comes first. An empty one is unset. */
export type ProxyEnvironment = Record<string, string | undefined>

/** The proxy for each protocol, and the hosts that go without one; empty where there is none. */
export interface Proxies {
  'http:': string
  'https:': string
  except: string
}

export function proxiesOf(environment: ProxyEnvironment): Proxies {
  const except = variable(environment, 'no_proxy')
  // Then undici is not needed.
  if (except.trim() === '*') return { 'http:': '', 'https:': '', except: '' }
  return { 'http:': proxyUrl(environment, 'http_proxy'), 'https:': proxyUrl(environment, 'https_proxy'), except }
}

/**
 * The proxy through which `nodeTransport` sends requests to a URL; undefined where it sends them to the server itself.
 * Throws an InputError where a variable does not hold the URL of a proxy.
 *
 * @example
 * proxyFor(new URL('https://svc.example'), { HTTPS_PROXY: 'http://proxy.example:3128' })
 */
export function proxyFor({ protocol, hostname, port }: URL, environment: ProxyEnvironment): string | undefined {
  const proxies = proxiesOf(environment)
  const proxy = proxies[protocol === 'https:' ? 'https:' : 'http:']
  if (proxy === '' || goesDirect(proxies, hostname, port || (protocol === 'https:' ? '443' : '80'))) return undefined
  return proxy
}

/** Whether a server is reached without the proxy: loopback always, and what `NO_PROXY` names with its subdomains. */
export const goesDirect = ({ except }: Proxies, hostname: string, port: string): boolean =>
  isLoopback(hostname) || except.split(/[,\s]/).some((entry) => names(entry.toLowerCase(), hostname, port))

function names(entry: string, hostname: string, port: string): boolean {
  const [, name = entry, ownPort = port] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? []
  const bare = name.replace(/^\*?\.|[[\]]/g, '')
  return bare !== '' && ownPort === port && (hostname === bare || hostname.endsWith(`.${bare}`))
}

/** As curl takes it: a host and port without a scheme is a proxy, too. */
function proxyUrl(environment: ProxyEnvironment, name: string): string {
  const value = variable(environment, name)
  const url = value === '' || /^[a-z\d]+:\/\//i.test(value) ? value : `http://${value}`
  if (url === '' || URL.canParse(url)) return url
  const message = `nodeTransport: expected the URL of a proxy in ${name.toUpperCase()}, as in http://proxy.example:3128.`
  throw new InputError('invalid_input', message, 'nodeTransport')
}

const variable = (environment: ProxyEnvironment, name: string): string =>
  environment[name] || environment[name.toUpperCase()] || ''
