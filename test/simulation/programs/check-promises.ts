import type { CheckReport, ReportCase } from '@svc/checks'
import type { GivenAnswer } from './annotator.js'

/** A transcript that a check was given. */
export interface CheckedTranscript {
  path: string
  /** From 1. */
  record: number
  /** Undefined for a file that holds no transcript. */
  content: string | undefined
}

/** A result that a baseline accepts. */
export interface AcceptedResult {
  content: string
  outcome: string
  annotator_version: string
}

/** A run of `svc check` that came to its end. */
export interface EndedCheck {
  code: number
  report: CheckReport
  transcripts: readonly CheckedTranscript[]
  /** All answers so far, and the versions that the registry listed in this run. */
  given: readonly GivenAnswer[]
  listed: readonly string[]
  attempts: number
  confirmsOnFail: boolean
  isUpdate: boolean
  /** Undefined without a baseline. */
  accepted: readonly AcceptedResult[] | undefined
  /** The requests for an annotation that can have reached the service. */
  sent: number
  isStopped: boolean
}

const scale = ['strong', 'mixed', 'poor', 'critical']
const isFailing = (outcome: string) => outcome === 'poor' || outcome === 'critical'
const isUngraded = (outcome: string) => !scale.includes(outcome)

/** The sentences of design section 6, "Check", that do not hold of a run. */
export function brokenCheck(run: EndedCheck): string[] {
  const { code, report, transcripts, sent, isStopped } = run
  const broken: string[] = []
  const holds = (isTrue: boolean, sentence: string) => {
    if (!isTrue) broken.push(sentence)
  }
  const { cases, error, requests } = report
  holds(report.exit === code, `a report never says something else than the exit code: ${report.exit} and ${code}`)
  holds(code !== 1 && code !== 2, `no run ends with a bug or a usage error: ${code}`)
  holds(code !== 143 || isStopped, '143 means that it was stopped')
  holds(code === 143 || !isStopped || error !== null, `a stopped run ends with 143, not ${code}`)
  if (!error) {
    holds(
      cases.length === transcripts.length,
      `everything that the paths name is counted: ${cases.length} of ${transcripts.length}`,
    )
    holds(requests.sent === sent, `the report counts the requests as the service does: ${requests.sent}, not ${sent}`)
  }
  for (const each of cases) broken.push(...brokenCase(each, run))

  const failed = cases.filter(({ result }) => result === 'failed')
  const gaps = cases.flatMap(({ gap }) => gap ?? [])
  if (code === 0) {
    holds(!error && failed.length === 0 && gaps.length === 0, `never green unjudged: ${JSON.stringify(gaps)}`)
    holds(
      transcripts.every(({ content }) => content !== undefined),
      'a file without a transcript is not judged',
    )
  }
  if (code === 100) holds(failed.length > 0, '100 means that a transcript fails')
  if (code === 75 || code === 101) {
    holds(failed.length === 0, 'a failing finding → 100 even if others are missing')
    if (!error) holds(gaps.length > 0, `${code} means that a transcript is not judged`)
    if (!error)
      holds(gaps.every(({ temporary }) => temporary) === (code === 75), 'only temporary gaps → 75; any other gap → 101')
  }
  return broken
}

/** The sentences that do not hold of one transcript in a report. */
function brokenCase(each: ReportCase, run: EndedCheck): string[] {
  const { transcripts, given, listed, attempts, confirmsOnFail, accepted, isUpdate } = run
  const { path, record, result, outcome, votes, annotator_version } = each
  const { content } = transcripts.find((one) => one.path === path && one.record === record) ?? {}
  const broken: string[] = []
  const holds = (isTrue: boolean, sentence: string) => {
    if (!isTrue) broken.push(`${sentence}: ${path} ${result} ${outcome} [${votes}]`)
  }
  if (outcome !== null) {
    const answer = given.find(({ outcome_notes }) => outcome_notes === each.outcome_notes)
    const isOwn = answer?.content === content && answer?.outcome === outcome && !answer.isMalformed
    holds(isOwn && answer.annotator_version === annotator_version, 'an answer is that of its own transcript')
    if (each.answer === 'cached')
      holds(listed.includes(annotator_version ?? ''), 'the cache never gives an answer of another version')
  }
  const answers = given.filter((one) => one.content === content && !one.isMalformed)
  for (const vote of new Set(votes)) {
    const count = (all: readonly string[]) => all.filter((each) => each === vote).length
    holds(count(votes) <= count(answers.map((one) => one.outcome)), 'each vote is an answer of the service of its own')
  }
  const failing = votes.filter(isFailing).length
  const ungraded = votes.filter(isUngraded).length
  if (result === 'passed') {
    // A missing attempt could have been a failure, unless a first one that passes needs no other.
    const isConfirmed = confirmsOnFail && votes.length > 0 && !isFailing(votes[0] ?? '')
    const missing = isConfirmed ? 0 : attempts - votes.length
    const most = isConfirmed ? votes.length : attempts
    holds(2 * (failing + missing) < most, 'more than half decides, half is failing, and a missing answer never passes')
    holds(2 * (ungraded + missing) < most, 'half or more without an outcome on the scale is not judged')
  }
  if (result === 'failed') holds(2 * failing >= attempts, 'a transcript fails by what the service answered')
  if (result === 'known')
    holds((isUpdate || accepted !== undefined) && isFailing(outcome ?? ''), 'only a baseline waives a finding')
  if (outcome === null || accepted === undefined || isUpdate) return broken
  const entries = accepted.filter((entry) => entry.content === content)
  const waives = entries.filter((entry) => scale.indexOf(outcome) <= scale.indexOf(entry.outcome))
  const isPinned = accepted.every((entry) => entry.annotator_version === annotator_version)
  if (result === 'known') holds(waives.length > 0 && isPinned, 'a baseline waives a finding only for equal content')
  const isSure =
    waives.length === entries.length && transcripts.filter((one) => one.content === content).length <= entries.length
  if (result === 'failed' && isSure) holds(waives.length === 0, 'every baseline is used as written')
  if (!isPinned) holds(result === 'not judged', 'baselines refuse to compare across versions')
  return broken
}
