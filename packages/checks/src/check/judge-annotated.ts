import type { Annotation } from '@svc/client'
import { type Answered, faultsOf, MalformedAnnotation, type Question } from '../ask/index.js'
import { CheckError } from '../check-error.js'
import { nodeFiles } from '../environment.js'
import { occurrences } from '../identity.js'
import { conclude, defaultFacts, reportCase, tagsOf } from '../judge/index.js'
import { requirePlainData } from '../plain-data.js'
import { foldersIn, rulesFor, unmatchedPatterns, withDefaults } from '../policy/index.js'
import type { ReportCase } from '../report/index.js'
import { conversationOf } from './input.js'
import { type CheckOptions, policyFileOf } from './options.js'
import { resultOfRules } from './plan.js'
import { type CheckResult, resultOf } from './result.js'

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
export function judge(annotated: readonly AnnotatedTranscript[], policy: CheckOptions['policy'] = {}): CheckResult {
  const given = requirePlainData(annotated, 'judge') as readonly AnnotatedTranscript[]
  const isCase = (each: unknown) => typeof Object(each).path === 'string'
  const bad = Array.isArray(given) ? given.findIndex((each) => !isCase(each)) : undefined
  if (bad !== -1) {
    const place = bad === undefined ? 'the cases' : `cases[${bad}]`
    const expected = bad === undefined ? 'an array' : '{ path, annotation }'
    throw new CheckError('invalid_option', `judge: expected ${place} to be ${expected}.`)
  }
  const file = policyFileOf(policy)
  if (file.rules.size > 0)
    throw new CheckError('invalid_option', 'judge: expected a policy without functions; `check` runs them.')
  const inForce = withDefaults(file.policy)
  const annotator = file.annotator ?? given.find(({ annotation }) => annotation?.annotator)?.annotation.annotator ?? ''
  const base = { folder: file.folder, resolve: nodeFiles.resolve }
  const rulesOf = rulesFor(inForce, base)
  const nth = occurrences()
  const cases = given.map((each, index): ReportCase => {
    const { path, annotation } = each
    const rules = rulesOf(path)
    const conversation = conversationOf({ ...each, transcript: [] })
    const body = { annotator, transcript: [] }
    const question: Question = { index, body, digest: '', resultOf: resultOfRules(rules, undefined, inForce) }
    const faults = faultsOf(annotation, annotator)
    const answered: Answered =
      faults.length === 0
        ? { questions: [question], votes: [{ annotation, from: 'asked', custom: new Map() }] }
        : {
            questions: [question],
            votes: [],
            ended: { error: new MalformedAnnotation(faults, annotation), step: 'fix_request' },
          }
    const attempts = { attempts: 1, confirmOnFail: false }
    const tags = tagsOf(inForce.tags, foldersIn(base)(path), conversation)
    // The messages are not known, so that only the path tells transcripts apart.
    const content = { sha256: null, occurrence: nth({ path, sha256: null }) }
    return reportCase(
      { conversation, content, rules, tags, before: null, pinned: undefined, attempts, question, answered },
      { turns: false },
    )
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
