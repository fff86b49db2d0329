import { count } from '@svc/text'
import { isOnScale, rankOf } from '../policy/index.js'
import { type Acceptance, acceptedText, type NewlyAccepted, type Reason, type ReportCase } from '../report/index.js'
import { pick } from '../values.js'

/** The identity of a transcript across runs. */
export interface Identity {
  /** Relative to the folder of the baseline. */
  path: string
  /** The record in the file, from 1. */
  record: number
  /** The part of a transcript that was split, from 1. */
  part: number
  /** The id of the transcript in its own system. */
  external_id?: string | undefined
  /** SHA-256 of the messages in hex. */
  sha256: string
}

/** The result of a transcript in a baseline. */
export interface BaselineResult {
  /** The accepted outcome. */
  outcome: string
  /** The keys of the signals that fired. */
  signals: readonly string[]
  /** The broken rules that are accepted. */
  findings: readonly AcceptedFinding[]
}

/** A broken rule that a baseline accepts. */
export interface AcceptedFinding extends Acceptance {
  /** The rule that is broken. */
  rule: Reason['rule']
  /** The signal, or the name of a rule in code; undefined for an outcome. */
  signal?: string | undefined
  /** True after the last day on which it is accepted. In memory only. */
  isExpired?: boolean | undefined
}

/** The accepted result of a transcript. */
export interface BaselineEntry extends Identity, BaselineResult {
  /** The name of the transcript. */
  name: string
  /**
   * Its findings are accepted for other content, too, that has its external id. Only a person writes this, and each finding
   * then needs a reason. Default: they are accepted for equal content alone.
   */
  anyContent?: true | undefined
}

/** The number of days before an acceptance ends in which reports name it. */
const noticeDays = 14

/** The number of findings that notes name. */
const mostNamed = 10

/** The day in UTC of a time in milliseconds since 1970. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** True for a day that exists, such as `2026-12-31`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(startOf(text)) && dayOf(startOf(text)) === text

/** An entry on a day: it accepts no finding that has expired by then. */
const entryOn = (entry: BaselineEntry, today: string): BaselineEntry => ({
  ...entry,
  findings: entry.findings.map((each) => (isExpired(each, today) ? { ...each, isExpired: true } : each)),
})

/**
 * The entry of a transcript on a day. If its content is another one, only its external id is the same: then it accepts a
 * finding only if a person wrote `anyContent` into the entry, and a reason beside the finding.
 */
export function acceptedFor(entry: BaselineEntry, sha256: string, today: string): BaselineEntry {
  if (entry.sha256 === sha256) return entryOn(entry, today)
  const findings = entry.anyContent ? entry.findings.filter(hasReason) : []
  return entryOn({ ...entry, findings }, today)
}

export const hasReason = ({ reason = '' }: AcceptedFinding): boolean => reason.trim() !== ''

/** A date of a program that is no day accepts nothing. */
const isExpired = ({ expires }: AcceptedFinding, today: string): boolean =>
  expires !== undefined && (!isDay(expires) || expires < today)

/** A sentence for each finding whose acceptance ends soon, or that fails because it ended; the first to end first. */
export function expiryNotes(cases: readonly ReportCase[], today: string): string[] {
  const soon = dayOf(startOf(today) + noticeDays * 86_400_000)
  const expiries = cases.flatMap((each) =>
    each.reasons.flatMap((finding) => {
      const { accepted: { expires } = {}, known } = finding
      if (expires === undefined || (known && expires > soon)) return []
      const ends = known ? `is accepted until ${expires}, and fails after it` : `was accepted until ${expires}`
      return { expires, text: `this finding ${ends}: ${acceptedText(foundIn(each, finding))}` }
    }),
  )
  const notes = expiries.sort((a, b) => (a.expires < b.expires ? -1 : a.expires > b.expires ? 1 : 0))
  const more = notes.length - mostNamed
  return [
    ...notes.slice(0, mostNamed).map(({ text }) => text),
    ...(more > 0 ? [`${count(more, 'more acceptance')} ended, or will end by ${soon}`] : []),
  ]
}

export const foundIn = (each: ReportCase, finding: Reason): NewlyAccepted => ({
  ...pick(each, ['path', 'record', 'part', 'name', 'external_id']),
  outcome: each.outcome ?? '',
  finding,
})

/**
 * The acceptance of a finding by a baseline: known if the entry accepts the same rule today, and the outcome did not get
 * worse. An expired acceptance is shown, and waives nothing.
 */
export function waiverOf(
  { rule, signal }: Pick<AcceptedFinding, 'rule' | 'signal'>,
  outcome: string,
  before: BaselineResult | undefined,
): Pick<Reason, 'known' | 'accepted'> {
  // The baseline excuses nothing if the outcome got worse.
  const accepted = before && isNoWorse(outcome, before.outcome) ? before : undefined
  const finding = accepted?.findings.find((each) => each.rule === rule && each.signal === signal)
  const acceptance = finding && pick<Acceptance, keyof Acceptance>(finding, ['reason', 'author', 'expires'])
  return {
    known: finding !== undefined && finding.isExpired !== true,
    ...(acceptance && Object.keys(acceptance).length > 0 && { accepted: acceptance }),
  }
}

const isNoWorse = (outcome: string, before: string): boolean =>
  outcome === before || (isOnScale(outcome) && isOnScale(before) && rankOf(outcome) <= rankOf(before))
