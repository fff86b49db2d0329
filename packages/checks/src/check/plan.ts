import type { AnnotationBody, AttemptLimits, Question } from '../ask/index.js'
import { type Baseline, entryOn, type Identity, type Matched, matchBaseline } from '../baseline/index.js'
import { type Content, occurrences } from '../identity.js'
import { type BaselineResult, type Case, isHit, judge, type Tags, tagsOf } from '../judge/index.js'
import type { Policy, Rules } from '../report/index.js'
import { type CheckedTranscript, type CustomRules, runRules } from '../rules/index.js'
import { recheck, type SelectionRule, select } from '../selection.js'
import type { Conversation, Unread } from '../transcript.js'
import { digestOf } from '../values.js'

export interface Request {
  /** The index in the input. */
  index: number
  conversation: Conversation
  body: AnnotationBody
}

/** SHA-256 in hex of the messages as they are sent. */
export const contentHash = (messages: AnnotationBody['transcript']): string => digestOf(messages)

/** The transcripts of a check, each with its rules and its baseline entry, in the order of the input. */
export type Planned = Awaited<ReturnType<typeof planCases>>

export interface PlanSettings extends AttemptLimits {
  policy: Policy
  rulesFor(path: string): Rules
  /** The functions of the policy. */
  custom: CustomRules
  /** The folders of a path, from the folder of the policy. */
  foldersOf(path: string): string[]
  baseline: Baseline | undefined
  /** The day in UTC on which acceptances may have expired, as in `2026-11-27`. */
  today: string
  nameInBaseline(path: string): string
  /** Awaited between transcripts. */
  pause?(): Promise<void>
}

export async function planCases(requests: readonly Request[], settings: PlanSettings) {
  const { policy, rulesFor, custom, foldersOf, baseline, today, nameInBaseline, attempts, confirmOnFail } = settings
  const { pause = async () => {} } = settings
  const identities: Identity[] = []
  const contents: Content[] = []
  const nth = occurrences()
  for (const { conversation, body } of requests) {
    await pause()
    const { source, transcript, part } = conversation
    const path = nameInBaseline(source.path)
    const id = transcript.externalId === undefined ? {} : { external_id: transcript.externalId }
    const sha256 = contentHash(body.transcript)
    identities.push({ path, record: transcript.place.record, part, ...id, sha256 })
    contents.push({ sha256, occurrence: nth({ path, sha256 }) })
  }
  const matched: Matched = baseline ? matchBaseline(baseline, identities) : { entries: [], missing: [] }
  const cases: Case[] = []
  for (const [at, { conversation, body, index }] of requests.entries()) {
    await pause()
    const rules = rulesFor(conversation.source.path)
    const entry = matched.entries[at]
    const before = baseline ? entry && entryOn(entry, today) : null
    const tags = tagsOf(policy.tags, foldersOf(conversation.source.path), conversation)
    const transcript = custom.size > 0 && checkedTranscript(conversation, body, tags)
    const question: Question = {
      index,
      body,
      digest: digestOf(body),
      ...(transcript && { runRules: (annotation) => runRules(custom, transcript, annotation) }),
      resultOf: resultOfRules(rules, before ?? undefined, policy),
    }
    const limits = { attempts, confirmOnFail }
    const content = contents[at] ?? { sha256: null, occurrence: 1 }
    const planned = { conversation, content, rules, tags, before, pinned: baseline, attempts: limits, question }
    cases.push({ ...planned, answered: undefined })
  }
  return { cases, identities, matched }
}

export const resultOfRules =
  (rules: Rules, before: BaselineResult | undefined, { rates }: Policy): Question['resultOf'] =>
  (annotation, found) => {
    const isFired = (key: string) =>
      Object.hasOwn(annotation.signals, key) || found.findings.some(({ rule }) => rule === key)
    return {
      outcome: annotation.outcome,
      fails: judge(annotation, rules, before, found).result === 'failed',
      counts: rates.some((rate) => isHit(rate, annotation.outcome, isFired)),
    }
  }

/** A transcript as the functions of the policy see it. */
function checkedTranscript(
  { source, transcript, name, part }: Conversation,
  body: AnnotationBody,
  tags: Tags,
): CheckedTranscript {
  const { modelName, language, sourceSystem, externalId, externalUserId, metadata = {} } = transcript
  return {
    path: source.path,
    record: transcript.place.record,
    part,
    name,
    turns: body.transcript.map(({ role, content }) => ({ role, content })),
    metadata,
    modelName,
    language,
    sourceSystem,
    externalId,
    externalUserId,
    tags,
  }
}

/** The transcripts and unread files that a rule selects; `unread` ends with what is not found again. */
export function selectCases(
  planned: Planned,
  unread: readonly Unread[],
  rule: SelectionRule,
): { planned: Planned; unread: Unread[]; not_selected: number } {
  const { cases, identities } = planned
  const candidates = cases.map(({ conversation }, at) => ({ conversation, sha256: identities[at]?.sha256 ?? '' }))
  const again = rule.onlyFailed && recheck(candidates, unread, rule.onlyFailed)
  const isSelected = select(candidates, rule, again?.isWanted)
  const read = again?.unread ?? unread
  const kept = keepCases(planned, [...read, ...(again?.notFound ?? [])], isSelected)
  return { ...kept, not_selected: cases.length + unread.length - kept.planned.cases.length - read.length }
}

/** Some transcripts of a plan, and unread files in their places between these. */
export function keepCases(
  { cases, identities, matched }: Planned,
  unread: readonly Unread[],
  isKept: readonly boolean[],
): { planned: Planned; unread: Unread[] } {
  const only = <Each>(all: readonly Each[]): Each[] => all.filter((_, at) => isKept[at])
  const planned = {
    cases: only(cases),
    identities: only(identities),
    matched: { ...matched, entries: only(matched.entries) },
  }
  return { planned, unread: unread.map((each) => ({ ...each, after: only(cases.slice(0, each.after)).length })) }
}
