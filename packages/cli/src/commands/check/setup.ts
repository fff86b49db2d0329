import type { Policy, Rules } from '../../checks/policy.js'
import type { Attempts } from '../../checks/votes.js'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Target } from '../../reports/targets.js'
import type { CheckFlags } from './check-flags.js'
import { policyOf } from './policy-flags.js'

/** What a check is asked to do, by flags and policy. */
export interface Setup extends Attempts {
  paths: readonly string[]
  annotator: string
  /** Request options of the policy. */
  preset: Record<string, unknown> | undefined
  policy: Policy
  rulesFor(path: string): Rules
  baseline: { path: string; update: boolean } | undefined
  targets: readonly Target[]
  /** What a check that failed ends with. */
  gateExit: number
}

/** Puts flags and policy together; what is missing in both is a usage error. */
export async function setUp(_context: Context, paths: readonly string[], flags: CheckFlags): Promise<Setup> {
  const policy = policyOf(flags)
  if (paths.length === 0) {
    throw new CliError(exit.usage, 'No transcripts are named.', {
      hint: 'give files, directories, or - for standard input; or name them as "paths" in a policy',
    })
  }
  if (flags.annotator === undefined) {
    throw new CliError(exit.usage, 'No annotator is named.', {
      hint: 'give --annotator, or "annotator" in a policy; `svc annotators list` shows them',
    })
  }
  if (flags.updateBaseline && flags.baseline === undefined) {
    throw new CliError(exit.usage, '--update-baseline needs to know which baseline.', { hint: 'give --baseline FILE' })
  }
  if (flags.confirmOnFail && (flags.attempts ?? 1) < 2) {
    throw new CliError(exit.usage, '--confirm-on-fail needs more than one attempt.', { hint: 'give --attempts 3' })
  }
  return {
    paths,
    annotator: flags.annotator,
    preset: undefined,
    policy,
    rulesFor: () => policy,
    baseline:
      flags.baseline === undefined ? undefined : { path: flags.baseline, update: flags.updateBaseline === true },
    targets: flags.report ?? [],
    gateExit: flags.gateExitCode ?? exit.gateFailed,
    attempts: flags.attempts ?? 1,
    confirmOnFail: flags.confirmOnFail === true,
  }
}
