import { dirname, join, relative, sep } from 'node:path'
import { locate } from '@svc/transcripts'
import { parseDuration } from '../../duration.js'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io.js'
import { nearestUpwards } from '../../settings/folders.js'
import { checked, startOf, textOf } from '../../settings/read-file.js'
import { doubleNames } from './double-names.js'
import type { Override, Policy, Rate, Rules } from './policy.js'
import type { PolicyJson } from './policy-shape.js'
import { parseShare } from './share.js'

export const policyFileName = 'svc.checks.json'

/** What a file says of the policy; what it does not name is not there. With `none` no outcome fails by itself. */
export type FilePolicy = Partial<Policy>

/** A policy file. Paths in it are given from the working directory. */
export interface PolicyFile {
  path: string
  /** SHA-256 of its text, hex. */
  hash: string
  /** Absolute; the patterns of the overrides start from it. */
  folder: string
  policy: FilePolicy
  annotator: string | undefined
  /** Where it names the annotator: `path:line:column` and the pointer. */
  annotatorPlace(): string
  /** Annotation options. */
  options: Record<string, unknown> | undefined
  /** What is checked where the command line names nothing. */
  paths: string[] | undefined
  /** Patterns of files that are not checked. */
  exclude: string[] | undefined
  baseline: string | undefined
  attempts: number | undefined
  confirmOnFail: boolean | undefined
}

const words = {
  what: 'the policy',
  hint: 'correct the file, name another one with --policy, or leave it out with --no-policy',
}

/**
 * Reads the policy file of a check: the one that is named, else `svc.checks.json` from the working directory upwards to
 * the root of the repository. `false` is for none.
 *
 * @throws {CliError} with every place that is wrong in it; when it is named and cannot be read
 */
export async function readPolicyFile(io: Io, named: string | false | undefined): Promise<PolicyFile | undefined> {
  if (named === false) return undefined
  const path = named ?? nearestUpwards(io, policyFileName)
  const text = path === undefined ? undefined : await textOf(io, path, words)
  if (path === undefined || text === undefined) {
    if (named === undefined) return undefined
    throw new CliError(exit.input, `${named}: there is no such policy file.`, {
      hint: `give the path of one; without --policy, ${policyFileName} is looked for in this folder and those above it`,
    })
  }
  const { namesInPolicy, policyChecks } = await import('./policy-checks.js')
  const policy = await checked(path, text, policyChecks, namesInPolicy, words)
  refuseDoubles(path, text)
  const { createHash } = await import('node:crypto')
  return { ...policyFileOf(io, path, policy, text), hash: createHash('sha256').update(text).digest('hex') }
}

function refuseDoubles(path: string, text: string): void {
  const doubles = doubleNames(text)
  if (doubles.length === 0) return
  throw new CliError(exit.input, `${path}: ${words.what} cannot be used.`, {
    details: doubles.map(({ pointer, line, column }) => `${path}:${line}:${column} ${pointer} is given twice`),
    hint: words.hint,
  })
}

function policyFileOf(io: Pick<Io, 'resolve'>, path: string, json: PolicyJson, text: string): Omit<PolicyFile, 'hash'> {
  const folder = dirname(io.resolve(path))
  const fromHere = (other: string) => relative(io.resolve('.'), join(folder, other)).split(sep).join('/') || '.'
  // A pattern without a separator is for names, wherever they are.
  const patternFromHere = (pattern: string) => (/[^/]\/[^/]/.test(pattern) ? fromHere(pattern) : pattern)
  const { annotator, options, paths, exclude, baseline, attempts, confirmOnFail } = json
  return {
    ...{ path, folder, policy: filePolicyOf(json), annotator, options, attempts, confirmOnFail },
    annotatorPlace: () => {
      const { line, column } = locate(text, { record: 1, offset: startOf(text), pointer: '/annotator' })
      return `${path}:${line}:${column} /annotator`
    },
    paths: paths?.map((path) => (path.startsWith('!') ? `!${patternFromHere(path.slice(1))}` : fromHere(path))),
    exclude: exclude?.map(patternFromHere),
    baseline: baseline === undefined ? undefined : fromHere(baseline),
  }
}

function filePolicyOf(json: PolicyJson): FilePolicy {
  const { forbidden, allowed, required, indeterminate, confidence, minJudged, maxTokens, deadline } = json
  return given<FilePolicy>({
    ...{ failOn: json.failOn, forbidden, allowed, required, indeterminate, maxTokens },
    rates: json.rates?.map(rateOf),
    confidence: shareOf(confidence),
    minJudged: shareOf(minJudged),
    deadlineMs: deadline === undefined ? undefined : parseDuration(deadline),
    overrides: json.overrides?.map(overrideOf),
  })
}

/** Without what is undefined. */
const given = <Of extends object>(fields: { [Key in keyof Of]: Of[Key] | undefined }): Of =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Of

const shareOf = (share: number | string | undefined): number | undefined =>
  typeof share === 'string' ? parseShare(share) : share

const rateOf = ({ outcome, signal = '', max }: NonNullable<PolicyJson['rates']>[number]): Rate => ({
  of: outcome === undefined ? { signal } : { outcome },
  max: shareOf(max) ?? 1,
})

function overrideOf({ files, ...rest }: NonNullable<PolicyJson['overrides']>[number]): Override {
  const rules: Partial<Rules> = given(rest)
  return { files, ...rules }
}
