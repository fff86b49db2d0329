import type { Annotation } from '@svc/client'
import { type ExitCode, exit } from '../../exit.js'

/** Outcomes from best to worst (interface, AnnotationResponse); `indeterminate` is not on the scale. */
export const scale = ['strong', 'mixed', 'poor', 'critical'] as const
export type Level = (typeof scale)[number]

/** A transcript with its annotation, or with what kept it from being annotated, as an exit code and in words. */
export type Case<T> = { subject: T } & ({ annotation: Annotation } | { code: ExitCode; detail: string })

/** One reason why a transcript fails the check. */
export interface Finding<T> {
  subject: T
  annotation: Annotation
}

/** Why a transcript could not be judged. */
export interface Gap<T> {
  subject: T
  why: 'indeterminate' | 'unknown outcome' | 'not annotated'
  /** What kept the transcript from being annotated. */
  detail?: string
  /** Running again may close it. */
  temporary: boolean
}

export interface Report<T> {
  verdict: 'passed' | 'failed' | 'not judged'
  exit: ExitCode
  findings: Finding<T>[]
  gaps: Gap<T>[]
  outcomes: Record<string, number>
  judged: number
  total: number
}

/**
 * Judges annotated transcripts: a failing one fails the check even when others are missing; a gap that may close by
 * itself says to run again; any other gap says that the check could not judge.
 */
export function judge<T>(cases: readonly Case<T>[], failOn: Level): Report<T> {
  const findings: Finding<T>[] = []
  const gaps: Gap<T>[] = []
  const outcomes: Record<string, number> = {}
  for (const each of cases) {
    const { subject } = each
    if (!('annotation' in each)) {
      gaps.push({ subject, why: 'not annotated', detail: each.detail, temporary: each.code === exit.temporary })
      continue
    }
    const outcome: string = each.annotation.outcome
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    const level = (scale as readonly string[]).indexOf(outcome)
    if (level < 0) {
      const why = outcome === 'indeterminate' ? 'indeterminate' : 'unknown outcome'
      gaps.push({ subject, why, temporary: false })
    } else if (level >= scale.indexOf(failOn)) findings.push({ subject, annotation: each.annotation })
  }
  const tally = { findings, gaps, outcomes, judged: cases.length - gaps.length, total: cases.length }
  if (findings.length > 0) return { verdict: 'failed', exit: exit.gateFailed, ...tally }
  if (gaps.length === 0) return { verdict: 'passed', exit: exit.ok, ...tally }
  return { verdict: 'not judged', exit: gaps.every((gap) => gap.temporary) ? exit.temporary : exit.notJudged, ...tally }
}
