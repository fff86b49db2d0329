import { type CallOptions, type Clock, ConnectionError, fullClock, type SvcClient, systemClock } from '@svc/client'
import { createDeadline, escapeLine } from '@svc/text'
import { connect, type Expected, loadSettings, type Settings } from './config/index.js'
import { CliError, exit } from './exit.js'
import { type Io, stoppable } from './io/index.js'
import { isCi, type Style, styleOf } from './terminal.js'

/** Global flags. Durations in milliseconds. */
export interface GlobalFlags {
  /** Set by `fields`, too. */
  json?: boolean
  fields?: string
  quiet?: boolean
  verbose?: boolean
  debug?: boolean
  color?: 'auto' | 'always' | 'never'
  /** One attempt. */
  timeout?: number
  /** The whole run. */
  deadline?: number
  maxWait?: number
  /** The file of settings, and the profile in it. */
  config?: string
  profile?: string
  input?: boolean
}

/** The environment of a command. The client is created on first use, so `--help` needs no key. */
export interface Context {
  io: Io
  flags: GlobalFlags
  /** The arguments after `svc`, unchanged. */
  argv: readonly string[]
  style: { out: Style; err: Style }
  /** The configured keys: nothing that is written shows them. */
  keys: Set<string>
  /** Picks the fields of `--fields` from a document. */
  select?: ((document: object) => object) | undefined
  /** The settings in effect, each with its origin. Files are read on first use. */
  settings(): Promise<Settings>
  /** The client, created on first use. `expected` announces many calls. */
  client(expected?: Expected): Promise<SvcClient>
  /** Close the connections; called when the command has ended. */
  close(): Promise<void>
  /** The present, in milliseconds since 1970. */
  now(): number
  /** Time and chance. Measure with `monotonic`, which no correction of the date changes. */
  clock: Required<Clock>
  /** The options of a call: the signal that stops the run, and what is left of its deadline. */
  call(): Pick<CallOptions, 'signal' | 'deadlineMs'>
  /** The error to report for one of a call: the deadline of the run, if that ended the call. */
  reported(error: unknown): unknown
  /** Print a line on stderr unless `--quiet` is set. The text is made safe for a terminal. */
  say(line: string): void
}

interface Given extends Pick<Context, 'io' | 'flags' | 'argv' | 'keys' | 'select'> {
  /** Stop when the output can no longer be written, because nobody would see what the command reads. */
  stopsWithOutput: boolean
}

export function createContext({ io: given, flags, argv, keys, select, stopsWithOutput }: Given): Context {
  const processIo = stopsWithOutput ? untilOutputEnds(given) : given
  const clock = fullClock(processIo.clock ?? systemClock)
  const deadline = createDeadline(flags.deadline, clock, deadlinePassed)
  const io = stoppable(processIo, AbortSignal.any([processIo.signal, deadline.signal]), clock.monotonic)
  const style = {
    get out() {
      return styleOf(io.stdout, io.env, flags.color)
    },
    get err() {
      return styleOf(io.stderr, io.env, flags.color)
    },
  }
  const say = (line: string) => {
    if (!flags.quiet) io.stderr.write(`${escapeLine(line)}\n`)
  }
  const settings = once(() => loadSettings(io, flags, say))
  const connection = once(async (expected?: Expected) => connect(io, flags, await settings(), expected))
  return {
    io,
    flags,
    argv,
    keys,
    select,
    style,
    say,
    now: clock.now,
    clock,
    settings,
    client: async (expected) => (await connection(expected)).client,
    async close() {
      deadline.end()
      await (await connection.result()?.catch(() => undefined))?.close()
    },
    call: () => ({ signal: io.signal, deadlineMs: deadline.left() }),
    reported: (error) =>
      error instanceof ConnectionError && error.timedOut && deadline.passed() ? deadlinePassed(error) : error,
  }
}

/** A function that does its work at the first call; `result` gives what that gave, if there was one. */
function once<Given extends unknown[], Value>(work: (...given: Given) => Promise<Value>) {
  let result: Promise<Value> | undefined
  const call = (...given: Given): Promise<Value> => {
    result ??= work(...given)
    return result
  }
  return Object.assign(call, { result: () => result })
}

const deadlinePassed = (cause?: Error): CliError =>
  new CliError(exit.temporary, 'The deadline of this run has passed.', {
    hint: 'run the command again, or raise --deadline',
    cause,
  })

function untilOutputEnds(io: Io): Io {
  const { ended } = io.stdout
  if (!ended) return io
  const signal = AbortSignal.any([io.signal, ended])
  return Object.create(io, Object.getOwnPropertyDescriptors({ signal, stop: signal }))
}

/** The reason why svc may not prompt, as in `CI is set`; undefined if it may. */
export function whyNotAsk({ io, flags }: Pick<Context, 'io' | 'flags'>): string | undefined {
  if (flags.input === false) return '--no-input is set'
  if (isCi(io)) return 'CI is set'
  if (!io.stdinIsTTY) return 'input is not a terminal'
  return io.stderr.isTTY ? undefined : 'error output is not a terminal'
}

/** Ask for a yes on the terminal. */
export const agrees = async ({ io }: Pick<Context, 'io'>, question: string): Promise<boolean> =>
  /^y(es)?$/i.test((await io.ask(escapeLine(`${question} [y/N] `), false)).trim())

export const canAsk = (context: Pick<Context, 'io' | 'flags'>): boolean => whyNotAsk(context) === undefined
