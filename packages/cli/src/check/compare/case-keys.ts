import type { ReportCase } from '@svc/report-viewer'

type Placed = Pick<ReportCase, 'path' | 'record' | 'part'>

/** A transcript with the key under which another report has it. */
export interface Keyed<Each> {
  key: string
  each: Each
  /** The number of earlier transcripts of the same record, such as branches of a conversation. */
  nth: number
}

export function withKeys<Each extends Placed>(all: readonly Each[]): Keyed<Each>[] {
  const counts = new Map<string, number>()
  return all.map((each) => {
    const place = JSON.stringify([plain(each.path), each.record, each.part])
    const nth = counts.get(place) ?? 0
    counts.set(place, nth + 1)
    return { key: `${place} ${nth}`, each, nth }
  })
}

/** `./a.json` and `a.json` are the same file. */
const plain = (path: string): string => path.replace(/^(?:\.\/+)+(?=.)/, '').replace(/\/{2,}/g, '/')

export const isSamePath = (a: string, b: string): boolean => plain(a) === plain(b)

/** Compare by file, record and part. */
export const byPlace = (a: Placed, b: Placed): number =>
  compare(plain(a.path), plain(b.path)) || a.record - b.record || a.part - b.part || compare(a.path, b.path)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
