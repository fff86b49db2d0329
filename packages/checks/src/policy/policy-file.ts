import { dirname, relative, resolve, sep } from 'node:path'
import { type Clock, systemClock } from '@svc/client'
import { checkValue, pointerOf } from '@svc/text'
import { CheckError } from '../check-error.js'
import { type Files, parseFile, valid } from '../files.js'
import {
  type CheckRule,
  type CustomRules,
  defaultRuleMs,
  type IsolatedPolicy,
  type IsolationOptions,
  isolate,
  isolationOf,
  limited,
  policyData,
  refusePolicy,
} from '../rules/index.js'
import { digestOf } from '../values.js'
import { extendedBy, kind, type PolicyPart, placeIn } from './extended.js'
import { type FoundPolicy, findPolicyFile, foundOf, type PolicyPlace } from './find.js'
import { policyChecks, policyShape } from './flaws.js'
import type { Policy } from './in-force.js'
import { namesInPolicy, type ReadPolicy } from './schema.js'

/** The rules of a policy file, without defaults. */
export type FilePolicy = Partial<Policy>

/** How files that match a pattern are read. */
export interface ReadingRule {
  files: string[]
  /** The columns or fields of the parts of a message, as the option `columns` of `parse`. */
  map?: Record<string, string> | undefined
  /** The files of formats of your own. They are programs. */
  importer?: string[] | undefined
}

/** A policy file. Its paths are relative to the working directory. */
export interface PolicyFile extends FoundPolicy {
  /** Absolute; overrides are relative to it. */
  folder: string
  /** The absolute paths of the policy and of those that it extends. */
  policies: readonly string[]
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
  /** How files that match a pattern are read. `check()` gets transcripts that are read already, and does not use it. */
  reading: ReadingRule[] | undefined
  /** Patterns of files to skip. */
  exclude: string[] | undefined
  /** The file of the baseline. */
  baseline: string | undefined
  /** The file of the report that a check is compared with. */
  against: string | undefined
  /** That report may be missing. */
  allowMissing: boolean | undefined
  /** How often each transcript is annotated. */
  attempts: number | undefined
  /** Repeat only transcripts that fail at first. */
  confirmOnFail: boolean | undefined
  /** Rejects with a `CheckError` if code of the policy failed outside of a rule. */
  verify(): Promise<void>
  /** End the code of the policy. Resolves with false if a call of the system keeps it. */
  close(): Promise<boolean>
}

/** The policies that are checked. An object that only looks like one would count as a policy without rules. */
const policyFiles = new WeakSet<object>()

export const isPolicyFile = (value: unknown): value is PolicyFile =>
  typeof value === 'object' && value !== null && policyFiles.has(value)

/** Frozen, because a change would not be checked. */
function checkedPolicy(file: PolicyFile): PolicyFile {
  policyFiles.add(file)
  return Object.freeze(file)
}

/** A policy file with other rules in force, such as those that the flags of a command override. */
export const withRules = (file: PolicyFile, policy: FilePolicy): PolicyFile => checkedPolicy({ ...file, policy })

/** Called before a file is used, and again for each that a program extends; rejects for a file that must not be used. */
export type MayUse = (policy: FoundPolicy, root: FoundPolicy) => Promise<void>

/**
 * Read a policy file, as `findPolicyFile` finds it, with those that it extends. Programs are run in a thread, once `mayUse`
 * allows it.
 *
 * @throws {CheckError} with the place of each problem
 */
export async function readPolicyFile(
  files: Files,
  place: PolicyPlace,
  mayUse: MayUse,
  isolation: IsolationOptions = {},
): Promise<PolicyFile | undefined> {
  const root = await findPolicyFile(files, place)
  if (!root) return undefined
  await mayUse(root, root)
  const layers: Layer[] = []
  const used = new Set(root.files)
  try {
    for (let open = root.parts; open.length > 0; ) {
      const isAlone = layers.length === 0 && open.length === 1
      for (const part of open) layers.push(await layerOf(files, part, isAlone, isolation))
      const { part, json } = layers.at(-1) as Layer
      const parts = layers.map((layer) => layer.part)
      const next = part.isCode ? await extendedBy(files, parts, json.extends, root.bounds) : undefined
      const base = next && (await foundOf(files, next, root.bounds))
      if (base) await mayUse(base, root)
      for (const path of base?.files ?? []) used.add(path)
      open = base?.parts ?? []
    }
    return policyFileOf(files, { ...root, files: [...used] }, layers)
  } catch (error) {
    await closeAll(layers)
    throw error
  }
}

/** A file of a policy, read alone. */
interface Layer {
  part: PolicyPart
  json: Record<string, unknown>
  isolated?: IsolatedPolicy
}

const closeAll = async (layers: readonly Layer[]): Promise<boolean> =>
  (await Promise.all(layers.map(({ isolated }) => isolated?.close() ?? true))).every(Boolean)

/** `isAlone`: it extends nothing, and nothing extends it, so that its keys can be checked together. */
async function layerOf(files: Files, part: PolicyPart, isAlone: boolean, isolation: IsolationOptions): Promise<Layer> {
  const { path, text, isCode } = part
  if (isCode) {
    const isolated = await isolate(files.resolve(path), path, isolation)
    const layer = { part, json: isolated.json, isolated }
    const placeOf = (pointer: string) => ({ ...placeIn(part, pointer), text: `${path} ${pointer} ` })
    try {
      valid(checkValue(layer.json, isAlone ? policyChecks : policyShape, namesInCode, placeOf), path, kind)
      return layer
    } catch (error) {
      await closeAll([layer])
      throw error
    }
  }
  await parseFile(part, isAlone ? policyChecks : policyShape, namesInPolicy, kind)
  refuseDoubles(path, text)
  return { part, json: JSON.parse(text) }
}

/** The keys of all files: those of a file override those of the one that it extends, and objects are merged by name. */
function mergedOf(layers: readonly Layer[]): { policy: ReadPolicy; partOf(key: string): PolicyPart } {
  const merged: Record<string, unknown> = {}
  const parts = new Map<string, PolicyPart>()
  for (const { part, json } of layers.toReversed())
    for (const [key, value] of Object.entries(defined(json))) {
      if (key === 'extends') continue
      merged[key] = isObject(value) && isObject(merged[key]) ? { ...merged[key], ...value } : value
      parts.set(key, part)
    }
  const [root] = layers.map(({ part }) => part) as [PolicyPart]
  const partOf = (key: string) => parts.get(key) ?? root
  const placeOf = (pointer: string) => {
    const place = placeIn(partOf(pointer.split('/')[1] ?? ''), pointer)
    return { ...place, text: `${place.text} ` }
  }
  const names = layers.some(({ part }) => part.isCode) ? namesInCode : namesInPolicy
  return { policy: valid(checkValue(merged, policyChecks, names, placeOf), root.path, kind), partOf }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A timer of a longer time would fire at once. */
const longestMs = 2 ** 31 - 1

function policyFileOf(files: Files, root: FoundPolicy, layers: readonly Layer[]): PolicyFile {
  const { policy, partOf } = mergedOf(layers)
  const ms = Math.min(policy.ruleTimeout ?? defaultRuleMs, longestMs)
  const rules = new Map(
    layers
      .toReversed()
      .flatMap(({ isolated }) => (isolated?.names ?? []).map((name) => [name, isolated?.rule(name, ms)])) as [
      string,
      CheckRule,
    ][],
  )
  return checkedPolicy({
    ...inUse(files, root, policy, rules),
    policies: layers.map(({ part }) => files.resolve(part.path)),
    annotatorPlace: () => placeIn(partOf('annotator'), '/annotator').text,
    async verify() {
      for (const { isolated } of layers) await isolated?.verify()
    },
    close: () => closeAll(layers),
  })
}

/**
 * A policy that a program gives as a value, with functions as its rules. Its paths and patterns are relative to the working
 * directory.
 *
 * @throws {CheckError} with the JSON pointer of each problem
 */
export function policyOfValue(
  given: unknown,
  files: Pick<Files, 'resolve'>,
  clock: Pick<Clock, 'after'> = systemClock,
): PolicyFile {
  const data = policyData(given)
  if ('problems' in data) refusePolicy('check', data.problems)
  const { json, rules } = data
  const path = files.resolve('policy')
  const root = { path, hash: digestOf(JSON.stringify(json)), isCode: true, files: [] }
  const policy = valid(checkValue(json, policyChecks, namesInCode), 'check', { ...kind, hint: 'correct the policy' })
  if (policy.extends !== undefined)
    throw new CheckError('invalid_policy', 'check: the policy cannot be used.', {
      details: ['/extends works only in a policy file'],
      hint: 'read the file with readPolicy',
    })
  const ms = Math.min(policy.ruleTimeout ?? defaultRuleMs, longestMs)
  const isolated = new Set([...rules.values()].flatMap((run) => isolationOf(run) ?? []))
  return checkedPolicy({
    ...inUse(
      files,
      root,
      policy,
      new Map([...rules].map(([rule, run]) => [rule, isolationOf(run) ? run : limited(run, ms, clock)])),
    ),
    policies: [],
    annotatorPlace: () => `${path} /annotator`,
    async verify() {
      for (const each of isolated) await each.verify()
    },
    // The rules belong to the program, which may use them again.
    close: async () => true,
  })
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

/** The keys of a policy as they are used: its paths from the working directory. */
function inUse(
  files: Pick<Files, 'resolve'>,
  { path, hash, isCode, files: policyFiles }: FoundPolicy,
  policy: ReadPolicy,
  rules: CustomRules,
): Omit<PolicyFile, 'policies' | 'annotatorPlace' | 'verify' | 'close'> {
  const folder = dirname(files.resolve(path))
  const fromHere = (other: string) => relative(files.resolve('.'), resolve(folder, other)).split(sep).join('/') || '.'
  // A pattern without a slash matches names in every folder.
  const patternFromHere = (pattern: string) => (/[^/]\/[^/]/.test(pattern) ? fromHere(pattern) : pattern)
  const { $schema, extends: base, annotator, options, paths, reading, exclude, baseline, against, ...more } = policy
  const { attempts, confirmOnFail, allowMissing, deadline, ruleTimeout, ...keys } = more
  return {
    ...{ path, hash, isCode, files: policyFiles, folder },
    policy: {
      ...(defined({ ...keys, deadlineMs: deadline, overrides: keys.overrides?.map(defined) }) as FilePolicy),
      ...(rules.size > 0 && { custom: { rules: [...rules.keys()], sha256: hash } }),
    },
    ...{ rules, annotator, options, attempts, confirmOnFail },
    paths: paths?.map((path) => (path.startsWith('!') ? `!${patternFromHere(path.slice(1))}` : fromHere(path))),
    reading: reading?.map(({ files, map, importer }) => ({
      files: files.map(patternFromHere),
      ...(map && { map }),
      ...(importer && { importer: importer.map(fromHere) }),
    })),
    exclude: exclude?.map(patternFromHere),
    baseline: baseline === undefined ? undefined : fromHere(baseline),
    against: against === undefined ? undefined : fromHere(against),
    allowMissing,
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
