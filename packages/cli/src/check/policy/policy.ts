/** Outcomes from best to worst (interface: Resources › AnnotationResponse); `indeterminate` is not on the scale. */
export const scale = ['strong', 'mixed', 'poor', 'critical'] as const
export type Level = (typeof scale)[number]

/** `poor or worse`; nothing is worse than critical. */
export const levelText = (level: Level): string => (level === 'critical' ? level : `${level} or worse`)

/** What an `indeterminate` outcome counts as. */
export const indeterminates = ['unjudged', 'fail', 'warn', 'ignore'] as const
export type Indeterminate = (typeof indeterminates)[number]

/** What one transcript is held to. */
export interface Rules {
  /** This outcome fails, and every worse one; `none` where outcomes are held to rates alone. */
  failOn: Level | 'none'
  /** Signals that must not fire. */
  forbidden: readonly string[]
  /** The only signals that may fire; undefined where all may. */
  allowed: readonly string[] | undefined
  /** Signals that must fire. */
  required: readonly string[]
  indeterminate: Indeterminate
}

/** How large a share of the judged transcripts may be of a kind. */
export interface Rate {
  /** An outcome or a worse one, or a signal that fired. */
  of: { outcome: Level } | { signal: string }
  /** From 0 to 1. */
  max: number
}

/** Other rules for some files; a rule that it does not name stays. */
export interface Override extends Partial<Rules> {
  /** Patterns such as `legacy/**`, from the folder of the policy. */
  files: readonly string[]
}

/** What a check holds transcripts to. */
export interface Policy extends Rules {
  /** A later one goes before an earlier one. */
  overrides: readonly Override[]
  rates: readonly Rate[]
  /** With it a rate is exceeded, or kept, only where that is so sure: from 0.5 to 1, both excluded. */
  confidence: number | undefined
  /** The share of transcripts that has to be judged, from 0 to 1. */
  minJudged: number
  /** Tokens, in and out, after which nothing more is asked. */
  maxTokens: number | undefined
  /** Milliseconds after which nothing more is asked. */
  deadlineMs: number | undefined
}

/** What holds where nobody says otherwise. */
export const defaultPolicy: Policy = {
  failOn: 'poor',
  forbidden: [],
  allowed: undefined,
  required: [],
  indeterminate: 'unjudged',
  rates: [],
  confidence: undefined,
  minJudged: 1,
  overrides: [],
  maxTokens: undefined,
  deadlineMs: undefined,
}

/** Whether an outcome is this one or a worse one; never for an outcome that is not on the scale. */
export const isAtLeast = (outcome: string, level: Level): boolean =>
  (scale as readonly string[]).indexOf(outcome) >= scale.indexOf(level)

export const isOnScale = (outcome: string): outcome is Level => (scale as readonly string[]).includes(outcome)

type SignalRules = Pick<Rules, 'forbidden' | 'allowed' | 'required'>

/** A signal that has to fire and may not: it is forbidden, or not among those that are allowed. */
export interface Contradiction {
  signal: string
  by: 'forbidden' | 'allowed'
}

/** The signals that nobody can have right. */
export const contradictionsIn = ({ forbidden, allowed, required }: SignalRules): Contradiction[] =>
  [...new Set(required)].flatMap((signal) => [
    ...(forbidden.includes(signal) ? [{ signal, by: 'forbidden' as const }] : []),
    ...(allowed?.includes(signal) === false ? [{ signal, by: 'allowed' as const }] : []),
  ])

/** The same with one override in force; only those in which it has a part. */
export const contradictionsWith = (
  rules: SignalRules,
  override: { [Key in keyof SignalRules]?: SignalRules[Key] | undefined },
): Contradiction[] =>
  contradictionsIn({
    forbidden: override.forbidden ?? rules.forbidden,
    allowed: override.allowed ?? rules.allowed,
    required: override.required ?? rules.required,
  }).filter(({ by }) => override.required !== undefined || override[by] !== undefined)

/** `5%` or `0.05`, from 0 to 1; undefined when it is neither. */
export function parseShare(text: string): number | undefined {
  const [, number, percent] = /^(\d+(?:\.\d+)?)\s*(%)?$/.exec(text) ?? []
  const value = Number(number) / (percent ? 100 : 1)
  return value >= 0 && value <= 1 ? value : undefined
}
