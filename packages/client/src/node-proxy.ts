import { InputError } from './errors.js'
import type { LightRequest } from './fetch.js'
import { acceptEncoding, decoded, type NodeResponse } from './node-response.js'

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
  if (except.trim() === '*') return { 'http:': '', 'https:': '', except }
  return { 'http:': proxyUrl(environment, 'http_proxy'), 'https:': proxyUrl(environment, 'https_proxy'), except }
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

/** Sends through the proxies of the environment. */
export interface ProxyFetch {
  fetch(request: LightRequest): Promise<NodeResponse>
  close(): Promise<void>
}

/** Loads undici, which knows proxies, and gives what sends through them. */
export async function proxyFetchOf(
  proxies: Proxies,
  { connectTimeoutMs, keepAlive }: { connectTimeoutMs: number; keepAlive: boolean },
): Promise<ProxyFetch> {
  // As the default: a bundler that splits its output gives no other name of a CommonJS module.
  const { EnvHttpProxyAgent, request } = await import('undici').then(byDefault, (cause: unknown) => {
    const message =
      'nodeTransport: HTTP_PROXY or HTTPS_PROXY is set, which needs undici; install it (npm install undici).'
    throw new InputError('missing_package', message, 'nodeTransport', [], cause)
  })
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: proxies['http:'],
    httpsProxy: proxies['https:'],
    noProxy: proxies.except,
    // As proxies expect it: a tunnel for https, the whole URL for http.
    proxyTunnel: false,
    connectTimeout: connectTimeoutMs,
    pipelining: keepAlive ? 1 : 0,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    async fetch({ url, method, headers, body, signal }) {
      const sent = { 'accept-encoding': acceptEncoding, ...Object.fromEntries(headers) }
      const init = { dispatcher, method: method as 'GET', headers: sent, body, signal }
      const { statusCode, headers: answered, body: stream } = await request(url, init).catch(explained)
      return decoded(statusCode, '', answered, stream)
    },
    close: () => dispatcher.close(),
  }
}

const byDefault = (undici: typeof import('undici')) =>
  undici.default as unknown as Pick<typeof import('undici'), 'EnvHttpProxyAgent' | 'request'>

/** undici takes a refusal of the proxy's for an abort or a bad argument; it means a server that was never reached. */
function explained(error: unknown): never {
  if (!(error instanceof Error) || !/^Proxy (response|Authentication)/.test(error.message)) throw error
  throw Object.assign(new Error(error.message), { code: 'ERR_PROXY_REFUSED' })
}
