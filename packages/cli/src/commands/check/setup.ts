import { shardOf } from '@svc/bulk'
import {
  type FoundPolicy,
  otherOwner,
  type PolicyFile,
  policyFrom,
  policyNames,
  readPolicyFile,
  readReport,
  type SelectionRule,
  unreadPolicies,
  withRules,
} from '@svc/checks'
import { escapeLine, firstNames, shellLine } from '@svc/text'
import { trustIn, withReadingSettings } from '../../config/index.js'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { pathsOutside, splitPaths } from '../../input/index.js'
import type { Io } from '../../io/index.js'
import { storedProject } from '../../stored.js'
import { type CheckFlags, policyOf } from './flags.js'

export type Setup = Awaited<ReturnType<typeof setUp>>

/** `beforeCode` is called before code of a policy is run. Close what is returned. */
export async function setUp(
  context: Context,
  paths: readonly string[],
  flags: CheckFlags,
  beforeCode: () => Promise<void>,
) {
  const { io } = context
  const project = await storedProject(context, paths, flags)
  if (flags.importer) await beforeCode()
  const file = await readPolicyFile(
    io,
    flags.policy ?? splitPaths(io, paths).paths,
    async (policy, root) => {
      if (flags.policy === undefined) await refuseForeign(context, policy, root)
      if (policy.isCode) await beforeCode()
    },
    { signal: io.stop, log: (text) => io.stderr.write(text) },
  )
  try {
    const fromSettings = withReadingSettings(io, flags, await context.settings())
    const reading = [...(fromSettings.reading ?? []), ...(file?.reading ?? [])]
    if (!flags.importer && reading.some(({ importer }) => importer)) await beforeCode()
    const { excludeInSettings } = fromSettings
    const readingFile = file?.path ?? 'svc.checks.json'
    return { ...(await settingsOf(context, { paths, project }, flags, file)), reading, readingFile, excludeInSettings }
  } catch (error) {
    await file?.close()
    throw error
  }
}

async function settingsOf(
  context: Context,
  { paths, project }: { paths: readonly string[]; project: string | undefined },
  flags: CheckFlags,
  file: PolicyFile | undefined,
) {
  const { io } = context
  if (file && flags.policy === undefined) {
    await refuseForeignPaths(context, file)
    const importers = file.reading?.flatMap(({ importer = [] }) => importer) ?? []
    if (importers.length > 0 && !file.isCode) await refuseUntrusted(context, file, 'names programs to run', importers)
    // Also with --quiet: it decides what passes.
    io.stderr.write(`${escapeLine(`using the policy ${file.path}`)}\n`)
  }
  const policy = policyOf(flags, file)
  const annotator = flags.annotator ?? file?.annotator
  const exclude = [...(flags.exclude ?? []), ...(file?.exclude ?? [])]
  const named =
    project === undefined
      ? splitPaths(io, paths.length > 0 ? paths : (file?.paths ?? []), exclude)
      : { paths: [project], exclude: [] }
  const baseline = flags.baseline ?? file?.baseline
  const attempts = flags.attempts ?? file?.attempts ?? 1
  const confirmOnFail = flags.confirmOnFail ?? file?.confirmOnFail ?? false
  if (named.paths.length === 0 && !flags.allowEmpty) {
    throw new CliError(exit.usage, 'Missing transcripts.', {
      hint: 'add files, directories, or - for standard input; or set "paths" in a policy file',
    })
  }
  const against = flags.against ?? file?.against
  const mayLackReference = flags.allowMissing ?? file?.allowMissing ?? false
  if (flags.allowMissing && flags.filesFrom === undefined && against === undefined)
    throw new CliError(exit.usage, '--allow-missing requires --files-from or --against.', {
      hint: 'add --files-from FILE or --against REPORT',
    })
  if (against === '-' && (named.paths.includes('-') || flags.filesFrom === '-'))
    throw new CliError(exit.usage, 'Standard input cannot be both the report of --against and another input.', {
      hint: 'write the report to a file',
    })
  if (flags.control !== undefined && against === undefined)
    throw new CliError(exit.usage, '--control requires --against.', { hint: 'add --against REPORT' })
  if (policy.maxDrop !== undefined && against === undefined)
    throw new CliError(exit.usage, 'A largest drop requires a report to compare with.', {
      hint: 'add --against REPORT, or "against" to the policy file',
    })
  if (flags.filesFrom === '-' && named.paths.includes('-'))
    throw new CliError(exit.usage, 'Standard input cannot be both a transcript and the list of --files-from.', {
      hint: 'write the list to a file',
    })
  if (annotator === undefined) {
    throw new CliError(exit.usage, 'Missing annotator.', {
      hint: 'add --annotator, or set "annotator" in a policy file; `svc annotators list` lists them',
    })
  }
  if (flags.updateBaseline && baseline === undefined) {
    throw new CliError(exit.usage, '--update-baseline requires --baseline.', { hint: 'add --baseline FILE' })
  }
  const today = new Date(context.now()).toISOString().slice(0, 10)
  refuseLooseAcceptance(flags, { today, against })
  if (confirmOnFail && attempts < 2) {
    throw new CliError(exit.usage, '--confirm-on-fail requires --attempts 2 or more.', { hint: 'add --attempts 3' })
  }
  const { sample, seed, ...others } = flags
  const selection = await selectionOf(io, project === undefined ? flags : others)
  if (project !== undefined && sample !== undefined && selection)
    throw new CliError(exit.usage, '--sample draws stored transcripts before they are read.', {
      hint: 'omit --where and --only-failed; filters such as --model-name select before the sample',
    })
  if (seed !== undefined && sample === undefined)
    throw new CliError(exit.usage, '--seed requires --sample.', { hint: 'add --sample N' })
  const shard = shardOf(flags.shard, io.env)
  if (flags.updateBaseline && (selection || sample !== undefined || shard || flags.maxFailures !== undefined)) {
    throw new CliError(exit.usage, '--update-baseline needs every transcript.', {
      hint: 'omit --sample, --only-failed, --where, --shard and --max-failures',
    })
  }
  return {
    ...named,
    annotator,
    /** Request options of the policy. */
    preset: file?.options,
    policy,
    /** The file of the policy, with what the flags override. */
    file: withRules(file ?? policyFrom({}, io.clock, io), policy),
    /** The files of the policy: itself and those that it extends, and all that its programs import, too. */
    policies: file?.policies ?? [],
    /** The project whose stored transcripts are checked; undefined for files. */
    project,
    notes: flags.policy === undefined ? await unreadNotes(io, project === undefined ? named.paths : [], file) : [],
    policyFiles: file?.files ?? [],
    /** End the code of the policy. Resolves with false if a call of the system keeps it. */
    close: async () => (await file?.close()) ?? true,
    /** The report that this one is compared with, and whether it may be missing. */
    against: against === undefined ? undefined : { path: against, mayBeMissing: mayLackReference },
    baseline: baseline === undefined ? undefined : { path: baseline, update: flags.updateBaseline === true },
    selection,
    shard,
    delivery: flags,
    gateExit: flags.gateExitCode ?? exit.gateFailed,
    concurrency: flags.concurrency,
  }
}

/** A policy that is not read must not seem to be in force. */
async function unreadNotes(io: Io, paths: readonly string[], file: PolicyFile | undefined): Promise<string[]> {
  const unread = await unreadPolicies(io, paths, file?.files ?? [])
  if (unread.length === 0) return []
  const what =
    unread.length === 1 ? '1 file looks like a policy, but is' : `${unread.length} files look like policies, but are`
  const where = 'here, above in the repository, or in a folder that you name'
  return [`${what} not read: ${firstNames(unread)} (svc reads ${policyNames.join(', ')} ${where})`]
}

function refuseLooseAcceptance(
  { reason, expires, accept, updateBaseline }: CheckFlags,
  { today, against }: { today: string; against: string | undefined },
): void {
  const flags = { '--accept': accept, '--reason': reason, '--expires': expires }
  const [flag] = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (flag && !updateBaseline) {
    throw new CliError(exit.usage, `${flag} requires --update-baseline.`, {
      hint:
        accept === undefined
          ? 'add --baseline FILE --update-baseline; name only the files whose findings you accept'
          : 'add --baseline FILE --update-baseline',
    })
  }
  if (accept !== undefined && against === undefined)
    throw new CliError(exit.usage, '--accept requires --against.', {
      hint: 'add --against REPORT, with a report of the version of the baseline',
    })
  if (expires === undefined || expires >= today) return
  throw new CliError(exit.usage, `--expires ${expires} is in the past.`, { hint: `use ${today} or a later day` })
}

async function selectionOf(
  io: Io,
  { sample, seed, onlyFailed, where = {} }: CheckFlags,
): Promise<SelectionRule | undefined> {
  if (sample === undefined && onlyFailed === undefined && Object.keys(where).length === 0) return undefined
  const report = onlyFailed === undefined ? undefined : { from: onlyFailed, report: await readReport(io, onlyFailed) }
  return { sample, seed, where, onlyFailed: report }
}

/** Refuse a discovered policy of another user, and one that is a program, unless the user trusts its current content. */
async function refuseForeign(context: Context, policy: FoundPolicy, root: FoundPolicy): Promise<void> {
  const { io } = context
  // The trust of a policy covers the files that belong to it.
  const file = policy.files.every((path) => root.files.includes(path)) ? root : policy
  const others = policy.files.flatMap((path) => {
    const owner = otherOwner(io.ownersOf(path), io.uid, io.env)
    return owner === undefined ? [] : `${path}: user ${owner}`
  })
  if (others.length > 0) await refuseUntrusted(context, file, 'or its folder belongs to another user', others)
  if (policy.isCode) await refuseUntrusted(context, file, 'is a program')
}

/**
 * Refuse a discovered policy that names paths outside of its folder and the working directory, also through links, unless
 * the user trusts its current content: its author would choose which files are read, sent and overwritten.
 */
async function refuseForeignPaths({ io, settings }: Pick<Context, 'io' | 'settings'>, file: PolicyFile): Promise<void> {
  const foreign = await pathsOutside(io, [file.folder, '.'], namedIn(file))
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
    hint: `check the file, then run \`${command}\`, or name it with --policy`,
  })
}

/** The paths that are read or written; a pattern that skips files does neither. */
const namedIn = ({ paths = [], baseline, against }: PolicyFile): string[] =>
  [...paths, ...[baseline, against].flatMap((path) => path ?? [])].filter((path) => !path.startsWith('!'))
