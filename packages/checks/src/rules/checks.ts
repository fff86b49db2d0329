/**
 * Policies of `svc check` in TypeScript or JavaScript.
 *
 * @example
 *   // svc.checks.ts
 *   import { defineChecks } from '@svc/cli/checks'
 *
 *   export default defineChecks({
 *     annotator: 'structural',
 *     failOn: 'poor',
 *     rules: {
 *       'no-refund-promise': ({ transcript }) =>
 *         transcript.turns.flatMap(({ role, content }, at) =>
 *           role === 'assistant' && /we will refund/i.test(content)
 *             ? [{ message: 'promises a refund', turn: at + 1, evidence: content }]
 *             : [],
 *         ),
 *     },
 *   })
 *
 * @module @svc/cli/checks
 */

type Outcome = 'strong' | 'mixed' | 'poor' | 'critical'

/** The answer of the annotator (interface: Resources › AnnotationResponse). */
export interface CheckedAnnotation {
  /** The id of the annotator. */
  annotator: string
  /** The version of the annotator. */
  annotator_version: string
  /** The version of the taxonomy. */
  taxonomy_version: string
  /** The service may add outcomes. */
  outcome: Outcome | 'indeterminate' | (string & Record<never, never>)
  /** The reason for the outcome. */
  outcome_notes: string
  /** The signals that fired, by their key; `turn` counts from 1, and is null or missing if the signal belongs to no turn. */
  signals: { [key: string]: { evidence: string; turn?: number | null } | undefined }
  /** A summary of the transcript. */
  summary: {
    title: string
    keywords: string[]
    summary: string
    quality_concerns: string
    user_intent: string
    domain: string
  }
  /** The tokens of the annotation, and its latency in milliseconds; null or missing if the service does not show it. */
  usage?: { tokens_in?: number | null; tokens_out?: number | null; latency_ms?: number | null } | null
}

/** A finding of a rule in a transcript. */
export interface Finding {
  /** One sentence for people. */
  message: string
  /** The turn in which it is, from 1; without it, the finding is about the whole transcript. */
  turn?: number | null | undefined
  /** A quote of the turn, which reports mark. */
  evidence?: string | undefined
}

/** A transcript as it was sent to the annotator. */
export interface CheckedTranscript {
  /** The file, relative to the working directory. */
  path: string
  /** The record in the file, from 1. */
  record: number
  /** The part of a transcript that was split, from 1. */
  part: number
  /** Its own name, else that of its file. */
  name: string
  /** In order; the annotation counts them from 1. */
  turns: readonly { role: string; content: string }[]
  /** Empty if there is none. */
  metadata: Readonly<Record<string, unknown>>
  /** The model that produced the conversation. */
  modelName?: string | undefined
  /** The code of the language. */
  language?: string | undefined
  /** The system that the conversation comes from. */
  sourceSystem?: string | undefined
  /** The id of the conversation in that system. */
  externalId?: string | undefined
  /** The id of the user in that system. */
  externalUserId?: string | undefined
  /** The values of each tag of the policy. */
  tags: Readonly<Record<string, readonly string[]>>
}

/** The input of a rule. Both are copies, so a rule cannot change the report. */
export interface Checked {
  /** The annotation of this attempt. */
  annotation: CheckedAnnotation
  /** The transcript. */
  transcript: CheckedTranscript
}

// biome-ignore lint/suspicious/noConfusingVoidType: a rule that finds nothing may return nothing
type Found = readonly (Finding | string)[] | Finding | string | null | undefined | void

/**
 * A rule of a policy; it may be async. The transcript fails if the rule returns a finding; a text is a finding without a
 * turn. A rule that throws, rejects, or does not end within `ruleTimeout` leaves the transcript not judged; after three such
 * failures it is not run any more. With several attempts, a rule is called for the annotation of each.
 */
export type CheckRule = (checked: Checked) => Found | Promise<Found>

/** From 0 to 1, or as in `'5%'`. */
type Share = number | string

/** The rules that an override can replace for some files. */
export interface SignalRules {
  /** A transcript fails at this outcome or a worse one. Default: `poor`, or `none` if `rates` has an outcome. */
  failOn?: Outcome | 'none' | undefined
  /** A transcript fails if one of these signals fired. */
  forbidden?: string[] | undefined
  /** A transcript fails if any other signal fired. Default: all are allowed. */
  allowed?: string[] | undefined
  /** A transcript fails if one of these signals did not fire. */
  required?: string[] | undefined
  /** How an indeterminate outcome counts. Default: `unjudged`. */
  indeterminate?: 'unjudged' | 'fail' | 'warn' | 'ignore' | undefined
}

/** A policy: the names of `svc.checks.json`, and functions as rules. Paths are relative to the file of the policy. */
export interface Checks extends SignalRules {
  /** Another policy, as a path from the folder of this file, or as the name of a package. */
  extends?: string | undefined
  /** Rules by name. A name must not be that of a signal of the annotator. */
  rules?: Record<string, CheckRule> | undefined
  /** The time that a rule has for one transcript, as in `30s`. Default: 10 seconds. */
  ruleTimeout?: string | undefined
  /** The id of the annotator. */
  annotator?: string | undefined
  /** Annotation options. */
  options?: Record<string, unknown> | undefined
  /** The paths to check if the command line names none; `!pattern` skips files. */
  paths?: string[] | undefined
  /** Maps and importers for files by their patterns, as `--map` and `--importer`. */
  reading?: { files: string[]; map?: Record<string, string> | undefined; importer?: string[] | undefined }[] | undefined
  /** Patterns of files to skip. */
  exclude?: string[] | undefined
  /** The baseline file. */
  baseline?: string | undefined
  /** The field of each tag, or `folder:1` for the first folder of the path. */
  tags?: Record<string, string> | undefined
  /** The largest allowed shares of an outcome or of a signal, with `by` for each value of a tag. */
  rates?: ({ max: Share; by?: string | undefined } & (
    | { outcome: Outcome; signal?: undefined }
    | { signal: string; outcome?: undefined }
  ))[]
  /** Between 0.5 and 1. Without it, the observed share decides. */
  confidence?: Share | undefined
  /** The share of transcripts that must be judged. Default: 1. */
  minJudged?: Share | undefined
  /** Send no more requests after this number of tokens. */
  maxTokens?: number | undefined
  /** Send no more requests after this cost, in the currency of `prices`. */
  maxCost?: number | undefined
  /** Send no more requests after this number of failed transcripts. */
  maxFailures?: number | undefined
  /** The JSON report that the check is compared with: it fails if it is worse. */
  against?: string | undefined
  /** That report may be missing, as before the first run. Default: false. */
  allowMissing?: boolean | undefined
  /** The largest drop of the pass rate against that report: its bounds decide in place of the test. */
  maxDrop?: Share | undefined
  /** The tag or field of the transcripts that count as one in a comparison, as those of one scenario. */
  cluster?: string | undefined
  /** The prices of a million tokens. */
  prices?: { currency: string; in: number; out: number } | undefined
  /** Send no more requests after this time, as in `10m`. */
  deadline?: string | undefined
  /** From 1 to 9. Default: 1. */
  attempts?: number | undefined
  /** Repeat only transcripts that fail at first. */
  confirmOnFail?: boolean | undefined
  /** Other rules for some files; a later one takes precedence. */
  overrides?: (SignalRules & { files: string[] })[] | undefined
}

/** The policy as it is, with its type checked. */
export const defineChecks = (checks: Checks): Checks => checks
