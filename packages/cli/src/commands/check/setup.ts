import { dirname, relative, sep } from 'node:path'
import {
  type AttemptLimits,
  type CustomRules,
  type FoundPolicy,
  type Policy,
  type PolicyFile,
  type Rules,
  readPolicyFile,
  readReport,
  rulesFor,
  type SelectionRule,
  unmatchedPatterns,
} from '@svc/checks'
import { isInside, splitPaths } from '@svc/input'
import { shellLine } from '@svc/text'
import { trustIn } from '../../config/index.js'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io/index.js'
import type { Delivery } from '../../reports.js'
import { type CheckFlags, policyOf } from './flags.js'

/** The setup of a check, from flags and policy. */
export interface Setup extends AttemptLimits {
  paths: readonly string[]
  /** Patterns of files that are not read. */
  exclude: readonly string[]
  annotator: string
  /** The place in the policy; undefined if a flag sets it. */
  annotatorPlace: string | undefined
  /** Request options of the policy. */
  preset: Record<string, unknown> | undefined
  policy: Policy
  /** The path of the policy file. */
  policyFile: string | undefined
  rulesFor(path: string): Rules
  /** The functions of the policy. */
  custom: CustomRules
  /** The folders of a path, from the folder of the policy. */
  foldersOf(path: string): string[]
  /** The patterns of overrides that match none of these paths. */
  unmatchedPatterns(paths: readonly string[]): string[]
  baseline: { path: string; update: boolean } | undefined
  /** Undefined if every transcript is checked. */
  selection: SelectionRule | undefined
  delivery: Delivery
  /** The exit code of a failed check. */
  gateExit: number
  concurrency: number
}

/** Combine flags and policy. Throws a usage error for missing values. */
export async function setUp(context: Context, paths: readonly string[], flags: CheckFlags): Promise<Setup> {
  const { io, say } = context
  const file = await readPolicyFile(io, flags.policy, async (found) => {
    if (flags.policy === undefined) await refuseUntrusted(context, found, 'is a program')
  })
  if (file && flags.policy === undefined) await refuseForeignPaths(context, file)
  if (file && dirname(file.path) !== io.resolve('.') && flags.policy === undefined)
    say(`note: using the policy of ${file.path}`)
  const policy = policyOf(flags, file)
  const annotator = flags.annotator ?? file?.annotator
  const named = splitPaths(io, paths.length > 0 ? paths : (file?.paths ?? []), [
    ...(flags.exclude ?? []),
    ...(file?.exclude ?? []),
  ])
  const baseline = flags.baseline ?? file?.baseline
  const attempts = flags.attempts ?? file?.attempts ?? 1
  const confirmOnFail = flags.confirmOnFail ?? file?.confirmOnFail ?? false
  if (named.paths.length === 0) {
    throw new CliError(exit.usage, 'Missing transcripts.', {
      hint: 'add files, directories, or - for standard input; or set "paths" in a policy file',
    })
  }
  if (annotator === undefined) {
    throw new CliError(exit.usage, 'Missing annotator.', {
      hint: 'add --annotator, or set "annotator" in a policy file; `svc annotators list` lists them',
    })
  }
  if (flags.updateBaseline && baseline === undefined) {
    throw new CliError(exit.usage, '--update-baseline requires --baseline.', { hint: 'add --baseline FILE' })
  }
  if (confirmOnFail && attempts < 2) {
    throw new CliError(exit.usage, '--confirm-on-fail requires --attempts 2 or more.', { hint: 'add --attempts 3' })
  }
  const selection = await selectionOf(io, flags)
  if (flags.updateBaseline && (selection || flags.maxFailures !== undefined)) {
    throw new CliError(exit.usage, '--update-baseline needs every transcript.', {
      hint: 'omit --sample, --only-failed, --where and --max-failures',
    })
  }
  const ground = { folder: file?.folder ?? io.resolve('.'), resolve: io.resolve }
  return {
    annotatorPlace: flags.annotator === undefined ? file?.annotatorPlace() : undefined,
    ...named,
    annotator,
    preset: file?.options,
    policy,
    attempts,
    confirmOnFail,
    policyFile: file?.path,
    rulesFor: rulesFor(policy, ground),
    custom: file?.rules ?? new Map(),
    foldersOf: (path) => relative(ground.folder, io.resolve(path)).split(sep).slice(0, -1),
    unmatchedPatterns: (paths) => unmatchedPatterns(policy, ground, paths),
    baseline: baseline === undefined ? undefined : { path: baseline, update: flags.updateBaseline === true },
    selection,
    delivery: flags,
    gateExit: flags.gateExitCode ?? exit.gateFailed,
    concurrency: flags.concurrency,
  }
}

async function selectionOf(
  io: Io,
  { sample, seed, onlyFailed, where = {} }: CheckFlags,
): Promise<SelectionRule | undefined> {
  if (seed !== undefined && sample === undefined) {
    throw new CliError(exit.usage, '--seed requires --sample.', { hint: 'add --sample N' })
  }
  if (sample === undefined && onlyFailed === undefined && Object.keys(where).length === 0) return undefined
  return {
    sample: sample ?? null,
    seed: sample === undefined ? null : (seed ?? '0'),
    where,
    onlyFailed: onlyFailed === undefined ? undefined : { path: onlyFailed, report: await readReport(io, onlyFailed) },
  }
}

/**
 * Refuse a discovered policy that names paths outside of its folder and the working directory, also through links, unless
 * the user trusts its current content: its author would choose which files are read, sent and overwritten.
 */
async function refuseForeignPaths({ io, settings }: Pick<Context, 'io' | 'settings'>, file: PolicyFile): Promise<void> {
  const roots = await Promise.all([file.folder, '.'].map((folder) => placeOf(io, folder)))
  const foreign: string[] = []
  for (const path of namedIn(file)) {
    const place = await placeOf(io, path)
    if (!roots.some((root) => root !== undefined && place !== undefined && isInside(root, place))) foreign.push(path)
  }
  if (foreign.length > 0) await refuseUntrusted({ io, settings }, file, 'names paths outside of its folder', foreign)
}

/** Refuse a discovered policy unless the user trusts its current content. `what` is why that is needed. */
async function refuseUntrusted(
  { io, settings }: Pick<Context, 'io' | 'settings'>,
  { path, hash }: FoundPolicy,
  what: string,
  details: string[] = [],
): Promise<void> {
  const trust = trustIn({ path: io.resolve(path), hash }, (await settings()).user?.settings)
  if (trust === 'trusted') return
  const why = trust === 'changed' ? 'has changed since it was trusted' : 'is not trusted'
  const command = shellLine(['svc', 'config', 'trust', path])
  throw new CliError(exit.input, `${path} ${what}, but ${why}.`, {
    details,
    hint: `check the file, then run \`${command}\`; or ignore it with --no-policy`,
  })
}

/** The paths that are read or written; a pattern that skips files does neither. */
const namedIn = ({ paths = [], baseline }: PolicyFile): string[] =>
  [...paths, ...(baseline === undefined ? [] : [baseline])].filter((path) => !path.startsWith('!'))

/** The target of a path, or the folder that a pattern searches; undefined where it cannot be resolved. */
async function placeOf(io: Io, path: string): Promise<string | undefined> {
  const steps = path.split('/')
  const pattern = io.isThere(path) ? -1 : steps.findIndex((step) => /[*?[({]/.test(step))
  if (pattern >= 0 && steps.slice(pattern).some((step) => step.includes('..'))) return undefined
  const folder = pattern < 0 ? path : steps.slice(0, pattern).join('/') || '.'
  return io.writeTarget(folder).then(
    ({ place }) => place,
    () => undefined,
  )
}
