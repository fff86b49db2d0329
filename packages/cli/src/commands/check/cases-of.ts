import type { PlannedAnnotation } from '../../annotating.js'
import { type Baseline, type Identity, type Matched, matchBaseline } from '../../checks/baseline/baseline.js'
import { pathFrom } from '../../checks/baseline/baseline-file.js'
import { bodyDigest } from '../../checks/cache/cache.js'
import type { Case } from '../../checks/cases.js'
import { judge } from '../../checks/judge.js'
import { isHit } from '../../checks/rates.js'
import type { Io } from '../../io.js'
import type { Setup } from './setup.js'

/** The transcripts of a check, each with its rules and what the baseline says of it. */
export interface PlannedCases {
  /** In the order of the input; nothing was asked yet. */
  cases: Case[]
  identities: Identity[]
  matched: Matched
}

/** Puts the transcripts that are to be asked about beside what they are held to. */
export function casesOf(
  io: Io,
  requests: readonly PlannedAnnotation[],
  { rulesFor, baseline: named, policy, attempts, confirmOnFail }: Setup,
  baseline: Baseline | undefined,
): PlannedCases {
  const identities = requests.map(({ conversation: { source, transcript, part }, body }): Identity => {
    const path = named ? pathFrom(io, named.path, source.path) : source.path
    const id = transcript.externalId === undefined ? {} : { external_id: transcript.externalId }
    return { path, record: transcript.place.record, part, ...id, sha256: bodyDigest(body.transcript) }
  })
  const isHeld = baseline !== undefined && named?.update === false
  const matched = isHeld ? matchBaseline(baseline, identities) : { entries: [], missing: [] }
  const cases = requests.map(({ conversation, body, index }, at): Case => {
    const rules = rulesFor(conversation.source.path)
    const before = isHeld ? matched.entries[at] : null
    const resultOf: Case['question']['resultOf'] = (annotation) => ({
      outcome: annotation.outcome,
      fails: judge(annotation, rules, before ?? undefined).result === 'failed',
      counts: policy.rates.some((rate) =>
        isHit(rate, annotation.outcome, (key) => Object.hasOwn(annotation.signals, key)),
      ),
    })
    const question = { index, body, digest: bodyDigest(body), resultOf }
    const pinned = isHeld ? baseline : undefined
    return { conversation, rules, before, pinned, attempts: { attempts, confirmOnFail }, asked: undefined, question }
  })
  return { cases, identities, matched }
}
