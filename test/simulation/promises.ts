import type { TranscriptUpload } from '@svc/client'
import type { Machine } from './machine.js'
import type { Service } from './service.js'
import { contentOf } from './transcripts.js'

/** What a machine was to store. Programs of one machine have the same transcripts. */
interface Wanted {
  machine: Machine
  transcripts: readonly TranscriptUpload[]
}

/** "Nothing lost, nothing stored twice, an unknown result is always reported." */
export function brokenStorage(service: Service, wanted: readonly Wanted[], areAllDone: boolean): string[] {
  const counts = new Map<string, { wanted: number; stored: number }>()
  const add = (content: string, counted: 'wanted' | 'stored') => {
    const count = counts.get(content) ?? { wanted: 0, stored: 0 }
    count[counted]++
    counts.set(content, count)
  }
  const machines = new Set(wanted.map(({ machine }) => machine))
  for (const { transcripts } of wanted.filter(({ machine }) => machines.delete(machine)))
    for (const each of transcripts) add(contentOf(each), 'wanted')
  for (const { turns } of service.server.world.transcripts(service.project)) add(contentOf({ turns }), 'stored')
  return [...counts].flatMap(([content, { wanted, stored }]) => {
    if (stored > wanted)
      return [`nothing is stored twice: "${content}" is stored ${stored} times, and wanted ${wanted} times`]
    if (stored === wanted || !areAllDone) return []
    return [
      `nothing is lost: every program reports that it is done, but "${content}" is stored ${stored} times instead of ${wanted}`,
    ]
  })
}
