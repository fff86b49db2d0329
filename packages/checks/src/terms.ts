/** Outcomes from best to worst (interface: Resources › AnnotationResponse); `indeterminate` is not on the scale. */
export const scale = ['strong', 'mixed', 'poor', 'critical'] as const
/** An outcome on the scale. */
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
