import type { ReportCase } from '@svc/report-viewer'

type Placed = Pick<ReportCase, 'path' | 'record' | 'part'>

/** What tells a transcript from the others: a file may hold several of one record, such as the branches of a talk. */
export interface Keyed<Each> {
  key: string
  each: Each
  /** How many of its record stood before it. */
  nth: number
}

/** Transcripts, each with what it is found again by in another report. */
export function withKeys<Each extends Placed>(all: readonly Each[]): Keyed<Each>[] {
  const seen = new Map<string, number>()
  return all.map((each) => {
    const place = JSON.stringify([plain(each.path), each.record, each.part])
    const nth = seen.get(place) ?? 0
    seen.set(place, nth + 1)
    return { key: nth === 0 ? place : `${place} ${nth}`, each, nth }
  })
}

/** `./a.json` and `a.json` are one file. */
const plain = (path: string): string => path.replace(/^(?:\.\/+)+(?=.)/, '').replace(/\/{2,}/g, '/')

/** In the order of files, records and parts. */
export const byPlace = (a: Placed, b: Placed): number =>
  compare(plain(a.path), plain(b.path)) || a.record - b.record || a.part - b.part || compare(a.path, b.path)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
