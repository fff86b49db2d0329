import type { Annotation } from '@svc/client'
import type { Versions } from '../annotation.js'
import type { BaselineEntry, BaselineResult, Identity } from '../baseline/index.js'
import { isHit, judge, type Tags } from '../judge/index.js'
import type { Gap, Policy, Rules } from '../report/index.js'
import type { CustomResult } from '../rules/index.js'
import type { Conversation } from '../transcript.js'
import type { AnnotationBody, Failure } from './annotate.js'
import { type AttemptLimits, type AttemptResult, decisiveAttempt, isUndecided } from './attempts.js'

/** A transcript of a plan: its request, and the rules for its answers. */
export interface PlannedCase {
  /** Its place among the transcripts of the input, from 0. */
  index: number
  /** The transcript without its turns. */
  conversation: Conversation
  /** The request. */
  body: AnnotationBody
  /** SHA-256 of the request in hex. Transcripts with the same request are asked about once. */
  digest: string
  /** The transcript for baselines: its path is relative to the folder of the baseline. */
  identity: Identity
  /** Its number among those of equal content in the input, from 1. */
  occurrence: number
  /** The rules of the policy for its path. */
  rules: Rules
  /** The values of its tags. */
  tags: Tags
  /** Its cluster; undefined without one. */
  cluster: string | undefined
  /** It is asked about again, past the cache. */
  isControl?: boolean
  /** Its entry in the baseline. */
  entry: BaselineEntry | undefined
  /** The findings that the baseline accepts today. Null without a baseline; undefined if the baseline does not have the transcript. */
  before: BaselineResult | null | undefined
  /** Why the service would refuse the request, so that it is not sent. */
  refusal?: string
}

/** The answer of one attempt. */
export interface Answer {
  /** The annotation as it came. */
  annotation: Annotation
  /** `asked` in this run, `cached` from an earlier one, or the `same` request as that of an earlier transcript. */
  from: 'asked' | 'cached' | 'same'
  /** The findings of the functions of the policy. */
  custom: CustomResult
}

/** A planned transcript with its answers. */
export interface AskedCase extends PlannedCase {
  /** In the order of the attempts. */
  answers: readonly Answer[]
  /** The answer that decides; undefined while a missing attempt could change the result. */
  decisive?: Answer | undefined
  /** Why attempts are missing. */
  ended?: Failure | 'over budget' | 'enough failures' | 'outage' | undefined
  /** Why it is not judged, if nothing was asked about it. */
  gap?: Gap | undefined
}

/** How a run judges the answers of its transcripts. */
export interface Judging {
  /** The policy in force. */
  policy: Policy
  /** How often each transcript is annotated. */
  limits: AttemptLimits
  /** The versions of the baseline, which every answer must have. */
  pinned: Versions | undefined
}

/** The result of one answer, before the others are known. */
export function attemptResult(
  { policy: { rates } }: Judging,
  { rules, before }: PlannedCase,
  { annotation, custom }: Answer,
): AttemptResult {
  const isFired = (key: string) =>
    Object.hasOwn(annotation.signals, key) || custom.findings.some(({ rule }) => rule === key)
  return {
    outcome: annotation.outcome,
    fails: judge(annotation, rules, before ?? undefined, custom).result === 'failed',
    counts: rates.some((rate) => isHit(rate, annotation.outcome, isFired)),
  }
}

export const attemptResults = (judging: Judging, each: AskedCase): AttemptResult[] =>
  each.answers.map((answer) => attemptResult(judging, each, answer))

/** A transcript with its answers, the reason why some are missing, and the one that decides. */
export function answered(
  judging: Judging,
  planned: PlannedCase,
  answers: readonly Answer[],
  ended?: AskedCase['ended'],
): AskedCase {
  const each: AskedCase = { ...planned, answers, ended }
  const results = attemptResults(judging, each)
  return isUndecided(results, judging.limits) ? each : { ...each, decisive: answers[decisiveAttempt(results)] }
}
