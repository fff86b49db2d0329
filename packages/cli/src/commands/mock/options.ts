import {
  defaultReadings,
  type FaultRule,
  parseFault,
  type Readings,
  readSeed,
  type Seed,
  type ServerOptions,
  type Store,
  steeredClock,
} from '@svc/reference-server/core'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io.js'
import { inert } from '../../text.js'

interface Quota {
  requests: number
  windowMs: number
}

export interface MockFlags {
  port?: number
  host?: string
  data?: string
  seed?: string
  limit?: Quota
  saturation?: Quota
  fault?: string[]
  faultHeader?: boolean
  reading?: Record<string, string>
  control?: boolean
  verbose?: boolean
}

/** What the flags say of a server. Nothing is started; what cannot be is said before anything is. */
export async function serverOptions(context: Context, flags: MockFlags, token: string): Promise<ServerOptions> {
  const { io } = context
  const onError = (error: unknown) => io.stderr.write(`svc mock: ${inert(String(error))}\n`)
  const faults = (flags.fault ?? []).map(readFault)
  const readings = readReadings(flags.reading ?? {})
  const seed = flags.seed === undefined ? undefined : await seedOf(io, flags.seed)
  const store = flags.data === undefined ? undefined : await storeIn(io, flags.data)
  return {
    onError,
    faults,
    readings,
    faultHeader: flags.faultHeader === true,
    ...limitsOf(flags),
    ...(flags.control && { control: { token }, clock: steeredClock() }),
    ...(flags.verbose && { onRequest: (entry) => io.stderr.write(`${lineOf(entry)}\n`) }),
    ...(seed && { seed }),
    ...(store && { store }),
  }
}

/** Without a limit of each key, only the provider's holds. */
function limitsOf({ limit, saturation }: MockFlags): Pick<ServerOptions, 'limits'> {
  if (!limit && !saturation) return {}
  const own = limit ?? { requests: Number.POSITIVE_INFINITY, windowMs: 1000 }
  return { limits: { ...own, ...(saturation && { saturation }) } }
}

const lineOf: NonNullable<ServerOptions['onRequest']> = ({ method, surface, path, status, key }) =>
  inert(`${status} ${method} ${surface} ${path} ${key ?? '-'}`)

function readFault(text: string): FaultRule {
  try {
    return parseFault(text)
  } catch (cause) {
    throw new CliError(exit.usage, (cause as Error).message, { cause })
  }
}

function readReadings(given: Record<string, string>): Partial<Readings> {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const standard = Object.hasOwn(defaultReadings, name) ? defaultReadings[name as keyof Readings] : undefined
      if (standard === undefined) {
        throw new CliError(exit.usage, `There is no reading "${inert(name)}".`, {
          hint: `readings are ${Object.keys(defaultReadings).join(', ')}`,
        })
      }
      if (typeof standard === 'string') return [name, text]
      const value = typeof standard === 'number' ? Number(text) : { true: true, false: false }[text]
      if (value !== undefined && !Number.isNaN(value)) return [name, value]
      const expected = typeof standard === 'number' ? 'a number' : 'true or false'
      throw new CliError(exit.usage, `The reading ${name} must be ${expected}.`)
    }),
  )
}

async function seedOf(io: Io, path: string): Promise<Seed> {
  try {
    return readSeed(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await io.readFile(path))))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'There is no such file.' : message
    throw new CliError(exit.input, `The seed ${inert(path)} cannot be used.`, { details: [inert(why)], cause })
  }
}

/** The database is loaded only here. */
async function storeIn(io: Io, folder: string): Promise<Store> {
  const { openStore } = await import('@svc/reference-server/data')
  return openStore(io.resolve(folder)).catch((cause: { message: string; hint?: string }) => {
    throw new CliError(exit.input, cause.message, { ...(cause.hint && { hint: cause.hint }), cause })
  })
}
