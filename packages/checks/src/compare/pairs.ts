import { canonicalJson } from '@svc/text'
import { matchTranscripts } from '../identity.js'
import { judge } from '../judge/index.js'
import type { Cause, CheckReport, Comparison, ReportCase } from '../report/index.js'
import { nothingFound } from '../rules/index.js'
import { judgeDifferences, repeatedRuns, ruleDifferences, runsOf } from './comparable.js'

/** A transcript of both reports. */
export interface Pair {
  old: ReportCase
  new: ReportCase
  /** OLD's verdict by its own rules: true if it fails, undefined if it is not judged. */
  failedByOwnRules: boolean | undefined
  /** OLD's verdict by NEW's rules. */
  failed: boolean | undefined
  fails: boolean | undefined
}

export type JudgedPair = Pair & { failed: boolean; fails: boolean }

/** The transcripts of two reports, in pairs and alone. */
export interface Paired {
  all: readonly Pair[]
  /** Equal pairs once. */
  distinct: readonly Pair[]
  /** Transcripts of NEW alone, and of OLD alone. */
  added: readonly ReportCase[]
  missing: readonly ReportCase[]
  /** The settings of the judge, and the rules, in which the reports differ. */
  judge: Comparison['judge']
  rules: Comparison['judge']
  /** Why the verdicts of OLD cannot be told under NEW's rules; undefined if they can. */
  obstacle: string | undefined
  causeOf(pair: Pair): PairCause
}

/** `unchanged`: nothing could change the verdict. `read_differently`: the same record was read as other content. */
export type PairCause = Cause | 'unchanged' | 'read_differently'

/** Pair the transcripts of two reports. NEW's rules judge both. */
export function pairsOf(before: CheckReport, after: CheckReport): Paired {
  const rules = ruleDifferences(before, after)
  const obstacle = rules.length > 0 ? obstacleToJudgeAgain(before, after) : undefined
  const judgeAgain = rules.length > 0 && obstacle === undefined ? againBy(after) : failsIn
  const { entries, missing } = matchTranscripts(before.cases, after.cases)
  const all = after.cases.flatMap((each, at): Pair[] => {
    const was = entries[at]
    if (!was) return []
    return [{ old: was, new: each, failedByOwnRules: failsIn(was), failed: judgeAgain(was), fails: failsIn(each) }]
  })
  const judgeOf = judgeDifferences(before, after)
  const isSameRun = judgeOf.every(({ what }) => differByTranscript.includes(what))
  return {
    ...{ all, distinct: distinct(all), missing, judge: judgeOf, rules, obstacle },
    added: after.cases.filter((_, at) => !entries[at]),
    causeOf: (pair) => causeOf(pair, isSameRun),
  }
}

/** True if a transcript breaks a rule, known from the baseline or not; undefined if it is not judged. */
export const failsIn = ({ result, reasons }: ReportCase): boolean | undefined =>
  result === 'not judged' ? undefined : reasons.length > 0

/** Why the verdicts of OLD cannot be told under NEW's rules. */
function obstacleToJudgeAgain(before: CheckReport, { policy }: CheckReport): string | undefined {
  const why =
    canonicalJson(before.policy.custom ?? null) !== canonicalJson(policy.custom ?? null)
      ? 'the code of the rules changed'
      : policy.overrides.length > 0
        ? 'the rules have overrides for some files'
        : (before.attempts ?? 1) > 1 || before.cases.some(({ votes }) => votes.length > 1)
          ? 'it has several attempts, and not the signals of each'
          : undefined
  return why && `The rules changed, and OLD cannot be judged by those of NEW: ${why}. Check the old transcripts again.`
}

/** Judges transcripts of an earlier report by the rules of this one. */
function againBy({ policy }: CheckReport): (each: ReportCase) => boolean | undefined {
  return (each) => {
    const { outcome, signals, reasons, gap } = each
    if (outcome === null || (gap && gap.why !== 'indeterminate' && gap.why !== 'unknown outcome')) return undefined
    const fired = signals.map(({ key }) => [key, {}])
    const findings = reasons.flatMap((reason) =>
      reason.rule === 'custom' ? [{ rule: reason.signal, message: '', evidence: '', turn: null }] : [],
    )
    const again = judge(
      { outcome, signals: Object.fromEntries(fired) } as Parameters<typeof judge>[0],
      policy,
      undefined,
      {
        ...nothingFound,
        findings,
      },
    )
    return again.result === 'not judged' ? undefined : again.reasons.length > 0
  }
}

export const isJudged = (pair: Pair): pair is JudgedPair => pair.failed !== undefined && pair.fails !== undefined

/** Equal pairs once: of those with the same contents and verdicts one that was asked again, if there is one. */
function distinct(pairs: readonly Pair[]): Pair[] {
  const keyOf = ({ old, new: now, failed, fails }: Pair) =>
    old.sha256 === null || now.sha256 === null
      ? undefined
      : canonicalJson([old.sha256, now.sha256, failed ?? null, fails ?? null])
  const kept = new Map<string, number>()
  const distinctPairs: Pair[] = []
  for (const pair of pairs) {
    const key = keyOf(pair)
    const at = key === undefined ? undefined : kept.get(key)
    if (at === undefined) {
      if (key !== undefined) kept.set(key, distinctPairs.length)
      distinctPairs.push(pair)
    } else if (isAskedAgain(pair.new)) distinctPairs[at] = pair
  }
  return distinctPairs
}

const isAskedAgain = ({ answer, answers, votes }: ReportCase): boolean =>
  answers ? answers.every(({ from }) => from === 'asked') : votes.length === 1 && answer === 'asked'

export const isSameContent = ({ old, new: now }: Pick<Pair, 'old' | 'new'>): boolean =>
  old.sha256 !== null && old.sha256 === now.sha256

/** Settings of the judge in which the transcripts of one report may differ from each other. */
const differByTranscript: readonly string[] = ['annotator version', repeatedRuns]

/** Why the verdict of a pair may be another one. `isSameRun`: the judge is the same, but for what each transcript says. */
function causeOf({ old, new: now }: Pair, isSameRun: boolean): PairCause {
  const isSameJudge =
    isSameRun &&
    old.annotator_version === now.annotator_version &&
    old.taxonomy_version === now.taxonomy_version &&
    runsOf(old) === runsOf(now)
  if (!isSameContent({ old, new: now })) {
    if (old.source_hash !== undefined && old.source_hash === now.source_hash) return 'read_differently'
    return isSameJudge ? 'content' : 'content_or_judge'
  }
  if (!isSameJudge) return 'judge'
  return isAskedAgain(now) ? 'repeat' : 'unchanged'
}
