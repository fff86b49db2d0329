/** Outcomes from best to worst (interface: Resources › AnnotationResponse); `indeterminate` is not on the scale. */
export const scale = ['strong', 'mixed', 'poor', 'critical'] as const
export type Level = (typeof scale)[number]

/** The treatments of an `indeterminate` outcome that a policy can choose. */
export const indeterminates = ['unjudged', 'fail', 'warn', 'ignore'] as const

/**
 * The results of a transcript. `known`: all rules that it breaks are in the baseline. `warned` and `ignored`: the outcome
 * is indeterminate and the policy accepts that.
 */
export const results = ['failed', 'not judged', 'known', 'warned', 'ignored', 'passed'] as const
export type Result = (typeof results)[number]

/** The changes of a transcript against the baseline. `new`: the baseline does not have it. */
export const changes = ['worse', 'new', 'better', 'same'] as const
export type Change = (typeof changes)[number]

/** The reasons why a transcript is not judged. The last four concern files and links that hold no readable transcript. */
export const gaps = [
  'indeterminate',
  'unknown outcome',
  'malformed answer',
  'rule failed',
  'not annotated',
  'not comparable',
  'over budget',
  'no transcript',
  'unreadable',
  'broken link',
  'link not followed',
] as const
