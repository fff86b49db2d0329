import type { ApiKey, ClientEvent, SvcClient } from '@svc/client'
import type { Io } from '../io/index.js'
import { inert, writeWarning } from '../terminal/index.js'
import { namesOf, type Resolved, type Surface, strayKey } from './resolve.js'

/** A client, and the way to let go of its connections. */
export interface Connection {
  client: SvcClient
  close(): Promise<void>
}

/** The calls that a command is about to make. */
export interface Expected {
  /** Undefined where they come as a stream, which may have no end, and has to do in less memory. */
  calls: number | undefined
  atOnce: number
}

/** For so many calls it pays to load what sends them faster. */
const many = 500

/** The flags that change how requests are sent and told. */
export interface ConnectFlags {
  quiet?: boolean
  debug?: boolean
  timeout?: number
  maxWait?: number
  /** Whether uploads bear a stamp by which they are found when their answer is lost. */
  stamp?: boolean
}

/** A client of the settings in force. Sends nothing by itself. */
export async function connect(
  io: Io,
  flags: ConnectFlags,
  settings: Resolved,
  expected?: Expected,
): Promise<Connection> {
  const [{ createClient }, { nodeTransport }] = await Promise.all([import('@svc/client'), import('@svc/client/node')])
  // Starts faster than Node's own fetch, knows proxies, and waits longer than 300 s.
  // One more than calls: undici rests each for a turn of the loop, for which the next call would wait.
  const connections = expected && (expected.calls ?? 0) >= many ? expected.atOnce + 1 : undefined
  const transport = io.fetch ? undefined : nodeTransport({ environment: io.env, connections })
  const tell = (line: string) => io.stderr.write(`${inert(line)}\n`)
  const client = createClient({
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
    ...(flags.debug && { logger: { debug: tell, warn: tell } }),
    onEvent: flags.debug || flags.quiet ? undefined : waitReporter(io),
  })
  return { client, close: async () => transport?.close() }
}

/** The key of a surface; where it goes somewhere that its source did not name, that is said when it first goes there. */
function keyOf(io: Io, settings: Resolved, surface: Surface): ApiKey | undefined {
  const key = settings[namesOf[surface].key]?.value
  const stray = strayKey(settings, surface)
  if (!key || !stray) return key
  let isTold = false
  return () => {
    if (!isTold) writeWarning(io, stray)
    isTold = true
    return key
  }
}

const reasons = {
  rate_limited: ['the service asked to wait', 'trying again'],
  back_off: ['the service did not answer as it should', 'trying again'],
  in_doubt: ['it is not known yet whether this was stored', 'looking again'],
} as const

/** A wait of seconds without a word looks like a hang; one that many calls share is told once. */
function waitReporter(io: Io): (event: ClientEvent) => void {
  const toldUntil = new Map<string, number>()
  return (event) => {
    if (event.type !== 'wait' || event.ms < 2_000) return
    const until = (io.clock ?? Date).now() + event.ms
    if (until - (toldUntil.get(event.because) ?? 0) < 1_000) return
    toldUntil.set(event.because, until)
    const [why, then] = reasons[event.because]
    io.stderr.write(`svc: ${why}; ${then} in ${Math.ceil(event.ms / 1_000)} s\n`)
  }
}
