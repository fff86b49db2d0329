import type { CallOptions, SvcClient } from '@svc/client'
import { proxyFor } from '@svc/client/node'
import { type Settings, shownUrl } from '../../config/index.js'
import type { Context } from '../../context.js'
import { connectionHint, describe, exitCodeFor } from '../../errors.js'
import { exit } from '../../exit.js'
import { probe } from '../../keys.js'
import { namesOf, type Surface, surfaces } from '../../settings.js'
import { type Check, ok, problem, warning } from './check.js'

export async function serviceChecks(context: Context, settings: Settings): Promise<Check[]> {
  let client: SvcClient
  try {
    client = await context.client()
  } catch (error) {
    const { message, hint = 'correct the base URLs' } = describe(error)
    return [problem('service', exitCodeFor(error), message, hint)]
  }
  const call = { ...context.call(), timeoutMs: context.flags.timeout ?? 10_000, retry: false as const }
  const health = settings.baseUrl ? await healthChecks(context, client, call) : []
  const keys = surfaces
    .filter((surface) => settings[namesOf[surface].key] && settings[namesOf[surface].baseUrl])
    .map((surface) => keyCheck(client, surface, call))
  return [...health, ...(await Promise.all(keys))]
}

async function healthChecks(context: Context, client: SvcClient, call: CallOptions): Promise<Check[]> {
  try {
    const { data, response, ms } = await client.health(call).withResponse()
    const message = `status ${data.status}, substrate ${data.substrate}, ${Math.round(ms)} ms`
    const clock = clockCheck(response.headers.get('date'), context.now() - ms / 2)
    return [ok('health', message), ...(clock ? [clock] : [])]
  } catch (error) {
    context.io.signal.throwIfAborted()
    const { message, hint = 'try `svc health --debug`' } = describe(error)
    return [problem('health', exitCodeFor(error), message, hint)]
  }
}

/** A `Date` header is cut to seconds; undefined where there is none to compare with. */
function clockCheck(date: string | null, now: number): Check | undefined {
  const there = Date.parse(date ?? '') + 500
  if (Number.isNaN(there)) return undefined
  const seconds = Math.round(Math.abs(now - there) / 1_000)
  const message =
    seconds <= 1 ? 'equal to the service’s' : `${seconds} s ${now > there ? 'ahead of' : 'behind'} the service’s`
  if (seconds <= 5) return ok('clock', message)
  const hint = 'set the clock of this machine; waits and the search for lost uploads depend on it'
  return seconds <= 60 ? warning('clock', message, hint) : problem('clock', exit.bug, message, hint)
}

async function keyCheck(client: SvcClient, surface: Surface, call: CallOptions): Promise<Check> {
  const name = `${surface} key`
  const { standing, words, code, error } = await probe(client, surface, call)
  if (standing === 'accepted') {
    const reads = 'accepted; may read projects and transcripts; only a write shows whether it may write'
    return ok(name, surface === 'annotation' ? 'not refused' : reads)
  }
  if (standing === 'accepted_without_read') {
    const hint = 'lists and the search for lost uploads need a key with projects-read'
    return warning(name, 'accepted; may not read (no projects-read)', hint)
  }
  const another = 'store another with `svc auth login`'
  if (standing === 'refused') return problem(name, code, words, another)
  if (standing === 'revoked') return problem(name, code, words, `enable it in the dashboard, or ${another}`)
  const { message, hint = 'svc auth status' } = describe(error)
  return problem(name, standing === 'unavailable' ? exit.temporary : exitCodeFor(error), message, hint)
}

const day = 86_400_000
/** Certificates are renewed weeks before they end. */
const soonDays = 14

/** Names, proxies and certificates of the hosts of both surfaces, each host once. */
export async function networkChecks(context: Context, settings: Settings): Promise<Check[]> {
  const urls = surfaces.flatMap((surface) => settings[namesOf[surface].baseUrl]?.value ?? [])
  const origins = new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin))
  const checks = await Promise.all([...origins].map((origin) => hostChecks(context, new URL(origin))))
  return checks.flat()
}

async function hostChecks(context: Context, url: URL): Promise<Check[]> {
  const { io } = context
  let proxy: string | undefined
  try {
    proxy = proxyFor(url, io.env)
  } catch (error) {
    return [problem('proxy', exitCodeFor(error), describe(error).message, 'correct the variable')]
  }
  if (proxy !== undefined) return [await proxyCheck(context, url, new URL(proxy))]
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const named = isAddress.test(host) ? [] : [await nameCheck(context, host)]
  if (named.some(({ state }) => state !== 'ok') || url.protocol !== 'https:') return named
  return [...named, await tlsCheck(context, host, Number(url.port || 443))]
}

async function proxyCheck({ io }: Context, { host }: URL, proxy: URL): Promise<Check> {
  const shown = shownUrl(proxy.href)
  const port = Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80))
  try {
    await io.reach(proxy.hostname.replace(/^\[|\]$/g, ''), port, soon(io))
    return ok('proxy', `${host} through ${shown}; it resolves names and opens TLS`)
  } catch (error) {
    io.signal.throwIfAborted()
    const code = codeOf(error)
    const message = `the proxy ${shown} for ${host} cannot be reached (${code})`
    return problem('proxy', exit.temporary, message, connectionHint(code, shown) ?? '')
  }
}

/** A time-out of 10 s, or the end of the command. */
const soon = ({ stop }: Context['io']) => AbortSignal.any([stop, AbortSignal.timeout(10_000)])

/** Of IPv4 or IPv6: there is nothing to look up. */
const isAddress = /^[\d.]+$|:/

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException)?.code ?? 'unknown')

async function nameCheck({ io }: Context, host: string): Promise<Check> {
  try {
    const addresses = await io.lookup(host)
    return ok('dns', `${host} is ${addresses.slice(0, 4).join(', ')}`)
  } catch (error) {
    const hint = 'check the base URL and the connection; behind a proxy set HTTPS_PROXY'
    return problem('dns', exit.temporary, `${host} has no address (${codeOf(error)})`, hint)
  }
}

async function tlsCheck(context: Context, host: string, port: number): Promise<Check> {
  const { io } = context
  try {
    const { distrust, validTo, protocol } = await io.tls(host, port, soon(io))
    const until = Number.isNaN(validTo) ? 'an unknown time' : new Date(validTo).toISOString().slice(0, 10)
    if (distrust !== undefined) {
      const hint = io.env.NODE_EXTRA_CA_CERTS
        ? 'make sure that NODE_EXTRA_CA_CERTS contains the authority that signed it'
        : 'set NODE_EXTRA_CA_CERTS to a file with the authority that signed it'
      return problem(
        'tls',
        exit.input,
        `the certificate of ${host} is not trusted (${distrust}), valid until ${until}`,
        hint,
      )
    }
    const message = `${host}: ${protocol}, certificate valid until ${until}`
    if (validTo - context.now() > soonDays * day) return ok('tls', message)
    return warning('tls', message, 'ask the operator of the service to renew it')
  } catch (error) {
    io.signal.throwIfAborted()
    const code = codeOf(error)
    const message = `${host}:${port} does not complete a TLS handshake (${code})`
    const hint = connectionHint(code)
    if (hint) return problem('tls', exit.input, message, hint)
    return problem('tls', exit.temporary, message, 'check the port of the base URL, and whether the service is up')
  }
}
