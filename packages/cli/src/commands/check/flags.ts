import {
  type Contradiction,
  contradictionsIn,
  contradictionsWith,
  type FilePolicy,
  indeterminates,
  isDay,
  isOnScale,
  type Level,
  type Override,
  type Policy,
  type PolicyFile,
  type PolicyJson,
  parseShare,
  type Rate,
  type Rules,
  scale,
  withDefaults,
} from '@svc/checks'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AnnotateFlags } from '../../annotation-requests.js'
import { CliError, exit } from '../../exit.js'
import type { Delivery } from '../../reports.js'
import type { StoredFlags } from '../../stored.js'
import { topicGroups } from '../action.js'
import { bytes, keyValue, texts, upTo } from '../arguments.js'
import { everyday, withReports } from '../flags.js'

export interface CheckFlags extends Omit<AnnotateFlags, 'annotator'>, StoredFlags, PolicyFlags, Delivery {
  annotator?: string
  attempts?: number
  confirmOnFail?: boolean
  baseline?: string
  against?: string
  control?: number
  labels?: string
  updateBaseline?: boolean
  accept?: 'judge'
  reason?: string
  /** As in `2026-12-31`. */
  expires?: string
  gateExitCode?: number
  sample?: number
  seed?: string
  onlyFailed?: string
  /** The path of a list; `-` for standard input. */
  filesFrom?: string
  allowMissing?: boolean
  allowEmpty?: boolean
  where?: Readonly<Record<string, string>>
  /** The folder of the cache; false for none. */
  cache?: string | false
  /** In bytes. */
  cacheSize?: number
}

export const withCheck = (command: Command): Command =>
  withReports(
    command
      .addOption(everyday('--baseline <file>', 'fail only on findings that are new or worse than in this file'))
      .addOption(everyday('--update-baseline', 'accept all findings of this run into the baseline'))
      .addOption(everyday('--against <report>', 'fail if the transcripts are worse than in this JSON report')),
  )
    .optionsGroup(topicGroups.selection)
    .option('--sample <n>', 'check n transcripts, chosen by their content, or stored ones by id', upTo(Infinity))
    .option('--seed <text>', 'choose another sample of the same size (default: 0)')
    .option('--only-failed <report>', 'check what failed or was not judged in this JSON report')
    .option('--where <field=value>', 'check transcripts with this field or metadata; repeatable', condition)
    .option(
      '--files-from <file>',
      'of the files that the paths name, check those in this list, as of git diff --name-only',
    )
    .option(
      '--allow-missing',
      'skip files of the list that do not exist; compare with no report if that of --against does not',
    )
    .option('--allow-empty', 'pass if there is nothing to check, as in a hook')
    .optionsGroup(topicGroups.annotation)
    .option('--attempts <n>', 'annotate each transcript n times; it fails if at least half fail (default: 1)', upTo(9))
    .option('--confirm-on-fail', 'repeat only transcripts that fail at first; needs --attempts 2 or more')
    .option('--cache <dir>', 'directory of cached annotations (default: annotations in SVC_CACHE_DIR)')
    .option('--no-cache', 'do not read or write the cache')
    .option('--cache-size <size>', 'remove the oldest annotations beyond this size (default: 64MB)', bytes)
    .optionsGroup(topicGroups.baselines)
    .addOption(
      new Option(
        '--accept <cause>',
        'accept only what another version of the annotator fails, of what passed in the report of --against',
      ).choices(['judge']),
    )
    .option('--reason <text>', 'why the new findings are accepted; recorded with your name from git', someText)
    .option('--expires <date>', 'the last day on which they are accepted, such as 2026-12-31', day)
    .option('--labels <file>', 'show the labels of people in this file beside the verdicts')
    .option('--control <n>', 'ask about n transcripts again that the report of --against has too', upTo(Infinity))
    .optionsGroup(topicGroups.reports)
    .option('--gate-exit-code <n>', 'exit code of a failed check (default: 100)', exitCode)

function someText(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('Expected a text.')
}

function day(text: string): string {
  if (isDay(text)) return text
  throw new InvalidArgumentError('Expected a day such as 2026-12-31.')
}

/** Exit codes with another meaning, which a failed check must not use. */
const reservedExitCodes: Record<number, string> = {
  75: 'could not judge now, run again',
  101: 'could not judge',
  130: 'stopped by SIGINT',
  143: 'stopped by SIGTERM',
}

function exitCode(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 255) throw new InvalidArgumentError('Expected an exit code from 0 to 255.')
  const meaning = reservedExitCodes[value]
  if (meaning === undefined) return value
  throw new InvalidArgumentError(`${value} is reserved: ${meaning}. Expected another exit code from 0 to 255.`)
}

export interface PolicyFlags {
  /** The path of a policy file; false where none is to be read. */
  policy?: string | false
  failOn?: Level | 'none'
  forbid?: readonly string[]
  allow?: readonly string[]
  require?: readonly string[]
  indeterminate?: Rules['indeterminate']
  maxRate?: readonly Rate[]
  tag?: Readonly<Record<string, string>>
  confidence?: number
  minJudged?: number
  maxDrop?: number
  maxTokens?: number
  maxFailures?: number
}

export const withPolicy = (command: Command): Command =>
  command
    .addOption(
      everyday(
        '--fail-on <outcome>',
        'fail at this outcome or worse (default: poor, or none with a rate of outcomes)',
      ).choices([...scale, 'none']),
    )
    .addOption(
      everyday(
        '--policy <file>',
        'policy file (default: svc.checks.json or .ts in a named folder, here, or above in the repository)',
      ),
    )
    .addOption(everyday('--no-policy', 'ignore policy files'))
    .optionsGroup(topicGroups.rules)
    .option('--forbid <signal>', 'fail if this signal fired; repeatable', texts)
    .option('--allow <signal>', 'fail if any other signal fired; repeatable', texts)
    .option('--require <signal>', 'fail if this signal did not fire; repeatable', texts)
    .option('--max-rate <of=share>', 'fail above this share, such as poor=5% or signal:loop=0.1; repeatable', rate)
    .option('--tag <name=field>', 'count by this field or metadata, or by folder:1; repeatable', tag)
    .option('--confidence <share>', 'fail a rate only at this confidence, such as 0.95', confidence)
    .option('--min-judged <share>', 'share that must be judged, such as 95% (default: 100%)', share)
    .option(
      '--max-drop <share>',
      'the largest drop of the pass rate against the report of --against, such as 5%',
      share,
    )
    .addOption(
      new Option('--indeterminate <how>', 'how to count an indeterminate outcome (default: unjudged)').choices(
        indeterminates,
      ),
    )
    .option('--max-tokens <n>', 'stop sending after this number of tokens, in and out', upTo(Infinity))
    .option('--max-failures <n>', 'stop sending after this number of failed transcripts', upTo(Infinity))

/** The flag that sets a key of the policy file. */
const flagOf = {
  failOn: 'failOn',
  forbidden: 'forbid',
  allowed: 'allow',
  required: 'require',
  indeterminate: 'indeterminate',
  rates: 'maxRate',
  confidence: 'confidence',
  minJudged: 'minJudged',
  maxDrop: 'maxDrop',
  maxTokens: 'maxTokens',
  maxFailures: 'maxFailures',
} as const satisfies Partial<Record<keyof PolicyJson, keyof PolicyFlags>>

/**
 * The policy: flags override the file, also its overrides for some files, and the file overrides the default. With a rate
 * of outcomes, `failOn` defaults to `none`.
 *
 * @throws {CliError} if flags contradict each other or the file
 */
export function policyOf(flags: PolicyFlags, file?: Pick<PolicyFile, 'path' | 'policy'>): Policy {
  const fromFlags = Object.fromEntries(
    Object.entries(flagOf).flatMap(([key, flag]) => (flags[flag] === undefined ? [] : [[key, flags[flag]]])),
  ) as FilePolicy
  const tags = { ...file?.policy.tags, ...flags.tag }
  const policy = withDefaults({
    ...file?.policy,
    ...fromFlags,
    ...(Object.keys(tags).length > 0 && { tags }),
    overrides: (file?.policy.overrides ?? []).flatMap((override) => beneath(fromFlags, override)),
  })
  if (fromFlags.confidence !== undefined && policy.rates.length === 0) {
    throw new CliError(exit.usage, '--confidence requires a rate.', {
      hint: 'add --max-rate, such as --max-rate poor=5%, or "rates" in the policy file',
    })
  }
  const nameOf = (key: RuleOfSignals) => (key in fromFlags ? nameOfFlag(flagOf[key]) : (file?.path ?? ''))
  refuseContradictions(policy, nameOf, file?.path ?? '')
  return policy
}

type RuleOfSignals = 'forbidden' | 'allowed' | 'required'

const nameOfFlag = (flag: string): string => `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** The rules of an override that no flag sets. */
function beneath(fromFlags: object, { files, ...rules }: Override): Override[] {
  const left = Object.entries(rules).filter(([key]) => !(key in fromFlags))
  return left.length === 0 ? [] : [{ files, ...Object.fromEntries(left) }]
}

/** Reading the file checked the file alone; contradictions found here involve a flag. */
function refuseContradictions(policy: Policy, nameOf: (key: RuleOfSignals) => string, path: string): void {
  const violationLine =
    (nameIn: (key: RuleOfSignals) => string) =>
    ({ signal, by }: Contradiction) =>
      `the signal ${JSON.stringify(signal)} is required (${nameIn('required')}) and ${by === 'forbidden' ? 'forbidden' : 'not among those that are allowed'} (${nameIn(by)})`
  const details = [
    ...contradictionsIn(policy).map(violationLine(nameOf)),
    ...policy.overrides.flatMap((override) => {
      const ofFiles = `${path}, for ${override.files.join(', ')}`
      return contradictionsWith(policy, override).map(violationLine((key) => (key in override ? ofFiles : nameOf(key))))
    }),
  ]
  if (details.length === 0) return
  throw new CliError(exit.usage, 'The policy contradicts itself.', {
    details,
    hint: 'remove one of the two; a flag overrides the same rule of the policy file',
  })
}

function share(text: string): number {
  const value = parseShare(text)
  if (value !== undefined) return value
  throw new InvalidArgumentError('Expected a share such as 5% or 0.05, at most 100%.')
}

function confidence(text: string): number {
  const value = share(text)
  if (value > 0.5 && value < 1) return value
  throw new InvalidArgumentError('Expected a confidence above 0.5 and below 1, such as 0.95.')
}

function condition(text: string, before: Record<string, string> = {}): Record<string, string> {
  const all = keyValue(text, before)
  if (Object.keys(all).length > Object.keys(before).length) return all
  throw new InvalidArgumentError(`${text.slice(0, text.indexOf('='))} already has a value.`)
}

function tag(text: string, before: Record<string, string> = {}): Record<string, string> {
  const all = condition(text, before)
  if (!/=folder:(?![1-9]\d*$)/.test(text)) return all
  throw new InvalidArgumentError('Expected folder:N, such as folder:1 for the first folder.')
}

function rate(text: string, before: readonly Rate[] = []): readonly Rate[] {
  const at = text.lastIndexOf('=')
  const [what, max] = [text.slice(0, at), share(text.slice(at + 1))]
  const of = kindOf(what)
  if (before.some((other) => JSON.stringify(other.of) === JSON.stringify(of))) {
    throw new InvalidArgumentError(`${what} already has a rate.`)
  }
  return [...before, { of, max }]
}

function kindOf(text: string): Rate['of'] {
  if (isOnScale(text)) return { outcome: text }
  const signal = /^signal:(.+)$/s.exec(text)?.[1]
  if (signal !== undefined) return { signal }
  throw new InvalidArgumentError(`Expected one of ${scale.join(', ')} or signal:NAME, then = and a share.`)
}
