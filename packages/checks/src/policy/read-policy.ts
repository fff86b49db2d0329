import { CheckError } from '../check-error.js'
import { nodeFiles } from '../environment.js'
import { type Files, refuseOtherPath } from '../files.js'
import type { CheckRule } from '../rules/index.js'
import { type PolicyFile, readPolicyFile } from './policy-file.js'

/** Options of `readPolicy`. */
export interface ReadPolicyOptions {
  /** Run a policy that is a program, or that extends one, in a thread. Default: false, it is refused. */
  trusted?: boolean | undefined
  /** Default: the files of the machine. */
  files?: Files | undefined
}

/**
 * Read a policy file, such as `svc.checks.json`. A missing file is an error, because a check without its policy would pass
 * what it must not. (`readBaseline` gives undefined for one: there may be no baseline yet.)
 *
 * @throws {CheckError} with the place of each problem; with the code `untrusted_policy` for a program
 */
export async function readPolicy(
  path: string,
  { trusted = false, files = nodeFiles }: ReadPolicyOptions = {},
): Promise<PolicyFile> {
  refuseOtherPath(path, 'readPolicy')
  if (typeof trusted !== 'boolean')
    throw new CheckError('invalid_option', 'readPolicy: expected trusted to be true or false.')
  const policy = await readPolicyFile(files, path, async ({ path, isCode }) => {
    if (trusted || !isCode) return
    throw new CheckError('untrusted_policy', `${path}: the policy is a program, and is not trusted.`, {
      hint: 'check the file, then read it with { trusted: true }',
    })
  })
  if (policy) return policy
  throw new CheckError('unreadable_file', `${path}: there is no such policy file.`)
}

/**
 * The functions of a policy file that is a program, by name. The file and its functions run in a thread, and each function
 * has the `ruleTimeout` of the file for a transcript. An idle thread does not keep the process.
 *
 * @throws {CheckError} if it cannot be run, or is no policy
 */
export async function rulesFrom(path: string, options: { trusted: true }): Promise<Record<string, CheckRule>> {
  return Object.fromEntries((await readPolicy(path, options)).rules)
}
