import type { ReportCase } from '../report.js'
import { keyed } from './same-place.js'

/** A transcript in both reports, or in one of them. */
export interface Pair {
  before: ReportCase | undefined
  after: ReportCase | undefined
}

/**
 * Which transcripts of two reports are the same: those of one file, record and part, and of the others those of a name
 * that nothing else is left with, since a file may be moved.
 */
export function matchCases(before: readonly ReportCase[], after: readonly ReportCase[]): Pair[] {
  const left = new Map(keyed(before).map(({ key, each }) => [key, each]))
  const pairs: Pair[] = []
  const alone: ReportCase[] = []
  for (const { key, each } of keyed(after)) {
    const found = left.get(key)
    if (found) pairs.push({ before: found, after: each })
    else alone.push(each)
    left.delete(key)
  }
  const named = onlyOnes([...left.values()])
  const sought = onlyOnes(alone)
  const moved = new Set<ReportCase>()
  for (const each of alone) {
    const found = sought.get(each.name) && named.get(each.name)
    if (found) moved.add(found)
    pairs.push({ before: found ?? undefined, after: each })
  }
  for (const each of left.values()) if (!moved.has(each)) pairs.push({ before: each, after: undefined })
  return pairs
}

/** The transcripts whose name no other has; undefined for a name of several. */
function onlyOnes(cases: readonly ReportCase[]): Map<string, ReportCase | undefined> {
  const named = new Map<string, ReportCase | undefined>()
  for (const each of cases) named.set(each.name, named.has(each.name) ? undefined : each)
  return named
}
