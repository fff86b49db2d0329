import type { TranscriptUpload } from '@svc/client'
import type { Machine } from './machine.js'
import type { Service } from './service.js'
import { contentOf } from './transcripts.js'

/** What a machine was to store. Programs of one machine have the same transcripts. */
interface Wanted {
  machine: Machine
  transcripts: readonly TranscriptUpload[]
  /** Transcripts that an earlier run was to store instead. */
  replaced?: readonly TranscriptUpload[]
}

/** "Nothing lost, nothing stored twice, an unknown result is always reported." */
export function brokenStorage(service: Service, wanted: readonly Wanted[], areAllDone: boolean): string[] {
  const counts = new Map<string, Record<'wanted' | 'replaced' | 'stored', number>>()
  const add = (content: string, counted: 'wanted' | 'replaced' | 'stored') => {
    const count = counts.get(content) ?? { wanted: 0, replaced: 0, stored: 0 }
    count[counted]++
    counts.set(content, count)
  }
  const machines = new Set(wanted.map(({ machine }) => machine))
  for (const { transcripts, replaced = [] } of wanted.filter(({ machine }) => machines.delete(machine))) {
    for (const each of transcripts) add(contentOf(each), 'wanted')
    for (const each of replaced) add(contentOf(each), 'replaced')
  }
  for (const { turns } of service.server.world.transcripts(service.project)) add(contentOf({ turns }), 'stored')
  return [...counts].flatMap(([content, { wanted, replaced, stored }]) => {
    if (stored > wanted + replaced)
      return [`nothing is stored twice: "${content}" is stored ${stored} times, and wanted ${wanted} times`]
    if (stored >= wanted || !areAllDone) return []
    return [
      `nothing is lost: every program reports that it is done, but "${content}" is stored ${stored} times instead of ${wanted}`,
    ]
  })
}

/** "Ledger and server agree": what a ledger has as stored, the service has. */
export function brokenLedgers(service: Service, machines: readonly Machine[]): string[] {
  const stored = new Set(service.server.world.transcripts(service.project).map(({ record }) => record.id))
  const files = [...new Set(machines)].flatMap(({ disk }) => [...disk.texts])
  return files
    .filter(([path]) => path.endsWith('.jsonl') && path.startsWith('/ledger'))
    .flatMap(([path, text]) => {
      const events = text.split('\n').filter((line) => line.startsWith('{"n"') && line.endsWith('}'))
      const ids = events.map((line) => JSON.parse(line)).flatMap(({ event, id }) => (event === 'done' ? [id] : []))
      const missing = ids.filter((id) => !stored.has(id))
      return missing.length > 0 ? [`ledger and server agree: ${path} has ${missing} as stored`] : []
    })
}
