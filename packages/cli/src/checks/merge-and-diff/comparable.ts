import { canonicalJson } from '../../canonical.js'
import type { Policy } from '../policy/policy.js'
import type { CheckReport } from '../report.js'

/** Something that two reports were not made alike in, in words. */
export interface Unlike {
  /** As in `annotator`, or `policy.failOn`. */
  what: string
  values: readonly [string, string]
}

const unlike = (what: string, values: readonly [string, string]): Unlike[] =>
  values[0] === values[1] ? [] : [{ what, values }]

export const annotators = (a: CheckReport, b: CheckReport): Unlike[] => unlike('annotator', [a.annotator, b.annotator])

/** What the transcripts were held to; what was to be spent judges nothing. */
export const policies = (a: CheckReport, b: CheckReport, fields: readonly (keyof Policy)[]): Unlike[] =>
  fields.flatMap((field) => unlike(`policy.${field}`, [shown(a.policy[field]), shown(b.policy[field])]))

/** What says which transcript fails. */
export const ruleFields = ['failOn', 'forbidden', 'allowed', 'required', 'indeterminate', 'overrides'] as const
/** What says which share of them may. */
export const shareFields = ['rates', 'confidence', 'minJudged'] as const

/** Reports without an answer go with those of any version. */
export const versions = (a: CheckReport, b: CheckReport): Unlike[] =>
  a.versions.length === 0 || b.versions.length === 0
    ? []
    : unlike('annotator version', [versionsText(a), versionsText(b)])

const versionsText = ({ versions }: CheckReport): string =>
  versions
    .map(({ annotator_version, taxonomy_version }) => `${annotator_version} with taxonomy ${taxonomy_version}`)
    .sort()
    .join(', ')

/** The facts on which the answers depend, beside the annotator. A fact that an earlier svc did not record equals nothing. */
export const circumstances = (a: CheckReport, b: CheckReport): Unlike[] =>
  (['service', 'options', 'attempts', 'confirm_on_fail'] as const).flatMap((field): Unlike[] => {
    const values = [known(a[field]), known(b[field])] as const
    return values.includes(unknown) ? [{ what: field, values }] : unlike(field, values)
  })

/** What two reports must agree in before what they say of transcripts can be compared. */
export const differences = (a: CheckReport, b: CheckReport): Unlike[] => [
  ...annotators(a, b),
  ...versions(a, b),
  ...circumstances(a, b),
  ...policies(a, b, ruleFields),
]

const unknown = 'unknown, not recorded by that version of svc'

const known = (value: unknown): string => (value === null ? unknown : shown(value))

const shown = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : canonicalJson(value)
