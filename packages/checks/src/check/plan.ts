import { type Clock, systemClock } from '@svc/client'
import {
  acceptedFor,
  type Baseline,
  type BaselineEntry,
  type BaselineWriter,
  baselineOfValue,
  dayOf,
  type Identity,
  matchBaseline,
  pathFrom,
  refuseOtherAnnotator,
} from '../baseline/index.js'
import { CheckError } from '../check-error.js'
import { type Against, namedReports, refuseContradictory } from '../compare/index.js'
import { nodeFiles } from '../environment.js'
import type { Files } from '../files.js'
import { occurrences } from '../identity.js'
import { clusterOf, type Tags, tagsOf } from '../judge/index.js'
import { foldersIn, isPolicyFile, type PolicyFile, rulesFor, unmatchedPatterns, withDefaults } from '../policy/index.js'
import type { ReportShard, Selection } from '../report/index.js'
import type { CustomRules } from '../rules/index.js'
import type { Unread } from '../transcript.js'
import { digestOf } from '../values.js'
import { refuseUnclearAcceptance } from './accept-judge.js'
import type { Judging, PlannedCase } from './case.js'
import { type CheckInput, readInput } from './input.js'
import { checkedOptions } from './options.js'
import { type CheckPolicy, policyFrom } from './policy-value.js'
import { controlContents, type SelectionRule, type Shard, selectCases, shardCases, withDrawn } from './select.js'
import { isStored, type StoredList } from './stored.js'

/** Options of `planCheck`. */
export interface PlanOptions {
  /**
   * The transcripts to check, in the order of the report, or those of `storedTranscripts`. All are read before the first
   * request. An error of an iterable ends the check, and is thrown.
   */
  transcripts: AsyncIterable<CheckInput> | Iterable<CheckInput>
  /** The id of the annotator. Default: that of the policy. */
  annotator?: string | undefined
  /** A policy as a value, or as `readPolicy` gives it. Functions of a value run in this process, and may be async. Default: fail at `poor`. */
  policy?: CheckPolicy | PolicyFile | undefined
  /** Annotation options. They override those of the policy. */
  options?: Record<string, unknown> | undefined
  /** How often each transcript is annotated, from 1 to 9. It fails if at least half fail. Default: that of the policy, else 1. */
  attempts?: number | undefined
  /** Repeat only transcripts that fail at first. Default: that of the policy, else false. */
  confirmOnFail?: boolean | undefined
  /** Which of the transcripts are checked. Default: all. */
  select?: SelectionRule | undefined
  /**
   * Judge one of several parts of the transcripts, by their content. Each part needs all transcripts, and the merge of its
   * reports decides. Default: judge all.
   */
  shard?: Shard | undefined
  /** The accepted findings, as `readBaseline` gives them: they fail nothing. */
  baseline?: Baseline | undefined
  /** The file of the baseline; its paths are relative to its folder. Default: `svc.baseline.json`. */
  baselinePath?: string | undefined
  /** Accept all findings into the baseline in place of failing on them. Called once all transcripts are judged. Default: no update. */
  updateBaseline?: BaselineWriter | undefined
  /**
   * `judge`: accept only what another version of the annotator changed, in place of all findings. Those are the findings of
   * transcripts that pass in `against`, have the same content, and now fail. `against` and `baseline` must be of one version.
   * What still fails keeps its entry. Needs `updateBaseline`. Default: accept all findings.
   */
  accept?: 'judge' | undefined
  /**
   * A report of an earlier check: the check fails if it is worse. Without `report` there is none yet, and nothing is compared.
   * Default: no comparison.
   */
  against?: Against | undefined
  /**
   * Ask about so many transcripts again, past the cache, that `against` has too: they show if the annotator drifted. Default: 0.
   */
  control?: number | undefined
  /** The checked paths, as reports show them. Default: not shown. */
  paths?: readonly string[] | undefined
  /** The time. Default: that of the machine. */
  clock?: Clock | undefined
  /** How paths become absolute, and which are there. Default: the files of the machine. */
  files?: Pick<Files, 'resolve' | 'isThere'> | undefined
  /** Awaited between transcripts; what it throws ends the plan. */
  pause?: (() => Promise<void>) | undefined
}

/** The requests of a check before they are sent, and how their answers are judged. Nothing changes it. */
export interface CheckPlan extends Judging {
  /** The id of the annotator. */
  annotator: string
  /** The place in the policy that names the annotator. */
  annotatorPlace: string | undefined
  /** Annotation options; undefined without any. */
  options: Record<string, unknown> | undefined
  /** The transcripts to annotate, in the order of the input. */
  cases: readonly PlannedCase[]
  /** The files and records that could not be read, and what a selection did not find again. */
  unread: readonly Unread[]
  /** The number of transcripts and unread files of the input, and of those that are selected, in all shards. */
  counts: { found: number; selected: number }
  /** The list of stored transcripts; undefined for others. */
  stored: StoredList | undefined
  /** The selection, as the report has it. */
  selection: Selection | undefined
  /** The shard, as the report has it. */
  shard: ReportShard | undefined
  /** The baseline; undefined without one. */
  baseline: PlannedBaseline | undefined
  /** The report that the check is compared with; undefined without one. */
  against: Against | undefined
  /** The number of unchanged transcripts that are asked about again; undefined without `control`. */
  control: number | undefined
  /** The checked paths. */
  paths: readonly string[] | null
  /** The paths of all transcripts of the input. */
  roots: readonly string[]
  /** Patterns of overrides that match no transcript of the input. */
  unmatchedPatterns: readonly string[]
  /** The functions of the policy. */
  custom: CustomRules
  /** Rejects with the reason if code of the policy failed outside of a rule: then nothing is judged. */
  verify: (() => Promise<void>) | undefined
  /** The tags of a path that could not be read. */
  tagsOfPath(path: string): Tags
  /** The day in UTC on which acceptances may have expired, as in `2026-11-27`. */
  today: string
  /** As in the options. */
  files: Pick<Files, 'resolve' | 'isThere'>
}

/** The baseline of a plan. */
export interface PlannedBaseline {
  /** Its file. */
  path: string
  /** Undefined if there is none yet. */
  before: Baseline | undefined
  /** Writes it with all findings; undefined if these are held to it. */
  write: BaselineWriter | undefined
  /** As in the options. */
  accept: 'judge' | undefined
  /** The entries whose transcripts are not found. */
  missing: readonly BaselineEntry[]
}

/**
 * Read the transcripts, and plan the requests for them. The first of three steps of a check.
 *
 * @throws {CheckError} for options or a policy that cannot be used
 *
 * @example
 * const plan = await planCheck({ annotator: 'structural', transcripts })
 * const answers = await askPlan(plan, { client })
 * const { report } = await concludeCheck(plan, answers)
 */
export async function planCheck(options: PlanOptions): Promise<CheckPlan> {
  const given = checkedOptions(options, ['transcripts'])
  const before = given.baseline && baselineOfValue(given.baseline, 'check')
  const { baselinePath: path = 'svc.baseline.json', clock = systemClock, files = nodeFiles } = given
  const { pause = async () => {}, updateBaseline } = given
  const file = policyFrom(given.policy ?? {}, given.clock, files)
  const { annotator, limits } = runOf(given, file)
  if (given.against?.report) refuseContradictory(namedReports('check: against', [given.against]))
  if (before && !updateBaseline) refuseOtherAnnotator(path, before, annotator)
  const ofRequests = file.options || given.options ? { ...file.options, ...given.options } : undefined
  const { against, accept } = given
  if (accept)
    refuseUnclearAcceptance(
      { path, before, against, isUpdate: updateBaseline !== undefined },
      { annotator, options: ofRequests },
    )
  const policy = withDefaults(file.policy)
  const base = { folder: file.folder, resolve: files.resolve }
  const foldersOf = foldersIn(base)
  const tagsOfPath = (path: string) => tagsOf(policy.tags, foldersOf(path))
  const today = dayOf(clock.now())
  const { requests, unread } = await readInput(given.transcripts, { annotator, options: ofRequests })
  const stored = isStored(given.transcripts) ? await given.transcripts.list() : undefined
  if (stored && given.select?.sample !== undefined)
    throw new CheckError('invalid_option', 'check: expected select without sample for stored transcripts.', {
      hint: 'give storedTranscripts the sample: it is drawn before they are read',
    })
  const identities: Identity[] = []
  for (const { conversation, body } of requests) {
    await pause()
    const { source, transcript, part } = conversation
    const id = transcript.externalId === undefined ? {} : { external_id: transcript.externalId }
    const place = { path: pathFrom(files, path, source.path), record: transcript.place.record, part }
    identities.push({ ...place, ...id, sha256: digestOf(body.transcript) })
  }
  const held = updateBaseline ? undefined : before
  const { entries, missing } = held ? matchBaseline(held, identities) : { entries: [], missing: [] }
  const nth = occurrences()
  const rulesOf = rulesFor(policy, base)
  const cases: PlannedCase[] = []
  for (const [index, { conversation, body, refusal }] of requests.entries()) {
    await pause()
    const identity = identities[index] as Identity
    const entry = entries[index]
    const tags = tagsOf(policy.tags, foldersOf(conversation.source.path), conversation)
    cases.push({
      ...{ index, conversation, body, digest: digestOf(body), identity, occurrence: nth(identity) },
      rules: rulesOf(conversation.source.path),
      tags,
      cluster: conversation.cluster ?? clusterOf(policy.cluster, tags, conversation),
      entry,
      before: held ? entry && acceptedFor(entry, identity.sha256, today) : null,
      ...(refusal !== undefined && { refusal }),
    })
  }
  const roots = cases.map(({ conversation }) => conversation.source.path)
  const selected = given.select ? selectCases({ cases, unread }, given.select) : { cases, unread, selection: undefined }
  const control = controlContents(selected.cases, { report: against?.report, size: given.control ?? 0 })
  const marked = selected.cases.map((each) => (control.has(each.identity.sha256) ? { ...each, isControl: true } : each))
  const chosen = { cases: marked, unread: selected.unread }
  const part = given.shard ? shardCases(chosen, given.shard, policy) : { ...chosen, shard: undefined }
  return {
    ...{ annotator, policy, limits, pinned: held, options: ofRequests, roots, today, files, tagsOfPath },
    annotatorPlace: given.annotator === undefined && isPolicyFile(given.policy) ? file.annotatorPlace() : undefined,
    ...{ cases: part.cases, unread: part.unread, stored, shard: part.shard },
    selection: stored ? withDrawn(selected.selection, stored) : selected.selection,
    counts: { found: cases.length + unread.length, selected: selected.cases.length + selected.unread.length },
    baseline: before || updateBaseline ? { path, before, write: updateBaseline, accept, missing } : undefined,
    against,
    control: given.control === undefined ? undefined : control.size,
    paths: given.paths ? [...given.paths] : stored ? [stored.project] : null,
    unmatchedPatterns: unmatchedPatterns(policy, base, roots),
    ...{ custom: file.rules, verify: file.verify },
  }
}

/** The annotator and the attempts of a run: those of the options, else those of the policy. */
function runOf(given: PlanOptions, file: PolicyFile): Pick<CheckPlan, 'annotator' | 'limits'> {
  const { annotator = file.annotator } = given
  const { attempts = file.attempts ?? 1, confirmOnFail = file.confirmOnFail ?? false } = given
  const wrong = (option: string, expected: string) =>
    new CheckError('invalid_option', `check: expected ${option} to be ${expected}.`)
  if (annotator === undefined) throw wrong('annotator', 'the id of an annotator, here or in the policy')
  if (confirmOnFail && attempts < 2) throw wrong('attempts', '2 or more, because confirmOnFail is set')
  return { annotator, limits: { attempts, confirmOnFail } }
}
