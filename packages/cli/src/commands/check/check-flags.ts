import {
  indeterminates,
  type Level,
  type Override,
  type Policy,
  type Rate,
  type Rules,
  scale,
} from '@svc/report-viewer'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AnnotateFlags } from '../../annotate/index.js'
import {
  type Contradiction,
  contradictionsIn,
  contradictionsWith,
  defaultPolicy,
  type FilePolicy,
  isOnScale,
  type PolicyFile,
  parseShare,
} from '../../check/policy/index.js'
import { CliError, exit } from '../../exit.js'
import type { Delivery } from '../../reports/index.js'
import { bytes, texts, upTo } from '../arguments.js'
import { withReports } from '../flags.js'

/** The flags of a check beside those of its policy. */
export interface CheckFlags extends Omit<AnnotateFlags, 'annotator'>, PolicyFlags, Delivery {
  annotator?: string
  attempts?: number
  confirmOnFail?: boolean
  baseline?: string
  updateBaseline?: boolean
  gateExitCode?: number
  /** The folder of the cache; false for none. */
  cache?: string | false
  /** In bytes. */
  cacheSize?: number
}

export const withCheck = (command: Command): Command =>
  withReports(command)
    .optionsGroup('Asking:')
    .option('--attempts <n>', 'ask so often about each; half or more failing answers fail it (default: 1)', upTo(9))
    .option('--confirm-on-fail', 'ask again only about those that fail at first')
    .option('--cache <dir>', 'folder of answers that were paid for (default: annotations in SVC_CACHE_DIR)')
    .option('--no-cache', 'ask about everything, and keep no answer')
    .option('--cache-size <size>', 'remove the oldest answers beyond this size (default: 64MB)', bytes)
    .optionsGroup('Baseline and exit code:')
    .option('--baseline <file>', 'fail only by what is new, or worse than it is in this file')
    .option('--update-baseline', 'write everything that is found into the baseline, as accepted')
    .option('--gate-exit-code <n>', 'exit code of a check that failed (default: 100)', exitCode)

/** What no failure of the gate may look like. */
const taken: Record<number, string> = {
  75: 'could not judge now, run again',
  101: 'could not judge',
  130: 'stopped by SIGINT',
  143: 'stopped by SIGTERM',
}

function exitCode(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 255) throw new InvalidArgumentError('Expected an exit code from 0 to 255.')
  const meaning = taken[value]
  if (meaning === undefined) return value
  throw new InvalidArgumentError(`${value} says "${meaning}"; expected another exit code from 0 to 255.`)
}

/** The flags that say what a check holds transcripts to, or where that is written. */
export interface PolicyFlags {
  /** The path of a policy file; false where none is to be read. */
  policy?: string | false
  failOn?: Level | 'none'
  forbid?: readonly string[]
  allow?: readonly string[]
  require?: readonly string[]
  indeterminate?: Rules['indeterminate']
  maxRate?: readonly Rate[]
  confidence?: number
  minJudged?: number
  maxTokens?: number
}

export const withPolicy = (command: Command): Command =>
  command
    .optionsGroup('Policy:')
    .option('--policy <file>', 'file of the policy (default: svc.checks.json here or in a folder above)')
    .option('--no-policy', 'read no policy file')
    .addOption(
      new Option(
        '--fail-on <outcome>',
        'fail at this outcome or a worse one (default: poor; none with a rate of one)',
      ).choices([...scale, 'none']),
    )
    .option('--forbid <signal>', 'fail where this signal fired, repeatable', texts)
    .option('--allow <signal>', 'fail where any other signal fired, repeatable', texts)
    .option('--require <signal>', 'fail where this signal did not fire, repeatable', texts)
    .option('--max-rate <of=share>', 'fail where more are so, as in poor=5% or signal:loop=0.1; repeatable', rate)
    .option('--confidence <share>', 'count a rate only where it is so sure, as in 0.95', confidence)
    .option('--min-judged <share>', 'judge at least so many, as in 95% (default: 100%)', share)
    .addOption(
      new Option('--indeterminate <how>', 'what an indeterminate outcome is (default: unjudged)').choices(
        indeterminates,
      ),
    )
    .option('--max-tokens <n>', 'ask nothing more after so many tokens, in and out', upTo(Infinity))

/** The flag of each part of a policy. */
const flagOf = {
  failOn: 'failOn',
  forbidden: 'forbid',
  allowed: 'allow',
  required: 'require',
  indeterminate: 'indeterminate',
  rates: 'maxRate',
  confidence: 'confidence',
  minJudged: 'minJudged',
  maxTokens: 'maxTokens',
} as const

/**
 * The policy of flags, above that of a file, above the default. A flag takes the place of what the file says, also of what
 * it says for some files. Where a rate says how many may be bad, a single one is no failure by itself unless somebody says so.
 *
 * @throws {CliError} where flags contradict each other or the file
 */
export function policyOf(flags: PolicyFlags, file?: Pick<PolicyFile, 'path' | 'policy'>): Policy {
  const own = Object.fromEntries(
    Object.entries(flagOf).flatMap(([key, flag]) => (flags[flag] === undefined ? [] : [[key, flags[flag]]])),
  ) as FilePolicy
  const { failOn, ...rest } = { ...file?.policy, ...own }
  const hasOutcomeRate = rest.rates?.some(({ of }) => 'outcome' in of) === true
  const policy: Policy = {
    ...defaultPolicy,
    ...rest,
    failOn: failOn ?? (hasOutcomeRate ? 'none' : defaultPolicy.failOn),
    overrides: (rest.overrides ?? []).flatMap((override) => beneath(own, override)),
  }
  if (own.confidence !== undefined && policy.rates.length === 0) {
    throw new CliError(exit.usage, '--confidence says how sure a rate is, and there is no rate.', {
      hint: 'give --max-rate, as in --max-rate poor=5%, or "rates" in a policy file',
    })
  }
  const nameOf = (key: RuleOfSignals) => (key in own ? nameOfFlag(flagOf[key]) : (file?.path ?? ''))
  refuseContradictions(policy, nameOf, file?.path ?? '')
  return policy
}

type RuleOfSignals = 'forbidden' | 'allowed' | 'required'

const nameOfFlag = (flag: string): string => `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** What an override says that no flag says; nothing where that is all of it. */
function beneath(own: object, { files, ...rules }: Override): Override[] {
  const left = Object.entries(rules).filter(([key]) => !(key in own))
  return left.length === 0 ? [] : [{ files, ...Object.fromEntries(left) }]
}

/** The file by itself has been looked at where it was read, so that a flag has a part in whatever is found here. */
function refuseContradictions(policy: Policy, nameOf: (key: RuleOfSignals) => string, path: string): void {
  const told =
    (nameIn: (key: RuleOfSignals) => string) =>
    ({ signal, by }: Contradiction) =>
      `the signal ${JSON.stringify(signal)} is required (${nameIn('required')}) and ${by === 'forbidden' ? 'forbidden' : 'not among those that are allowed'} (${nameIn(by)})`
  const details = [
    ...contradictionsIn(policy).map(told(nameOf)),
    ...policy.overrides.flatMap((override) => {
      const ofFiles = `${path}, for ${override.files.join(', ')}`
      return contradictionsWith(policy, override).map(told((key) => (key in override ? ofFiles : nameOf(key))))
    }),
  ]
  if (details.length === 0) return
  throw new CliError(exit.usage, 'The policy contradicts itself.', {
    details,
    hint: 'give one of the two; a flag takes the place of what the policy file says of the same',
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

function rate(text: string, before: readonly Rate[] = []): readonly Rate[] {
  const at = text.lastIndexOf('=')
  const [what, max] = [text.slice(0, at), share(text.slice(at + 1))]
  const of = kindOf(what)
  if (before.some((other) => JSON.stringify(other.of) === JSON.stringify(of))) {
    throw new InvalidArgumentError(`There is a rate of ${what} already; give one bound for it.`)
  }
  return [...before, { of, max }]
}

function kindOf(text: string): Rate['of'] {
  if (isOnScale(text)) return { outcome: text }
  const signal = /^signal:(.+)$/s.exec(text)?.[1]
  if (signal !== undefined) return { signal }
  throw new InvalidArgumentError(`Expected one of ${scale.join(', ')} or signal:NAME, then = and a share.`)
}
