import type { CallOptions, ClientEvent, SvcClient } from '@svc/client'
import type { NodeTransport } from '@svc/client/node'
import { CliError, exit } from './exit.js'
import type { Io } from './io.js'
import { type Style, styleOf } from './style.js'

/** Flags that every command takes. Durations in milliseconds. */
export interface GlobalFlags {
  json?: boolean
  quiet?: boolean
  verbose?: boolean
  debug?: boolean
  color?: 'auto' | 'always' | 'never'
  /** One attempt. */
  timeout?: number
  /** The whole run. */
  deadline?: number
  /** The longest `Retry-After` to wait for. */
  maxWait?: number
}

/** What a command works with. The client is made when it is first asked for, so that `--help` needs no key. */
export interface Context {
  io: Io
  flags: GlobalFlags
  style: { out: Style; err: Style }
  client(): Promise<SvcClient>
  /** Lets go of the connections; called when the command has ended. */
  close(): Promise<void>
  /** The present, in milliseconds since 1970. */
  now(): number
  /** The options of a call: the signal that stops the run, and what is left of its deadline. */
  call(): Pick<CallOptions, 'signal' | 'deadlineMs'>
  /** Says something to the person, on stderr, unless they asked for quiet. */
  say(line: string): void
}

export function createContext(io: Io, flags: GlobalFlags): Context {
  let connected: Promise<Connection> | undefined
  const now = () => (io.clock ?? Date).now()
  const deadlineAt = flags.deadline === undefined ? undefined : now() + flags.deadline
  const style = { out: styleOf(io.stdout, io.env, flags.color), err: styleOf(io.stderr, io.env, flags.color) }
  const say = (line: string) => {
    if (!flags.quiet) io.stderr.write(`${line}\n`)
  }
  return {
    io,
    flags,
    style,
    say,
    now,
    async client() {
      connected ??= connect(io, flags)
      return (await connected).client
    },
    close: async () => (await connected?.catch(() => undefined))?.close(),
    call() {
      const left = deadlineAt === undefined ? undefined : deadlineAt - now()
      if (left === undefined || left > 0) return { signal: io.signal, deadlineMs: left }
      throw new CliError(exit.temporary, 'The deadline of this run has passed.', {
        hint: 'run it again, or raise --deadline',
      })
    },
  }
}

interface Connection {
  client: SvcClient
  close(): Promise<void>
}

async function connect(io: Io, flags: GlobalFlags): Promise<Connection> {
  const [{ createClient }, transport] = await Promise.all([import('@svc/client'), transportOf(io)])
  const client = createClient({
    environment: io.env,
    ...(transport ? { transport } : { fetch: io.fetch }),
    clock: io.clock,
    timeoutMs: flags.timeout,
    retry: flags.maxWait === undefined ? undefined : { maxRetryAfterMs: flags.maxWait },
    ...(flags.debug && {
      logger: {
        debug: (line: string) => io.stderr.write(`${line}\n`),
        warn: (line: string) => io.stderr.write(`${line}\n`),
      },
    }),
    onEvent: flags.debug || flags.quiet ? undefined : (event) => tellWait(io, event),
  })
  return { client, close: async () => transport?.close() }
}

/** Starts faster than Node's own fetch, knows proxies, and waits longer than 300 s. */
async function transportOf({ fetch, env }: Io): Promise<NodeTransport | undefined> {
  if (fetch) return undefined
  const { nodeTransport } = await import('@svc/client/node')
  return nodeTransport({ environment: env })
}

const reasons = {
  rate_limited: ['the service asked to wait', 'trying again'],
  back_off: ['the service did not answer as it should', 'trying again'],
  in_doubt: ['it is not known yet whether this was stored', 'looking again'],
} as const

/** A wait of seconds without a word looks like a hang. */
function tellWait(io: Io, event: ClientEvent): void {
  if (event.type !== 'wait' || event.ms < 2_000) return
  const [why, then] = reasons[event.because]
  io.stderr.write(`svc: ${why}; ${then} in ${Math.ceil(event.ms / 1_000)} s\n`)
}
