import { dirname, join, relative, resolve, sep } from 'node:path'
import { pointerOf, startOfJson } from '@svc/text'
import { locate } from '@svc/transcripts'
import { CheckError } from '../check-error.js'
import { type FileKind, type Files, parseExport, parseFile, textOf } from '../files.js'
import { type CheckRule, type CustomRules, rulesOf, runCodePolicy } from '../rules/index.js'
import { digestOf } from '../values.js'
import { policyChecks } from './flaws.js'
import type { Policy } from './in-force.js'
import { namesInPolicy, type ReadPolicy } from './schema.js'

export const policyNames = [
  'svc.checks.json',
  'svc.checks.ts',
  'svc.checks.mts',
  'svc.checks.js',
  'svc.checks.mjs',
] as const

export type FilePolicy = Partial<Policy>

/** A policy file. Its paths are relative to the working directory. */
export interface PolicyFile extends FoundPolicy {
  /** Absolute; overrides are relative to it. */
  folder: string
  /** The rules, without defaults. */
  policy: Partial<Policy>
  /** The functions of a policy in code. */
  rules: ReadonlyMap<string, CheckRule>
  /** The id of the annotator. */
  annotator: string | undefined
  /** `path:line:column` and the JSON pointer. */
  annotatorPlace(): string
  /** Annotation options. */
  options: Record<string, unknown> | undefined
  /** The paths to check. */
  paths: string[] | undefined
  /** Patterns of files to skip. */
  exclude: string[] | undefined
  /** The file of the baseline. */
  baseline: string | undefined
  /** How often each transcript is annotated. */
  attempts: number | undefined
  /** Repeat only transcripts that fail at first. */
  confirmOnFail: boolean | undefined
}

/** A policy file that was found and not yet read as a policy. */
export interface FoundPolicy {
  /** As it was named or found. */
  path: string
  /** SHA-256 in hex. */
  hash: string
  /** It is a program, not JSON. */
  isCode: boolean
}

const kind: FileKind = {
  what: 'the policy',
  code: 'invalid_policy',
  hint: 'correct the file, name another one with --policy, or leave it out with --no-policy',
}

/**
 * The policy file that is named, or the nearest one from the working directory up to the root of the repository.
 * `false` names none.
 *
 * @throws {CheckError} if a named file cannot be read, or if a folder has two policies
 */
export async function findPolicyFile(
  files: Files,
  named: string | false | undefined,
): Promise<(FoundPolicy & { text: string }) | undefined> {
  if (named === false) return undefined
  const [path, ...others] = named === undefined ? nearestPolicies(files) : [named]
  if (others.length > 0) {
    throw new CheckError('invalid_policy', `${dirname(path ?? '')} has several policies.`, {
      details: [path ?? '', ...others],
      hint: 'remove all but one, or name one with --policy',
    })
  }
  const text = path === undefined ? undefined : await textOf(files, path, kind)
  if (path !== undefined && text !== undefined)
    return { path, text, hash: digestOf(text), isCode: /\.[cm]?[jt]s$/.test(path) }
  if (named === undefined) return undefined
  throw new CheckError('unreadable_file', `${named}: there is no such policy file.`, {
    hint: `give the path of a policy file; without --policy, svc searches this folder and those above it for ${policyNames.join(', ')}`,
  })
}

function nearestPolicies({ resolve, isThere }: Files): string[] {
  for (let folder = resolve('.'); ; folder = dirname(folder)) {
    const found = policyNames.map((name) => join(folder, name)).filter((path) => isThere(path))
    if (found.length > 0 || folder === dirname(folder) || isThere(join(folder, '.git'))) return found
  }
}

/**
 * Read a policy file, as `findPolicyFile` finds it. A policy in code is run, once `mayRun` allows it.
 *
 * @throws {CheckError} with the place of each problem
 */
export async function readPolicyFile(
  files: Files,
  named: string | false | undefined,
  mayRun: (found: FoundPolicy) => Promise<void>,
): Promise<PolicyFile | undefined> {
  const found = await findPolicyFile(files, named)
  if (!found) return undefined
  const { path, text } = found
  if (!found.isCode) {
    const policy = await parseFile(found, policyChecks, namesInPolicy, kind)
    refuseDoubles(path, text)
    return policyFileOf(files, found, policy, new Map())
  }
  await mayRun(found)
  const { json, rules } = await runCodePolicy(files.resolve(path), path)
  return policyFileOf(files, found, parseExport({ path, value: json }, policyChecks, namesInCode, kind), rules)
}

/**
 * A policy that a program gives as a value, with functions as its rules. Its paths and patterns are relative to the working
 * directory.
 *
 * @throws {CheckError} with the JSON pointer of each problem
 */
export function policyOfValue({ rules, ...json }: { rules?: unknown }, files: Files): PolicyFile {
  const text = JSON.stringify(json)
  const found = { path: files.resolve('policy'), text, hash: digestOf(text), isCode: true }
  const policy = parseExport({ path: 'check', value: json }, policyChecks, namesInCode, {
    ...kind,
    hint: 'correct the policy',
  })
  return policyFileOf(files, found, policy, rulesOf(rules ?? {}, 'check'))
}

const namesInCode = (path: readonly PropertyKey[]): string[] => [
  ...namesInPolicy(path),
  ...(path.length === 0 ? ['rules'] : []),
]

function refuseDoubles(path: string, text: string): void {
  const doubles = doubleNames(text)
  if (doubles.length === 0) return
  throw new CheckError(kind.code, `${path}: ${kind.what} cannot be used.`, {
    details: doubles.map(({ pointer, line, column }) => `${path}:${line}:${column} ${pointer} is given twice`),
    hint: kind.hint,
  })
}

function policyFileOf(
  files: Pick<Files, 'resolve'>,
  { path, text, hash, isCode }: FoundPolicy & { text: string },
  policy: ReadPolicy,
  rules: CustomRules,
): PolicyFile {
  const folder = dirname(files.resolve(path))
  const fromHere = (other: string) => relative(files.resolve('.'), resolve(folder, other)).split(sep).join('/') || '.'
  // A pattern without a slash matches names in every folder.
  const patternFromHere = (pattern: string) => (/[^/]\/[^/]/.test(pattern) ? fromHere(pattern) : pattern)
  const { $schema, annotator, options, paths, exclude, baseline, attempts, confirmOnFail, deadline, ...keys } = policy
  return {
    path,
    hash,
    isCode,
    folder,
    policy: {
      ...(defined({ ...keys, deadlineMs: deadline, overrides: keys.overrides?.map(defined) }) as FilePolicy),
      ...(rules.size > 0 && { custom: { rules: [...rules.keys()], sha256: hash } }),
    },
    rules,
    annotator,
    options,
    attempts,
    confirmOnFail,
    annotatorPlace: () => {
      if (isCode) return `${path} /annotator`
      const { line, column } = locate(text, { record: 1, offset: startOfJson(text), pointer: '/annotator' })
      return `${path}:${line}:${column} /annotator`
    },
    paths: paths?.map((path) => (path.startsWith('!') ? `!${patternFromHere(path.slice(1))}` : fromHere(path))),
    exclude: exclude?.map(patternFromHere),
    baseline: baseline === undefined ? undefined : fromHere(baseline),
  }
}

/** An object without its undefined fields, which a policy in code may have. */
const defined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

interface Frame {
  /** The names so far; undefined in a list. */
  names: Set<string> | undefined
  /** The current name or index. */
  step: string | number
}

const tokens = /"(?:[^"\\]|\\(?:.|$))*(?:"|$)|[{}[\],:]/gs

/** The repeated names of objects: a JSON parser keeps the last of two equal ones in silence. */
function doubleNames(text: string) {
  const doubles: { pointer: string; line: number; column: number }[] = []
  const frames: Frame[] = []
  let isName = false
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const frame = frames.at(-1)
    if (token === '{' || token === '[') frames.push({ names: token === '{' ? new Set() : undefined, step: 0 })
    else if (token === '}' || token === ']') frames.pop()
    else if (token === ',' && frame && !frame.names) frame.step = Number(frame.step) + 1
    else if (isName && frame?.names && token !== ',') {
      const name = JSON.parse(token) as string
      frame.step = name
      if (frame.names.has(name))
        doubles.push({ pointer: pointerOf(frames.map(({ step }) => step)), ...placeAt(text, index) })
      frame.names.add(name)
    }
    isName = token === '{' || token === ','
  }
  return doubles
}

/** Line and column from 1, in characters. */
function placeAt(text: string, index: number) {
  const lines = text.slice(0, index).split(/\r\n|[\r\n]/)
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}
