import { placeText as caseLabel, titleText as caseTitle, count, escapeLine, percent, type Titled } from '@svc/text'
import { identityKey } from '../identity.js'
import { type Level, type Result, scale } from '../terms.js'
import type {
  CheckReport,
  Circumstances,
  Comparison,
  Gap,
  LabelFigures,
  MissingTranscript,
  NewlyAccepted,
  RateReport,
  Reason,
  ReportCase,
  ReportError,
  ReportShard,
  ReportSignal,
  Selection,
  Slice,
  Unmatched,
} from './report.js'
import { failsCheck } from './thresholds.js'

export { caseLabel, caseTitle, type Titled }

/**
 * The transcripts of the baseline that a check did not find in the files that it read. `now`: the outcome of the transcript that
 * is in the same place with other content, null if it has none; undefined if there is no such transcript.
 */
export function absentOf({ baseline, cases }: CheckReport): (MissingTranscript & { now?: string | null })[] {
  const placeKey = ({ path, record, part }: Pick<MissingTranscript, 'path' | 'record' | 'part'>) =>
    JSON.stringify([path, record, part])
  const fresh = new Map(cases.flatMap((each) => (each.change === 'new' ? [[placeKey(each), each.outcome]] : [])))
  return (baseline?.missing ?? []).flatMap((each) => {
    if (each.outside) return []
    const now = fresh.get(placeKey(each))
    return [{ ...each, ...(now !== undefined && { now }) }]
  })
}

/** A function that makes untrusted text safe for one format. */
export type Escape = (text: string) => string

/** For a format that is made safe as a whole. */
export const asIs: Escape = (text) => text

/** The number of characters of evidence or another text that most reports show. */
export const maxExcerpt = 500

export const levelText = (level: Level): string => (level === 'critical' ? level : `${level} or worse`)

/** The rules of a policy, as in `failOn poor, 2 forbidden signals, 1 rate`. */
function rulesText({ failOn, forbidden, allowed, required, overrides, rates, custom }: CheckReport['policy']): string {
  const parts = [
    ...(failOn === 'none' ? [] : [`failOn ${failOn}`]),
    ...(forbidden.length > 0 ? [count(forbidden.length, 'forbidden signal')] : []),
    ...(allowed ? [count(allowed.length, 'allowed signal')] : []),
    ...(required.length > 0 ? [count(required.length, 'required signal')] : []),
    ...(rates.length > 0 ? [count(rates.length, 'rate')] : []),
    ...(custom ? [`${count(custom.rules.length, 'rule')} in code`] : []),
    ...(overrides.length > 0 ? [count(overrides.length, 'override')] : []),
  ]
  return parts.length > 0 ? parts.join(', ') : 'no rule'
}

/**
 * The coverage of a check that passed, as in `judged: 3 transcripts from 2 files by structural 1.0.0; rules: failOn poor; 2
 * answers from the cache`. Undefined for any other check, and if it judged nothing.
 */
export function coverageText({ verdict, cases, judged, annotator, versions, policy, requests }: CheckReport) {
  if (verdict !== 'passed' || judged === 0) return undefined
  const files = new Set(cases.flatMap(({ result, path }) => (result === 'not judged' ? [] : path)))
  const by = [annotator, versions.map((each) => each.annotator_version).join(' and ')].filter(Boolean).join(' ')
  return [
    escapeLine(`judged: ${count(judged, 'transcript')} from ${count(files.size, 'file')} by ${by}`),
    `rules: ${rulesText(policy)}`,
    ...(requests.cached > 0 ? [`${count(requests.cached, 'answer')} from the cache`] : []),
  ].join('; ')
}

/** The name of a result, and a sign so that colour is not the only difference. */
export const resultLabels: Record<Result, { word: string; sign: string }> = {
  failed: { word: 'failed', sign: '✕' },
  'not judged': { word: 'not judged', sign: '?' },
  known: { word: 'known from the baseline', sign: '=' },
  warned: { word: 'warned', sign: '!' },
  ignored: { word: 'ignored', sign: '–' },
  passed: { word: 'passed', sign: '✓' },
}

export const placeOf = (
  { path }: Pick<ReportCase, 'path'>,
  at: { line: number | null; column: number | null },
): string => (at.line === null ? path : `${path}:${at.line}:${at.column ?? 1}`)

export function reasonText(reason: Reason, show: Escape): string {
  const waiver = waiverText(reason, show)
  if (reason.rule === 'outcome') return `the outcome is ${show(reason.outcome)}${waiver}`
  if (reason.rule === 'custom') return `the rule ${show(reason.signal)} is broken${waiver}`
  const what = reason.rule === 'required' ? 'is required and did not fire' : `is ${reason.rule}`
  return `the signal ${show(reason.signal)} ${what}${waiver}`
}

/** As in `, known from the baseline (sent to the team; Jo <jo@example.org>; until 2026-12-31)`. */
function waiverText({ known, accepted = {} }: Reason, show: Escape): string {
  const { reason, author, expires } = accepted
  const why = [...[reason, author].flatMap((each) => each ?? []), ...(known && expires ? [`until ${expires}`] : [])]
  const details = why.length > 0 ? ` (${why.map(show).join('; ')})` : ''
  if (known) return `, known from the baseline${details}`
  return expires === undefined ? '' : `, accepted until ${show(expires)}${details}`
}

/** As in `a.json: the outcome is poor`, or `a.json: the signal loop is forbidden (outcome mixed)`. */
export function acceptedText({ finding, outcome, ...each }: NewlyAccepted, show: Escape = asIs): string {
  const { accepted, ...bare } = finding
  const end = finding.rule === 'outcome' ? '' : ` (outcome ${show(outcome)})`
  return `${show(caseLabel(each))}: ${reasonText({ ...bare, known: false }, show)}${end}`
}

export const gapText = ({ why, detail }: Gap, show: Escape): string =>
  detail === null ? why : `${why}: ${show(detail)}`

export const gapTextWithHint = ({ why, detail, temporary }: Gap): string =>
  `${detail === null ? why : `${why}: ${detail}`}${temporary ? ' (running again may close this)' : ''}`

/** As in `“Hello?”`; of a rule of the policy its message, and the evidence if there is any. */
export function evidenceText(
  { message, evidence }: Pick<ReportSignal, 'message' | 'evidence'>,
  show: Escape,
  [open, close]: readonly [string, string] = ['“', '”'],
): string {
  const quote = `${open}${show(evidence)}${close}`
  if (message === undefined) return quote
  return evidence === '' ? show(message) : `${show(message)}: ${quote}`
}

/** The annotator's reason for the outcome of a transcript that fails by it; empty for any other. */
export const failingNotes = ({ reasons, outcome_notes }: Pick<ReportCase, 'reasons' | 'outcome_notes'>): string =>
  reasons.some(({ rule, known }) => rule === 'outcome' && !known) ? (outcome_notes ?? '').trim() : ''

/** `path:line:column` of a signal, or its turn if the file gives no place. */
export const signalPlace = (each: Titled, signal: ReportSignal): string =>
  signal.line === null && signal.turn !== null ? `${caseLabel(each)}, turn ${signal.turn}` : placeOf(each, signal)

/** As in `poor or worse`, or `poor or worse with team=a`. */
export function rateSubject({ of, by, slice = null }: Pick<RateReport, 'of' | 'by' | 'slice'>): string {
  const what = 'signal' in of ? of.signal : levelText(of.outcome)
  return by === undefined ? what : `${what} ${sliceText({ tag: by, value: slice })}`
}

/** As in `with team=a`, or `without team`. */
export const sliceText = ({ tag, value }: Pick<Slice, 'tag' | 'value'>): string =>
  value === null ? `without ${tag}` : `with ${tag}=${value}`

/** As in `2 of 10 failed; 1 not judged`. */
export const sliceCounts = ({ total, judged, results }: Slice): string =>
  `${results.failed} of ${total} failed${judged < total ? `; ${total - judged} not judged` : ''}`

/** As in `poor or worse, at most 5 %`. */
export const rateName = (rate: Pick<RateReport, 'of' | 'max' | 'by' | 'slice'>): string =>
  `${rateSubject(rate)}, at most ${percent(rate.max)}`

/** As in `poor or worse: 6 of 100, 6 %, at most 5 %`. */
export function rateText(rate: Omit<RateReport, 'culprits'>): string {
  const { max, hits, n, verdict } = rate
  const share = n === 0 ? '' : `, ${percent(hits / n)}`
  const limit = verdict === 'cannot tell' ? `too few to compare with ${percent(max)}` : `at most ${percent(max)}`
  const isKnown = verdict === 'exceeded' && !failsCheck(rate)
  return `${escapeLine(rateSubject(rate))}: ${hits} of ${n}${share}, ${limit}${isKnown ? ', known from the baseline' : ''}`
}

export const hitText = (each: Titled, show: Escape): string => `${show(caseTitle(each))} (${show(caseLabel(each))})`

/** The transcripts that an exceeded rate counts, as in `c2 · shop (2) (shop.jsonl record 2): poor; loop at shop.jsonl:7:1`. */
export function hitTexts(
  { culprits }: Pick<RateReport, 'culprits'>,
  cases: readonly Omit<ReportCase, 'turns'>[],
  show: Escape,
): string[] {
  if (culprits.length === 0) return []
  const caseOf = new Map(cases.map((each) => [identityKey(each), each]))
  return culprits.map((culprit) => {
    const { outcome = null, outcome_notes: notes = null, signals = [] } = caseOf.get(identityKey(culprit)) ?? {}
    const why = [
      ...(outcome === null ? [] : [show(outcome)]),
      ...(notes ? [`“${show(notes)}”`] : []),
      ...signals.map((signal) => `${show(signal.key)} at ${show(signalPlace(culprit, signal))}`),
    ]
    return [hitText(culprit, show), why.join('; ')].filter(Boolean).join(': ')
  })
}

const unmatchedText: Record<Unmatched['kind'], (name: string, rules: string) => string> = {
  signal: (name, rules) => `the signal ${name} (${rules}) fired in no transcript`,
  pattern: (name, rules) => `the pattern ${name} (${rules}) matches no file`,
}

/** As in `attempts on a transcript agree in 93.3 % (at least 88.3 %, at most 98.3 %)`. */
export const agreementText = ({ share, least, most }: NonNullable<CheckReport['self_agreement']>): string =>
  `attempts on a transcript agree in ${percent(share)} (at least ${percent(least)}, at most ${percent(most)})`

/** As in `of 14 flips about 6 are expected from noise`; undefined if no unchanged transcript fails by another judge. */
export function noiseText({ causes, judge_noise }: Pick<Comparison, 'causes' | 'judge_noise'>): string | undefined {
  const { now_fail } = causes.judge
  if (now_fail === 0) return undefined
  const of = `of ${count(now_fail, 'flip')}`
  if (judge_noise === null)
    return `${of} it is not known how many are expected from noise: check both versions with --attempts 3 and without --confirm-on-fail`
  const noise = Math.round(judge_noise)
  const about = noise === 0 ? 'none is' : noise === 1 ? 'about 1 is' : `about ${noise} are`
  return `${of} ${about} expected from noise`
}

export const errorLines = ({ details, hint }: ReportError, show: Escape): string[] => [
  ...details.map(show),
  ...(hint === null ? [] : [`hint: ${show(hint)}`]),
]

/** A sentence for each rule of the policy that matched nothing, and so may be misspelled. */
export const unmatchedLines = ({ unmatched }: Pick<CheckReport, 'unmatched'>, show: Escape = asIs): string[] =>
  unmatched.map(({ kind, name, rules, meant }) => {
    const likely = meant === null ? '' : `; did you mean ${show(meant)}?`
    return `${unmatchedText[kind](show(name), rules.join(', '))}${likely}`
  })

export const noteLines = (report: Pick<CheckReport, 'unmatched' | 'notes'>, show: Escape): string[] => [
  ...report.notes.map(show),
  ...unmatchedLines(report, show),
]

/** As in `a sample of 20, seed 0; where team=a; 80 not selected`. */
export function selectionText({ sample, seed, only_failed, where, not_selected }: Selection): string {
  return [
    ...(sample === null ? [] : [`a sample of ${sample}, seed ${seed}`]),
    ...(only_failed === null ? [] : [`only failed in ${only_failed}`]),
    ...Object.entries(where).map(([name, value]) => `where ${name}=${value}`),
    `${not_selected} not selected`,
  ].join('; ')
}

/** As in `2 of 3; 12 transcripts in all; limits of each shard: maxTokens; limits of the merge: minJudged, rates`. */
export function shardText({ numbers, count: of, total, own_limits, merged_limits }: ReportShard): string {
  return [
    `${numbers.join(', ')} of ${of}`,
    ...(total === undefined ? [] : [`${count(total, 'transcript')} in all`]),
    ...(own_limits.length > 0 ? [`limits of each shard: ${own_limits.join(', ')}`] : []),
    `limits of the merge: ${merged_limits.join(', ')}`,
  ].join('; ')
}

/** Lines about the labels of people: the table, the rates or what they lack, and who labelled. */
export function labelLines(labels: LabelFigures, show: Escape): string[] {
  const { table, chosen, rates, missing, people, notes } = labels
  const counted = (['failed', 'passed', 'neither'] as const).flatMap((verdict) => {
    const { good, bad, unsure } = table[verdict]
    if (good + bad + unsure === 0) return []
    const name = verdict === 'neither' ? 'not judged or indeterminate' : verdict
    return [`${name}: ${good} good, ${bad} bad, ${unsure} unsure`]
  })
  const lacks = (['failed', 'passed'] as const).flatMap((stratum) =>
    missing && missing[stratum] > 0 ? [`${count(missing[stratum], 'label')} of transcripts that ${stratum}`] : [],
  )
  return [
    ...counted,
    ...(rates ? rateLines(rates) : []),
    ...(lacks.length > 0
      ? [
          `no rates yet: ${lacks.join(' and ')} ${lacks.length > 1 || !/^1 /.test(lacks[0] ?? '') ? 'are' : 'is'} missing`,
        ]
      : []),
    ...(chosen > 0 ? [`${count(chosen, 'transcript')} chosen by a person: no rates`] : []),
    ...people.agreement.map(({ a, b, common, same }) => `${show(a)} and ${show(b)} agree on ${same} of ${common}`),
    ...notes.map(show),
  ]
}

function rateLines({
  bad,
  true_positive,
  true_negative,
  kappa,
  tells_apart,
}: NonNullable<LabelFigures['rates']>): string[] {
  const shown = (share: number | null) => (share === null ? 'unknown' : percent(share))
  return [
    `bad: ${percent(bad.share)} (at least ${percent(bad.least)}, at most ${percent(bad.most)})`,
    `true positive rate ${shown(true_positive)}, true negative rate ${shown(true_negative)}${kappa === null ? '' : `, κ ${kappa.toFixed(2)}`}`,
    ...(tells_apart === false ? ['this annotator does not tell good from bad here'] : []),
  ]
}

/** As in `EUR 0.0120`. */
export const money = (currency: string, amount: number): string =>
  `${currency} ${amount.toFixed(Math.abs(amount) < 1 ? 4 : 2)}`

export const moneyText = (currency: string, amount: number | null): string =>
  amount === null ? 'an unknown amount' : money(currency, amount)

export const numberText = (n: number | null, shown: (n: number) => string = String): string =>
  n === null ? 'unknown' : shown(n)

export const sumOf = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)

/** As in `EUR 1.20 spent, EUR 0.0300 saved by the cache and equal transcripts`. */
export const costText = ({ currency, spent, saved }: NonNullable<CheckReport['cost']>): string =>
  `${moneyText(currency, spent)} spent, ${moneyText(currency, saved)} saved by the cache and equal transcripts`

/** Names and values, without those that are not known. */
export function circumstanceEntries(report: Circumstances): [name: string, value: string][] {
  const {
    paths,
    filters = {},
    service,
    options,
    attempts,
    confirm_on_fail,
    selection,
    control,
    shard,
    svc_versions,
    ended_at,
    commit,
  } = report
  const facts = {
    ...{ ended_at, commit, path: paths, service },
    filter: Object.entries(filters).map(([name, value]) => `${name}=${value}`),
    options: options && JSON.stringify(options),
    ...{ attempts, confirm_on_fail },
    selection: selection && selectionText(selection),
    control,
    shard: shard && shardText(shard),
    svc_version: svc_versions,
  }
  return Object.entries(facts).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
  )
}

export function historyLines({ flaky, votes, change, before, outcome }: ReportCase, show: Escape): string[] {
  return [
    ...(flaky ? [`flaky: attempts gave ${votes.map(show).join(', ')}`] : []),
    ...(change === 'new' ? ['not in the baseline'] : []),
    ...(before !== null && before !== outcome ? [`${show(before)} in the baseline`] : []),
  ]
}

export function badness(outcome: string | null): number {
  const rank = (scale as readonly (string | null)[]).indexOf(outcome)
  return rank < 0 ? scale.length : scale.length - 1 - rank
}

export const worstCasesFirst = ({ cases }: CheckReport, result: ReportCase['result']): ReportCase[] =>
  cases.filter((each) => each.result === result).sort((a, b) => badness(a.outcome) - badness(b.outcome))
