import { count } from '@svc/text'
import type { AcceptedFinding } from '../judge/index.js'
import { acceptedText, type NewlyAccepted, type Reason, type ReportCase } from '../report/index.js'
import { pick } from '../values.js'
import type { BaselineEntry } from './baseline.js'

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
export const entryOn = (entry: BaselineEntry, today: string): BaselineEntry => ({
  ...entry,
  findings: entry.findings.map((each) => (isExpired(each, today) ? { ...each, isExpired: true } : each)),
})

/** A date of a program that is no day accepts nothing. */
const isExpired = ({ expires }: AcceptedFinding, today: string): boolean =>
  expires !== undefined && (!isDay(expires) || expires < today)

/** A sentence for each finding whose acceptance ends soon, or that fails because it ended; the first to end first. */
export function expiryNotes(cases: readonly ReportCase[], today: string): string[] {
  const soon = dayOf(startOf(today) + noticeDays * 86_400_000)
  const found = cases.flatMap((each) =>
    each.reasons.flatMap((finding) => {
      const { accepted: { expires } = {}, known } = finding
      if (expires === undefined || (known && expires > soon)) return []
      const ends = known ? `is accepted until ${expires}, and fails after it` : `was accepted until ${expires}`
      return { expires, text: `this finding ${ends}: ${acceptedText(foundIn(each, finding))}` }
    }),
  )
  const notes = found.sort((a, b) => (a.expires < b.expires ? -1 : a.expires > b.expires ? 1 : 0))
  const more = notes.length - mostNamed
  return [
    ...notes.slice(0, mostNamed).map(({ text }) => text),
    ...(more > 0 ? [`${count(more, 'more acceptance')} ended, or will end by ${soon}`] : []),
  ]
}

export const foundIn = (each: ReportCase, finding: Reason): NewlyAccepted => ({
  ...pick(each, ['path', 'record', 'part', 'name']),
  outcome: each.outcome ?? '',
  finding,
})
