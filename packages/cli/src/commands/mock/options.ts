import {
  allowedHostProblem,
  allowedOriginProblem,
  type FaultRule,
  parseFault,
  type Readings,
  readingProblem,
  readSeed,
  referenceKey,
  referenceWorkspace,
  type Seed,
  type ServerOptions,
  type Store,
  seededIds,
  steeredClock,
} from '@svc/reference-server/core'
import { escapeLine } from '@svc/text'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io/index.js'

interface Quota {
  requests: number
  windowMs: number
}

export interface MockFlags {
  port?: number
  host?: string
  allowHost?: readonly string[]
  allowOrigin?: readonly string[]
  data?: string
  seed?: string
  script?: string
  limit?: Quota
  saturation?: Quota
  fault?: readonly string[]
  faultHeader?: boolean
  submitError?: boolean
  reading?: Record<string, string>
  control?: boolean
  readyFile?: string
}

export async function serverOptions(context: Context, flags: MockFlags, token: string): Promise<ServerOptions> {
  const { io } = context
  const onError = (error: unknown) => io.stderr.write(`svc mock: ${escapeLine(String(error))}\n`)
  const faults = (flags.fault ?? []).map(readFault)
  const readings = readReadings(flags.reading ?? {})
  const seed = completed(await seedOf(io, flags))
  const allowedHosts = checked('--allow-host', flags.allowHost, allowedHostProblem)
  const allowedOrigins = checked('--allow-origin', flags.allowOrigin, allowedOriginProblem)
  const store = flags.data === undefined ? undefined : await storeIn(io, flags.data)
  return {
    onError,
    seed,
    faults,
    readings,
    faultHeader: flags.faultHeader === true,
    allowedHosts,
    allowedOrigins,
    ...limitsOf(flags),
    ...(flags.submitError && { submit: () => false }),
    ...(flags.control && { control: { token }, clock: steeredClock() }),
    ...(context.flags.verbose && { onRequest: (entry) => io.stderr.write(`${lineOf(entry)}\n`) }),
    ...(store && { store }),
  }
}

/** Without a limit of each key, only the provider's holds. */
function limitsOf({ limit, saturation }: MockFlags): Pick<ServerOptions, 'limits'> {
  if (!limit && !saturation) return {}
  const own = limit ?? { requests: Number.POSITIVE_INFINITY, windowMs: 1000 }
  return { limits: { ...own, ...(saturation && { saturation }) } }
}

/** A request on one line: `-` for a status that a fault left out and for a missing key, then the faults. */
const lineOf: NonNullable<ServerOptions['onRequest']> = ({ method, surface, path, status, key, faults }) =>
  escapeLine([status || '-', method, surface, path, key ?? '-', ...faults].join(' '))

function readFault(text: string): FaultRule {
  try {
    return parseFault(text)
  } catch (cause) {
    throw new CliError(exit.usage, (cause as Error).message, { cause })
  }
}

function checked(flag: string, given: readonly string[] = [], problemOf: (value: string) => string | undefined) {
  for (const value of given) {
    const problem = problemOf(value)
    if (problem) throw new CliError(exit.usage, `${flag} ${escapeLine(value)}: ${problem}.`)
  }
  return given
}

/** The readings of the flags. All invalid ones are named at once. */
function readReadings(given: Record<string, string>): Partial<Readings> {
  const readings = Object.entries(given).map(([name, text]): [string, unknown] => {
    return [name, /^-?\d+$/.test(text) ? Number(text) : ({ true: true, false: false }[text] ?? text)]
  })
  const problems = readings.flatMap(([name, value]) => readingProblem(name, value) ?? [])
  if (problems.length > 0) throw new CliError(exit.usage, `--reading: ${escapeLine(problems.join('; '))}.`)
  return Object.fromEntries(readings)
}

/** The seed with the annotators of the script. */
async function seedOf(io: Io, flags: MockFlags): Promise<Seed> {
  const seed = flags.seed === undefined ? {} : await readJson(io, 'seed', flags.seed, readSeed)
  if (flags.script === undefined) return seed
  const script = await readJson(io, 'script', flags.script, (annotators) => readSeed({ annotators }))
  return { ...seed, annotators: [...(seed.annotators ?? []), ...(script.annotators ?? [])] }
}

async function readJson(io: Io, what: string, path: string, read: (value: unknown) => Seed): Promise<Seed> {
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

/** The fields of a key that limit its use. */
interface Rated {
  key: string
  permissions?: readonly string[] | undefined
  revoked?: boolean | undefined
}

/** The key for the command: the reference key, else one that may do the most; undefined where every one is revoked. */
export function mainKey<Key extends Rated>(keys: Iterable<Key>): Key | undefined {
  const usable = [...keys].filter(({ revoked }) => !revoked)
  const known = usable.find(({ key }) => key === referenceKey) ?? usable.find(({ permissions }) => !permissions)
  return known ?? usable[0]
}

/**
 * A seed with a key for the command, and a project in its workspace. Each project has an id of its own, the same in every
 * run, so that the command's project is still there after a reset.
 */
export function completed(seed: Seed): Seed {
  const workspaces = seed.workspaces ?? [referenceWorkspace]
  const given = seed.keys ?? []
  const keys = mainKey(given) ? given : [...given.filter(({ key }) => key !== referenceKey), { key: referenceKey }]
  const workspace = mainKey(keys)?.workspace ?? workspaces[0] ?? referenceWorkspace
  const projects = seed.projects ?? []
  const isThere = projects.some((project) => (project.workspace ?? workspaces[0]) === workspace)
  const ids = seededIds(2)
  return {
    ...seed,
    workspaces,
    keys,
    projects: [...projects, ...(isThere ? [] : [{ name: 'Mock project', workspace }])].map((project) => ({
      ...project,
      id: project.id ?? `hp-${ids()}`,
    })),
  }
}
