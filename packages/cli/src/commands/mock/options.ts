import {
  allowedHostProblem,
  allowedOriginProblem,
  completeSeed,
  type JournalEntry,
  parseAmbiguities,
  parseFault,
  parseLimits,
  readSaved,
  readSeed,
  type Seed,
  type ServerOptions,
  type Store,
  steeredClock,
} from '@svc/reference-server/core'
import { escapeLine } from '@svc/text'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io/index.js'
import type { CheckTarget } from './check.js'

export interface MockFlags {
  port?: number
  host?: string
  allowHost?: readonly string[]
  allowOrigin?: readonly string[]
  data?: string
  seed?: string
  script?: string
  check?: boolean
  report?: readonly CheckTarget[]
  limit?: string
  saturation?: string
  fault?: readonly string[]
  faultHeader?: boolean
  submitError?: boolean
  ambiguity?: Record<string, string>
  like?: string
  control?: boolean
  readyFile?: string
  tls?: boolean
}

export async function serverOptions(
  context: Context,
  flags: MockFlags,
  token: string,
  onRequest: (entry: JournalEntry) => void,
): Promise<ServerOptions> {
  const { io } = context
  const onError = (error: unknown) => io.stderr.write(`svc mock: ${escapeLine(String(error))}\n`)
  const faults = (flags.fault ?? []).map((text) => usable(text, parseFault))
  const ambiguities = usable(flags.ambiguity ?? {}, parseAmbiguities)
  const like = flags.like === undefined ? undefined : await readJson(io, 'saved service', flags.like, readSaved)
  const limits = usable(flags.limit, (text) => parseLimits(text, flags.saturation))
  const seed = completeSeed(await seedOf(io, flags))
  const allowedHosts = checked('--allow-host', flags.allowHost, allowedHostProblem)
  const allowedOrigins = checked('--allow-origin', flags.allowOrigin, allowedOriginProblem)
  const store = flags.data === undefined ? undefined : await storeIn(io, flags.data)
  return {
    onError,
    seed,
    faults,
    ambiguities,
    ...(like && { like }),
    faultHeader: flags.faultHeader === true,
    allowedHosts,
    allowedOrigins,
    ...(limits && { limits }),
    ...(flags.submitError && { submit: () => false }),
    ...(flags.control && { control: { token }, clock: steeredClock() }),
    onRequest,
    ...(store && { store }),
  }
}

/** Parse a flag as the library does. */
function usable<Text, Value>(text: Text, parse: (text: Text) => Value): Value {
  try {
    return parse(text)
  } catch (cause) {
    throw new CliError(exit.usage, escapeLine((cause as Error).message), { cause })
  }
}

function checked(flag: string, given: readonly string[] = [], problemOf: (value: string) => string | undefined) {
  for (const value of given) {
    const problem = problemOf(value)
    if (problem) throw new CliError(exit.usage, `${flag} ${escapeLine(value)}: ${problem}.`)
  }
  return given
}

/** The seed with the annotators of the script. */
async function seedOf(io: Io, flags: MockFlags): Promise<Seed> {
  const seed = flags.seed === undefined ? {} : await readJson(io, 'seed', flags.seed, readSeed)
  if (flags.script === undefined) return seed
  const script = await readJson(io, 'script', flags.script, (annotators) => readSeed({ annotators }))
  return { ...seed, annotators: [...(seed.annotators ?? []), ...(script.annotators ?? [])] }
}

async function readJson<Value>(io: Io, what: string, path: string, read: (value: unknown) => Value): Promise<Value> {
  try {
    return read(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await io.readFile(path))))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'The file does not exist.' : message
    throw new CliError(exit.input, `Cannot use the ${what} ${escapeLine(path)}.`, { details: [escapeLine(why)], cause })
  }
}

/** The database is loaded only here. */
async function storeIn(io: Io, folder: string): Promise<Store> {
  const { openStore } = await import('@svc/reference-server/data')
  return openStore(io.resolve(folder)).catch((cause: { message: string; hint?: string }) => {
    throw new CliError(exit.input, cause.message, { ...(cause.hint && { hint: cause.hint }), cause })
  })
}
