import type { Clock } from '@svc/client'
import { nodeFiles } from '../environment.js'
import type { Files } from '../files.js'
import { isPolicyFile, type PolicyFile, policyOfValue } from '../policy/index.js'
import type { Checked, CheckRule, Checks } from '../rules/index.js'

/** A rule that a program passes: as one of a policy file, and it may be async. */
export type ProgramRule = (checked: Checked) => ReturnType<CheckRule> | Promise<ReturnType<CheckRule>>

/** A policy of a program: the names of `svc.checks.json`, and functions as rules. */
export interface CheckPolicy extends Omit<Checks, 'rules'> {
  /** Rules by name. A name must not be that of a signal of the annotator. */
  rules?: Record<string, ProgramRule> | undefined
}

/**
 * A policy of a program, as `readPolicy` gives one. Its patterns are relative to the working directory.
 *
 * @throws {CheckError} for a value that is no policy
 */
export const policyFrom = (
  policy: CheckPolicy | PolicyFile,
  clock?: Clock,
  files: Pick<Files, 'resolve'> = nodeFiles,
): PolicyFile => (isPolicyFile(policy) ? policy : policyOfValue(policy, files, clock))
