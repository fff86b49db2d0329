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
