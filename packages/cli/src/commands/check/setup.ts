import { dirname } from 'node:path'
import type { Policy, Rules } from '../../checks/policy/policy.js'
import { type PolicyFile, readPolicyFile } from '../../checks/policy/policy-file.js'
import { refuseForeignPaths } from '../../checks/policy/policy-trust.js'
import type { Attempts } from '../../checks/votes.js'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { splitPaths } from '../../input/candidates.js'
import type { Io } from '../../io.js'
import type { Delivery } from '../../reports/deliver.js'
import type { CheckFlags } from './check-flags.js'
import { policyOf } from './policy-flags.js'

/** What a check is asked to do, by flags and policy. */
export interface Setup extends Attempts {
  paths: readonly string[]
  /** Patterns of files that are not read. */
  exclude: readonly string[]
  annotator: string
  /** Where a policy names it; undefined where a flag does. */
  annotatorPlace: string | undefined
  /** Request options of the policy. */
  preset: Record<string, unknown> | undefined
  policy: Policy
  /** The path of the policy file. */
  policyFile: string | undefined
  rulesFor(path: string): Rules
  /** The patterns of overrides that match none of these paths. */
  unmatchedPatterns(paths: readonly string[]): string[]
  baseline: { path: string; update: boolean } | undefined
  delivery: Delivery
  /** What a check that failed ends with. */
  gateExit: number
  concurrency: number
}

/** Puts flags and policy together; what is missing in both is a usage error. */
export async function setUp(context: Context, paths: readonly string[], flags: CheckFlags): Promise<Setup> {
  const { io, say } = context
  const file = await readPolicyFile(io, flags.policy)
  if (file) await refuseForeignPaths(context, file)
  if (file && dirname(file.path) !== io.resolve('.') && flags.policy === undefined)
    say(`note: the policy is that of ${file.path}`)
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
    throw new CliError(exit.usage, 'No transcripts are named.', {
      hint: 'give files, directories, or - for standard input; or name them as "paths" in a policy file',
    })
  }
  if (annotator === undefined) {
    throw new CliError(exit.usage, 'No annotator is named.', {
      hint: 'give --annotator, or "annotator" in a policy file; `svc annotators list` shows them',
    })
  }
  if (flags.updateBaseline && baseline === undefined) {
    throw new CliError(exit.usage, '--update-baseline needs to know which baseline.', { hint: 'give --baseline FILE' })
  }
  if (confirmOnFail && attempts < 2) {
    throw new CliError(exit.usage, 'A failure is confirmed by more than one attempt.', { hint: 'give --attempts 3' })
  }
  return {
    annotatorPlace: flags.annotator === undefined ? file?.annotatorPlace() : undefined,
    ...{ ...named, annotator, preset: file?.options, policy, attempts, confirmOnFail },
    policyFile: file?.path,
    ...(await overridesOf(io, policy, file)),
    baseline: baseline === undefined ? undefined : { path: baseline, update: flags.updateBaseline === true },
    delivery: flags,
    gateExit: flags.gateExitCode ?? exit.gateFailed,
    concurrency: flags.concurrency,
  }
}

/** Patterns are read only where there are any. */
async function overridesOf(
  io: Io,
  policy: Policy,
  file: PolicyFile | undefined,
): Promise<Pick<Setup, 'rulesFor' | 'unmatchedPatterns'>> {
  if (policy.overrides.length === 0 || !file) return { rulesFor: () => policy, unmatchedPatterns: () => [] }
  const { rulesFor, unmatchedPatterns } = await import('../../checks/policy/overrides.js')
  const ground = { folder: file.folder, resolve: io.resolve }
  return { rulesFor: rulesFor(policy, ground), unmatchedPatterns: (paths) => unmatchedPatterns(policy, ground, paths) }
}
