import { hash } from 'node:crypto'
import { dirname, relative, resolve, sep } from 'node:path'
import { parseDuration } from '@svc/text'
import { locate } from '@svc/transcripts'
import { checked, checkedValue, nearestOf, startOf, textOf } from '../../../cli/src/config/index.js'
import { CliError, exit } from '../../../cli/src/exit.js'
import type { Io } from '../../../cli/src/io/index.js'
import type { Override, Policy, Rate } from '../report/index.js'
import { type CustomRules, runCodePolicy } from '../rules/index.js'
import { parseShare } from './policy.js'
import { namesInPolicy, type PolicyJson, policyChecks } from './policy-shape.js'

/** The names of policies, which are searched for. */
export const policyNames = ['svc.checks.json', 'svc.checks.ts', 'svc.checks.mts', 'svc.checks.js', 'svc.checks.mjs']

export type FilePolicy = Partial<Policy>

/** A policy file. Its paths are relative to the working directory. */
export interface PolicyFile extends FoundPolicy {
  /** Absolute; overrides are relative to it. */
  folder: string
  policy: FilePolicy
  /** The functions of a policy in code. */
  rules: CustomRules
  annotator: string | undefined
  /** `path:line:column` and the JSON pointer. */
  annotatorPlace(): string
  options: Record<string, unknown> | undefined
  paths: string[] | undefined
  exclude: string[] | undefined
  baseline: string | undefined
  attempts: number | undefined
  confirmOnFail: boolean | undefined
}

/** A policy file that was found and not yet read as a policy. */
export interface FoundPolicy {
  path: string
  /** SHA-256 in hex. */
  hash: string
  /** It is a program, not JSON. */
  isCode: boolean
}

const words = {
  what: 'the policy',
  hint: 'correct the file, name another one with --policy, or leave it out with --no-policy',
}

/**
 * The policy file that is named, or the nearest one from the working directory up to the root of the repository.
 * `false` names none.
 *
 * @throws {CliError} if a named file cannot be read, or if a folder has two policies
 */
export async function findPolicyFile(
  io: Io,
  named: string | false | undefined,
): Promise<(FoundPolicy & { text: string }) | undefined> {
  if (named === false) return undefined
  const [path, ...others] = named === undefined ? nearestOf(io, policyNames) : [named]
  if (others.length > 0) {
    throw new CliError(exit.input, `${dirname(path ?? '')} has several policies.`, {
      details: [path ?? '', ...others],
      hint: 'remove all but one, or name one with --policy',
    })
  }
  const text = path === undefined ? undefined : await textOf(io, path, words)
  if (path !== undefined && text !== undefined)
    return { path, text, hash: hash('sha256', text), isCode: /\.[cm]?[jt]s$/.test(path) }
  if (named === undefined) return undefined
  throw new CliError(exit.input, `${named}: there is no such policy file.`, {
    hint: `give the path of a policy file; without --policy, svc searches this folder and those above it for ${policyNames.join(', ')}`,
  })
}

/**
 * Read a policy file, as `findPolicyFile` finds it. A policy in code is run, once `mayRun` allows it.
 *
 * @throws {CliError} with the place of each problem
 */
export async function readPolicyFile(
  io: Io,
  named: string | false | undefined,
  mayRun: (found: FoundPolicy) => Promise<void>,
): Promise<PolicyFile | undefined> {
  const found = await findPolicyFile(io, named)
  if (!found) return undefined
  const { path, text } = found
  if (!found.isCode) {
    const json = await checked(path, text, policyChecks, namesInPolicy, words)
    refuseDoubles(path, text)
    return policyFileOf(io, found, json, new Map())
  }
  await mayRun(found)
  const { json, rules } = await runCodePolicy(io.resolve(path), path)
  return policyFileOf(io, found, checkedValue(path, json, policyChecks, namesInCode, words), rules)
}

const namesInCode = (path: readonly PropertyKey[]): string[] => [
  ...namesInPolicy(path),
  ...(path.length === 0 ? ['rules'] : []),
]

function refuseDoubles(path: string, text: string): void {
  const doubles = doubleNames(text)
  if (doubles.length === 0) return
  throw new CliError(exit.input, `${path}: ${words.what} cannot be used.`, {
    details: doubles.map(({ pointer, line, column }) => `${path}:${line}:${column} ${pointer} is given twice`),
    hint: words.hint,
  })
}

function policyFileOf(
  io: Pick<Io, 'resolve'>,
  { path, text, hash, isCode }: FoundPolicy & { text: string },
  json: PolicyJson,
  rules: CustomRules,
): PolicyFile {
  const folder = dirname(io.resolve(path))
  const fromHere = (other: string) => relative(io.resolve('.'), resolve(folder, other)).split(sep).join('/') || '.'
  // A pattern without a slash matches names in every folder.
  const patternFromHere = (pattern: string) => (/[^/]\/[^/]/.test(pattern) ? fromHere(pattern) : pattern)
  const { annotator, options, paths, exclude, baseline, attempts, confirmOnFail } = json
  return {
    path,
    hash,
    isCode,
    folder,
    policy: {
      ...filePolicyOf(json),
      ...(rules.size > 0 && { custom: { rules: [...rules.keys()], sha256: hash } }),
    },
    rules,
    annotator,
    options,
    attempts,
    confirmOnFail,
    annotatorPlace: () => {
      if (isCode) return `${path} /annotator`
      const { line, column } = locate(text, { record: 1, offset: startOf(text), pointer: '/annotator' })
      return `${path}:${line}:${column} /annotator`
    },
    paths: paths?.map((path) => (path.startsWith('!') ? `!${patternFromHere(path.slice(1))}` : fromHere(path))),
    exclude: exclude?.map(patternFromHere),
    baseline: baseline === undefined ? undefined : fromHere(baseline),
  }
}

function filePolicyOf(json: PolicyJson): FilePolicy {
  const { forbidden, allowed, required, indeterminate, confidence, minJudged } = json
  const { maxTokens, maxFailures, deadline, tags, prices } = json
  return given<FilePolicy>({
    failOn: json.failOn,
    forbidden,
    allowed,
    required,
    indeterminate,
    maxTokens,
    maxFailures,
    tags,
    prices,
    rates: json.rates?.map(rateOf),
    confidence: shareOf(confidence),
    minJudged: shareOf(minJudged),
    deadlineMs: deadline === undefined ? undefined : parseDuration(deadline),
    overrides: json.overrides?.map(overrideOf),
  })
}

/** Drop undefined fields. */
const given = <Of extends object>(fields: { [Key in keyof Of]: Of[Key] | undefined }): Of =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Of

const shareOf = (share: number | string | undefined): number | undefined =>
  typeof share === 'string' ? parseShare(share) : share

const rateOf = ({ outcome, signal = '', max, by }: NonNullable<PolicyJson['rates']>[number]): Rate => ({
  of: outcome === undefined ? { signal } : { outcome },
  max: shareOf(max) ?? 1,
  ...(by !== undefined && { by }),
})

function overrideOf({ files, ...rest }: NonNullable<PolicyJson['overrides']>[number]): Override {
  return { files, ...given<Omit<Override, 'files'>>(rest) }
}

/** A repeated name of an object. Line and column count from 1, in characters. */
interface DoubleName {
  pointer: string
  line: number
  column: number
}

interface Frame {
  /** The names so far; undefined in a list. */
  names: Set<string> | undefined
  /** The current name or index. */
  step: string | number
}

const tokens = /"(?:[^"\\]|\\(?:.|$))*(?:"|$)|[{}[\],:]/gs

/** A JSON parser keeps the last of two equal names in silence. */
function doubleNames(text: string): DoubleName[] {
  const doubles: DoubleName[] = []
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
      if (frame.names.has(name)) doubles.push({ pointer: pointerOf(frames), ...placeAt(text, index) })
      frame.names.add(name)
    }
    isName = token === '{' || token === ','
  }
  return doubles
}

const pointerOf = (frames: readonly Frame[]): string =>
  frames.map(({ step }) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function placeAt(text: string, index: number): Pick<DoubleName, 'line' | 'column'> {
  const lines = text.slice(0, index).split(/\r\n|[\r\n]/)
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}
