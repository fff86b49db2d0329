import { createRequire } from 'node:module'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { parseJson, startOfJson } from '@svc/text'
import { locate } from '@svc/transcripts'
import { CheckError } from '../check-error.js'
import { type FileKind, type Files, isInside, readText } from '../files.js'

/** The names of the policy files that are found, in this order. */
export const policyNames = [
  'svc.checks.json',
  'svc.checks.ts',
  'svc.checks.mts',
  'svc.checks.js',
  'svc.checks.mjs',
] as const

/** A file of a policy: itself, or one that it extends. */
export interface PolicyPart {
  path: string
  text: string
  isCode: boolean
}

export const kind: FileKind = {
  what: 'the policy',
  code: 'invalid_policy',
  hint: 'correct the file, or name another one with --policy',
}

/** The file at a path; undefined if there is none. */
export async function partAt(files: Files, path: string): Promise<PolicyPart | undefined> {
  const text = await readText(files, path, kind)
  return text === undefined ? undefined : { path, text, isCode: /\.[cm]?[jt]s$/.test(path) }
}

/** `path:line:column` of a JSON pointer in a file; of a program, its path. */
export function placeIn({ path, text, isCode }: PolicyPart, pointer: string) {
  if (isCode) return { line: 0, column: 0, text: `${path} ${pointer}` }
  const { line, column } = locate(text, { record: 1, offset: startOfJson(text), pointer })
  return { line, column, text: `${path}:${line}:${column} ${pointer}` }
}

/** The real paths of folders. */
export type Bounds = readonly string[]

export const placesText = 'the folder of the policy, the working directory and the repository'

/** True for a file in one of the folders, also through links. Packages may be in any `node_modules`. */
export async function isWithin(files: Files, bounds: Bounds, path: string, isPackage = false): Promise<boolean> {
  const real = await realPlace(files, path)
  return (isPackage && isInPackage(real)) || bounds.some((folder) => isInside(folder, real))
}

const isInPackage = (real: string): boolean => /[\\/]node_modules[\\/]/.test(real)

/** The real path of a file, also of one that is missing. */
export async function realPlace(files: Files, path: string): Promise<string> {
  const { realPath = async (each: string) => each } = files
  const absolute = files.resolve(path)
  return realPath(absolute).catch(async () =>
    absolute === dirname(absolute) ? absolute : join(await realPlace(files, dirname(absolute)), basename(absolute)),
  )
}

/** The most policies that extend each other. */
const mostParts = 20

/**
 * A file, and those that it extends, as far as that is known before a program is run: each after the one that extends it.
 *
 * @throws {CheckError} with the place of a target that is missing or leads back
 */
export async function withExtended(files: Files, part: PolicyPart, bounds: Bounds | undefined): Promise<PolicyPart[]> {
  const parts = [part]
  for (let last = part; !last.isCode; ) {
    const json = parseJson(last.text)?.value
    const next = await extendedBy(files, parts, Object(json).extends, bounds)
    if (!next) break
    parts.push(next)
    last = next
  }
  return parts
}

/**
 * The file that the last of some files extends; undefined without a target that is a text. Not read if it is out of bounds.
 *
 * @throws {CheckError} with the place of a target that is missing, leads back, or is out of bounds
 */
export async function extendedBy(
  files: Files,
  parts: readonly PolicyPart[],
  target: unknown,
  bounds: Bounds | undefined,
): Promise<PolicyPart | undefined> {
  const last = parts.at(-1)
  if (!last || typeof target !== 'string' || target === '') return undefined
  const refused = (what: string, hint: string) =>
    new CheckError('invalid_policy', `${last.path}: the policy cannot be used.`, {
      details: [`${placeIn(last, '/extends').text} ${what}`],
      hint,
    })
  const isPath = /^\.{1,2}(?:[/\\]|$)/.test(target) || isAbsolute(target)
  const path = isPath ? pathFrom(last.path, target) : packagePolicy(files.resolve(last.path), target)
  const isBack = path !== undefined && parts.some((each) => files.resolve(each.path) === files.resolve(path))
  if (isBack || parts.length >= mostParts)
    throw refused(`leads back to ${path ?? target}`, 'remove "extends" from one of the files')
  const isOfPackage = async () => !isPath || isInPackage(await realPlace(files, last.path))
  if (bounds && path !== undefined && !(await isWithin(files, bounds, path, await isOfPackage())))
    throw refused(
      `names ${JSON.stringify(target)}, which is outside of ${placesText}`,
      'move the file into the repository, or name the policy with --policy',
    )
  const next = path === undefined ? undefined : await partAt(files, path)
  if (next) return next
  throw refused(
    `names ${JSON.stringify(target)}, and there is no such ${isPath ? 'file' : 'package'}`,
    isPath
      ? 'correct the path: it begins in the folder of the file'
      : 'install the package; the path of a file begins with ./ or ../',
  )
}

const pathFrom = (path: string, target: string): string => (isAbsolute(target) ? target : join(dirname(path), target))

/** The main file of a package, or the policy in its folder; undefined if there is none. */
function packagePolicy(from: string, name: string): string | undefined {
  const { resolve } = createRequire(from)
  for (const each of [name, ...policyNames.map((file) => `${name}/${file}`)]) {
    try {
      const path = resolve(each)
      // The name of a module of Node.
      if (isAbsolute(path)) return path
    } catch {}
  }
  return undefined
}
