import type { Annotation } from '@svc/client'
import { CheckError } from '../check-error.js'
import { nodeFiles } from '../environment.js'
import { occurrences } from '../identity.js'
import { conclude, defaultFacts, tagsOf } from '../judge/index.js'
import { requirePlainData } from '../plain-data.js'
import { foldersIn, type PolicyFile, rulesFor, unmatchedPatterns, withDefaults } from '../policy/index.js'
import type { ReportCase } from '../report/index.js'
import { nothingFound } from '../rules/index.js'
import { faultsOf, MalformedAnnotation } from './annotate.js'
import { answered, type Judging, type PlannedCase } from './case.js'
import { type CheckResult, resultOf } from './check-result.js'
import { conversationOf } from './input.js'
import { type CheckPolicy, policyFrom } from './policy-value.js'
import { reportCase } from './report-case.js'

/** A transcript that is annotated already. */
export interface AnnotatedTranscript {
  /** The file or another name of its origin, as reports show it. Patterns of the policy match it. */
  path: string
  /** The answer of the annotator. */
  annotation: Annotation
  /** Default: that of its path. */
  name?: string | undefined
  /** The record in the file, from 1. Default: 1. */
  record?: number | undefined
}

/**
 * Judge annotations of one annotator by a policy. A pure function: it sends nothing, and equal arguments give equal results.
 * An annotation that is malformed, or of another annotator than the policy or the first one names, is not judged. It runs no
 * functions: give a policy with `rules` to `check`.
 *
 * @throws {CheckError} for cases or a policy that cannot be used
 *
 * @example
 * const { verdict } = judge([{ path: 'refund.json', annotation }], { failOn: 'critical' })
 */
export function judge(annotated: readonly AnnotatedTranscript[], policy: CheckPolicy | PolicyFile = {}): CheckResult {
  const given = requirePlainData(annotated, 'judge') as readonly AnnotatedTranscript[]
  const isCase = (each: unknown) => typeof Object(each).path === 'string'
  const bad = Array.isArray(given) ? given.findIndex((each) => !isCase(each)) : undefined
  if (bad !== -1) {
    const place = bad === undefined ? 'the cases' : `cases[${bad}]`
    const expected = bad === undefined ? 'an array' : '{ path, annotation }'
    throw new CheckError('invalid_option', `judge: expected ${place} to be ${expected}.`)
  }
  const file = policyFrom(policy)
  if (file.rules.size > 0)
    throw new CheckError('invalid_option', 'judge: expected a policy without functions; `check` runs them.')
  const inForce = withDefaults(file.policy)
  const annotator = file.annotator ?? given.find(({ annotation }) => annotation?.annotator)?.annotation.annotator ?? ''
  const base = { folder: file.folder, resolve: nodeFiles.resolve }
  const rulesOf = rulesFor(inForce, base)
  const nth = occurrences()
  const judging: Judging = { policy: inForce, limits: { attempts: 1, confirmOnFail: false }, pinned: undefined }
  const cases = given.map((each, index): ReportCase => {
    const { path, annotation } = each
    const conversation = conversationOf({ ...each, transcript: [] })
    const planned: PlannedCase = {
      ...{ index, conversation, body: { annotator, transcript: [] }, digest: '' },
      identity: { path, record: conversation.transcript.place.record, part: 1, sha256: '' },
      ...{ occurrence: nth({ path, sha256: null }), rules: rulesOf(path), entry: undefined, before: null },
      tags: tagsOf(inForce.tags, foldersIn(base)(path), conversation),
      cluster: undefined,
    }
    const faults = faultsOf(annotation, annotator)
    const asked =
      faults.length === 0
        ? answered(judging, planned, [{ annotation, from: 'asked', custom: nothingFound }])
        : answered(judging, planned, [], { error: new MalformedAnnotation(faults, annotation), step: 'fix_request' })
    // The messages are not known, so that only the path tells transcripts apart.
    return { ...reportCase(judging, asked, { turns: false }), sha256: null }
  })
  const paths = cases.map(({ path }) => path)
  return resultOf(
    conclude(cases, {
      ...defaultFacts,
      annotator,
      policy: inForce,
      unmatchedPatterns: unmatchedPatterns(inForce, base, paths),
    }),
  )
}
