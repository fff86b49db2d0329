import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  defaultPolicy,
  type Indeterminate,
  indeterminates,
  isOnScale,
  type Level,
  type Policy,
  type Rate,
  scale,
} from '../../checks/policy.js'

/** The flags that say what a check holds transcripts to. */
export interface PolicyFlags {
  failOn?: Level
  forbid?: readonly string[]
  allow?: readonly string[]
  require?: readonly string[]
  indeterminate: Indeterminate
  maxRate?: readonly Rate[]
  confidence?: number
  minJudged: number
}

export const withPolicy = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--fail-on <outcome>',
        'fail at this outcome or a worse one (default: poor; none with a rate of one)',
      ).choices(scale),
    )
    .option('--forbid <signal>', 'fail where this signal fired, repeatable', gathered)
    .option('--allow <signal>', 'fail where any other signal fired, repeatable', gathered)
    .option('--require <signal>', 'fail where this signal did not fire, repeatable', gathered)
    .option('--max-rate <of=share>', 'fail where more are so, as in poor=5% or signal:loop=0.1; repeatable', rate)
    .option('--confidence <share>', 'count a rate only where it is so sure, as in 0.95', confidence)
    .option('--min-judged <share>', 'judge at least so many, as in 95%', share, 1)
    .addOption(
      new Option('--indeterminate <how>', 'what an indeterminate outcome is')
        .choices(indeterminates)
        .default('unjudged'),
    )

/** The policy that the flags give. Where a rate says how many may be bad, a single one is no failure by itself. */
export function policyOf(flags: PolicyFlags): Policy {
  const rates = flags.maxRate ?? []
  const hasOutcomeRate = rates.some(({ of }) => 'outcome' in of)
  return {
    failOn: flags.failOn ?? (hasOutcomeRate ? undefined : defaultPolicy.failOn),
    forbidden: flags.forbid ?? [],
    allowed: flags.allow,
    required: flags.require ?? [],
    indeterminate: flags.indeterminate,
    rates,
    confidence: flags.confidence,
    minJudged: flags.minJudged,
  }
}

const gathered = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** `5%` or `0.05`, from 0 to 1. */
function share(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)\s*(%)?$/.exec(text) ?? []
  const value = Number(number) / (percent ? 100 : 1)
  if (value >= 0 && value <= 1) return value
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
  if (isOnScale(what)) return [...before, { of: { outcome: what }, max }]
  const signal = /^signal:(.+)$/s.exec(what)?.[1]
  if (signal !== undefined) return [...before, { of: { signal }, max }]
  throw new InvalidArgumentError(`Expected one of ${scale.join(', ')} or signal:NAME, then = and a share.`)
}
