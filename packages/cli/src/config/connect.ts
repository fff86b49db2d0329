import { type ApiKey, type ClientEvent, createClient, fullClock, systemClock } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { escapeLine } from '@svc/text'
import { describe } from '../errors.js'
import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { namesOf, type Surface } from '../settings.js'
import { writeWarning } from '../terminal.js'
import { formOf } from './keys.js'
import { keepKnownValues } from './known-values.js'
import { type Resolved, strayKey } from './resolve.js'

export interface Expected {
  /** Undefined for a stream, which has no known end and must use less memory. */
  calls: number | undefined
  atOnce: number
}

/** From this number of calls on, a pool of connections pays off. */
const many = 500

export interface ConnectFlags {
  quiet?: boolean
  debug?: boolean
  timeout?: number
  maxWait?: number
  stamp?: boolean
}

export const transportFor = ({ env }: Pick<Io, 'env'>, connections?: number) =>
  nodeTransport({ environment: env, connections, undici: () => import('undici') })

/** Create a client. Sends nothing by itself. */
export function connect(io: Io, flags: ConnectFlags, settings: Resolved, expected?: Expected) {
  // nodeTransport starts faster than fetch, supports proxies, and waits longer than 300 s.
  // One connection more than calls, because undici keeps each idle for a turn of the event loop.
  const connections = expected && (expected.calls ?? 0) >= many ? expected.atOnce + 1 : undefined
  const transport = io.fetch ? undefined : transportFor(io, connections)
  for (const name of ['baseUrl', 'publicBaseUrl'] as const) {
    const value = settings[name]?.value
    if (value !== undefined && schemeHint(value)) checkBaseUrl(name, value)
  }
  const log = (line: string) => io.stderr.write(`${escapeLine(line)}\n`)
  const created = createClient({
    environment: {},
    annotationApiKey: keyOf(io, settings, 'annotation'),
    workspaceApiKey: keyOf(io, settings, 'workspace'),
    baseUrl: settings.baseUrl?.value,
    publicBaseUrl: settings.publicBaseUrl?.value,
    ...(transport ? { transport } : { fetch: io.fetch }),
    clock: io.clock,
    timeoutMs: flags.timeout,
    stamp: flags.stamp ?? false,
    retry: flags.maxWait === undefined ? undefined : { maxRetryAfterMs: flags.maxWait },
    ...(flags.debug && { logger: { debug: log, warn: log } }),
    onEvent: flags.debug || flags.quiet ? undefined : waitReporter(io),
  })
  const { client, write } = keepKnownValues(created, io, settings)
  return {
    client,
    async close() {
      await write()
      await transport?.close()
    },
  }
}

/** The key of a surface. The first use warns if the base URL comes from a weaker source. */
function keyOf(io: Io, settings: Resolved, surface: Surface): ApiKey | undefined {
  const key = settings[namesOf[surface].key]?.value
  const stray = strayKey(settings, surface)
  if (!key || !stray) return key
  let hasWarned = false
  return () => {
    if (!hasWarned) writeWarning(io, stray)
    hasWarned = true
    return key
  }
}

const reasons = {
  rate_limited: ['rate limit reached', 'trying again'],
  back_off: ['the request failed', 'trying again'],
  reconciling: ['the result of the write is unknown', 'searching again'],
} as const

/** Report waits of two seconds and more; a wait that many calls share only once. */
function waitReporter(io: Io): (event: ClientEvent) => void {
  const clock = fullClock(io.clock ?? systemClock)
  const reportedUntil = new Map<string, number>()
  return (event) => {
    if (event.type !== 'wait' || event.ms < 2_000) return
    const until = clock.monotonic() + event.ms
    if (until - (reportedUntil.get(event.because) ?? 0) < 1_000) return
    reportedUntil.set(event.because, until)
    const [why, then] = reasons[event.because]
    io.stderr.write(`svc: ${why}; ${then} in ${Math.ceil(event.ms / 1_000)} s\n`)
  }
}

/** Refuses a base URL to which no key may be sent. */
export function checkBaseUrl(name: 'baseUrl' | 'publicBaseUrl', value: string): void {
  try {
    // As if a key were to go there: a base URL that is fit for that is fit for all.
    createClient({ environment: {}, apiKey: 'none', [name]: value })
  } catch (cause) {
    throw new CliError(exit.input, describe(cause).message, {
      hint: schemeHint(value) ?? 'use an https URL, or http for this machine',
      cause,
    })
  }
}

/** The hint of a host without a scheme, such as `localhost:8080`; undefined for anything else, which may be a key. */
function schemeHint(value: string): string | undefined {
  const isHost = /^(?:localhost|127\.0\.0\.1|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:\/[\w./-]*)?$/.test(value)
  if (!isHost || formOf(value) !== 'other') return undefined
  const scheme = /^(?:localhost|127\.)/.test(value) ? 'http' : 'https'
  return `add ${scheme}:// to the base URL: ${scheme}://${value}`
}
