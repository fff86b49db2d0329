import { dirname, join, relative, sep } from 'node:path'
import { CheckError } from '../check-error.js'
import type { Files } from '../files.js'
import { digestOf } from '../values.js'
import { type PolicyPart, partAt, policyNames, withExtended } from './extended.js'
import { localImports } from './imports.js'

/** A policy file that was found and not yet read as a policy. */
export interface FoundPolicy {
  /** As it was named or found. */
  path: string
  /** SHA-256 in hex: of the file, or of the names and contents of `files` if there are several. */
  hash: string
  /** It is a program, not JSON, or extends one. */
  isCode: boolean
  /**
   * The absolute paths of the file, of those that it extends, and of the local files that programs among them import. The
   * target of a program is known only when it has run.
   */
  files: readonly string[]
}

/** A policy file with its text, and those of the files that it extends. */
export interface PolicyParts extends FoundPolicy {
  parts: readonly PolicyPart[]
}

/**
 * The policy file that is named, or the nearest one from the working directory up to the root of the repository; without a
 * repository, that of the working directory. `false` names none.
 *
 * @throws {CheckError} if a file cannot be read, also behind a link, or if a folder has two policies
 */
export async function findPolicyFile(
  files: Files,
  named: string | false | undefined,
): Promise<PolicyParts | undefined> {
  if (named === false) return undefined
  const [path, ...others] = named === undefined ? nearestPolicies(files) : [named]
  if (path === undefined) return undefined
  if (others.length > 0) {
    throw new CheckError('invalid_policy', `${dirname(path)} has several policies.`, {
      details: [path, ...others],
      hint: 'remove all but one, or name one with --policy',
    })
  }
  const part = await partAt(files, path)
  if (part) return foundOf(files, part)
  throw named === undefined
    ? new CheckError('unreadable_file', `${path}: cannot read the policy: the target of the link does not exist.`, {
        hint: 'restore the target of the link, or name another file with --policy',
      })
    : new CheckError('unreadable_file', `${named}: there is no such policy file.`, {
        hint: `give the path of a policy file; without --policy, svc searches this folder and those above it in the repository for ${policyNames.join(', ')}`,
      })
}

/** A file with all that belongs to it. */
export async function foundOf(files: Files, part: PolicyPart): Promise<PolicyParts> {
  const parts = await withExtended(files, part)
  const texts = new Map(parts.map(({ path, text }) => [files.resolve(path), text]))
  for (const each of parts.filter(({ isCode }) => isCode))
    for (const [path, text] of await localImports(files, each)) texts.set(path, text)
  const folder = dirname(files.resolve(part.path))
  // Relative, so that it is the same on every machine.
  const contents = [...texts].map(([path, text]) => [relative(folder, path).split(sep).join('/'), digestOf(text)])
  return {
    path: part.path,
    hash: contents.length === 1 ? digestOf(part.text) : digestOf(contents),
    isCode: parts.some(({ isCode }) => isCode),
    files: [...texts.keys()],
    parts,
  }
}

function nearestPolicies({ resolve, isThere, isNamed = isThere }: Files): string[] {
  const searched: string[][] = []
  for (let folder = resolve('.'); ; folder = dirname(folder)) {
    searched.push(policyNames.map((name) => join(folder, name)).filter((path) => isNamed(path)))
    if (isNamed(join(folder, '.git'))) return searched.find((found) => found.length > 0) ?? []
    if (folder === dirname(folder)) return searched[0] ?? []
  }
}
