import { dirname, join, relative, sep } from 'node:path'
import { parseJson } from '@svc/text'
import { CheckError } from '../check-error.js'
import { type Files, isInside } from '../files.js'
import { digestOf } from '../values.js'
import {
  type Bounds,
  isWithin,
  type PolicyPart,
  partAt,
  placesText,
  policyNames,
  realPlace,
  withExtended,
} from './extended.js'
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
  /** The folders that the files which it extends must be in; undefined for a policy that was named. */
  bounds: Bounds | undefined
}

/**
 * The path of a policy file, `false` for none, or the paths to check: their policy is searched, as `findPolicyFile` says.
 * Undefined is no path.
 */
export type PolicyPlace = string | false | readonly string[] | undefined

/**
 * The policy file that is named. Or, for paths to check, that of the folder among them which holds them; without one, the
 * nearest policy from the working directory up to the root of the repository; without a repository, that of the working
 * directory.
 *
 * @throws {CheckError} if a file cannot be read, also behind a link, if a folder has two policies, if paths have different
 * ones, or if a policy that was found leads out of its repository
 */
export async function findPolicyFile(files: Files, place: PolicyPlace): Promise<PolicyParts | undefined> {
  if (place === false) return undefined
  const isNamed = typeof place === 'string'
  const [path, ...others] = isNamed ? [place] : policiesFor(files, place ?? [])
  if (path === undefined) return undefined
  if (others.length > 0) {
    throw new CheckError('invalid_policy', `${dirname(path)} has several policies.`, {
      details: [path, ...others],
      hint: 'remove all but one, or name one with --policy',
    })
  }
  const bounds = isNamed ? undefined : await boundsOf(files, path)
  if (bounds && !(await isWithin(files, bounds, path)))
    throw new CheckError(
      'invalid_policy',
      `${path}: cannot read the policy: it is a link to a file outside of ${placesText}.`,
      {
        hint: 'name the file with --policy',
      },
    )
  const part = await partAt(files, path)
  if (part) return foundOf(files, part, bounds)
  throw isNamed
    ? new CheckError('unreadable_file', `${path}: there is no such policy file.`, {
        hint: `give the path of a policy file; without --policy, svc searches the folders that you name, this folder, and those above it in the repository for ${policyNames.join(', ')}`,
      })
    : new CheckError('unreadable_file', `${path}: cannot read the policy: the target of the link does not exist.`, {
        hint: 'restore the target of the link, or name another file with --policy',
      })
}

/** A file with all that belongs to it. */
export async function foundOf(files: Files, part: PolicyPart, bounds: Bounds | undefined): Promise<PolicyParts> {
  const parts = await withExtended(files, part, bounds)
  const texts = new Map(parts.map(({ path, text }) => [files.resolve(path), text]))
  for (const each of parts.filter(({ isCode }) => isCode))
    for (const [path, text] of await localImports(files, each)) texts.set(path, text)
  // Their paths begin in the folder of the first policy.
  for (const { text } of parts.filter((each) => !each.isCode))
    for (const [path, program] of await importerFiles(files, { path: part.path, text })) texts.set(path, program)
  const folder = dirname(files.resolve(part.path))
  // Relative, so that it is the same on every machine.
  const contents = [...texts].map(([path, text]) => [relative(folder, path).split(sep).join('/'), digestOf(text)])
  return {
    path: part.path,
    hash: contents.length === 1 ? digestOf(part.text) : digestOf(contents),
    isCode: parts.some(({ isCode }) => isCode),
    files: [...texts.keys()],
    parts,
    bounds,
  }
}

/**
 * The programs that a policy or a settings file names as importers, and the local files that they import, with their texts by absolute
 * path: trust in the file covers them. An invalid file names none; it is refused where it is read.
 */
export function importerFiles(
  files: Files,
  { path, text }: { path: string; text: string },
): Promise<ReadonlyMap<string, string>> {
  const { reading = [] } = Object(parseJson(text)?.value) as { reading?: unknown }
  const named = [reading].flat().flatMap((rule) => [Object(rule).importer ?? []].flat().map(String))
  const isPath = (name: string) => /^\.{0,2}\/|^[A-Za-z]:/.test(name)
  const imports = named.map((name) => `import ${JSON.stringify(isPath(name) ? name : `./${name}`)}`)
  return localImports(files, { path, text: imports.join('\n') })
}

/** The policies of the paths to check: several of one folder, or none. */
function policiesFor(files: Files, paths: readonly string[]): string[] {
  const above = searchedFolders(files).map((folder) => policiesIn(files, folder))
  const nearest = above.find((policies) => policies.length > 0) ?? []
  const inFolders = new Map(paths.map((path) => [files.resolve(path), policiesIn(files, files.resolve(path))]))
  const policiesOf = (path: string): string[] => {
    for (let at = files.resolve(path); path !== '-'; at = dirname(at)) {
      const policies = inFolders.get(at) ?? []
      if (policies.length > 0) return policies
      if (at === dirname(at)) break
    }
    return nearest
  }
  const [first, ...others] = paths.map((path) => ({ path, policies: policiesOf(path) }))
  if (!first) return nearest
  if (others.every(({ policies }) => policies.join() === first.policies.join())) return first.policies
  throw new CheckError('invalid_policy', 'The paths have different policies.', {
    details: [first, ...others].map(({ path, policies }) => `${path}: ${policies.join(', ') || 'no policy'}`),
    hint: 'check each folder on its own, or name one policy for all with --policy',
  })
}

const policiesIn = ({ isThere, isNamed = isThere }: Files, folder: string): string[] =>
  policyNames.map((name) => join(folder, name)).filter((path) => isNamed(path))

/** The working directory and those above it up to the root of the repository; without a repository, it alone. */
function searchedFolders(files: Files): string[] {
  const here = files.resolve('.')
  const root = repositoryOf(files, here) ?? here
  const folders = [here]
  for (let at = here; at !== root; at = dirname(at)) folders.push(dirname(at))
  return folders
}

function repositoryOf({ isThere, isNamed = isThere }: Files, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (isNamed(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}

async function boundsOf(files: Files, policy: string): Promise<Bounds> {
  const folder = dirname(files.resolve(policy))
  const repository = repositoryOf(files, folder)
  const folders = [folder, files.resolve('.'), ...(repository === undefined ? [] : [repository])]
  return Promise.all(folders.map((each) => realPlace(files, each)))
}

/** Files that look like a policy and are not `used`: in the folders that are searched, and above the paths and the working directory. */
export async function unreadPolicies(
  files: Files & { readDirectory(path: string): Promise<readonly { name: string }[]> },
  paths: readonly string[],
  used: readonly string[],
): Promise<string[]> {
  const searched = searchedFolders(files)
  const here = files.resolve('.')
  const above = new Set<string>()
  // Without a repository, these are not searched.
  if (repositoryOf(files, here) === undefined)
    for (let at = here; at !== dirname(at); at = dirname(at)) above.add(dirname(at))
  for (const path of paths.filter((each) => each !== '-'))
    for (let at = dirname(files.resolve(path)); !isInside(at, here) && !above.has(at); at = dirname(at)) above.add(at)
  const unread: string[] = []
  for (const folder of [...searched, ...above]) {
    const entries = await files.readDirectory(folder).catch(() => [])
    const isRead = (name: string) => !above.has(folder) && (policyNames as readonly string[]).includes(name)
    const names = entries.map(({ name }) => name).filter((name) => looksLikePolicy(name) && !isRead(name))
    unread.push(...names.map((name) => join(folder, name)).filter((path) => !used.includes(path)))
  }
  return unread.map((path) => relative(here, path)).sort()
}

/** True for the name of a policy, also in other spellings and with endings that are not read. */
export const looksLikePolicy = (name: string): boolean =>
  /^\.?svc[._-]?(?:checks?|policy)\.(?:json[c5]?|ya?ml|toml|[cm]?[jt]sx?)$/i.test(name)
