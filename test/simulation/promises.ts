import { type Item, readLedgers } from '@svc/bulk'
import type { TranscriptUpload } from '@svc/client'
import type { Machine } from './machine.js'
import type { Reported } from './programs/program.js'
import type { Scheduler } from './scheduler.js'
import type { Service } from './service.js'
import { contentOf } from './transcripts.js'

/** The transcripts that a machine should store. Programs of one machine have the same transcripts. */
interface Wanted {
  machine: Machine
  transcripts: readonly TranscriptUpload[]
  /** Transcripts that an earlier run was to store instead. */
  replaced?: readonly TranscriptUpload[]
}

/** The ids of the transcripts that the programs of a world have stored, by content. */
function storedBy({ server, project, ofOthers }: Service): Map<string, string[]> {
  const stored = new Map<string, string[]>()
  for (const { record, turns } of server.world.transcripts(project)) {
    if (ofOthers.has(record.id)) continue
    const content = contentOf({ turns })
    stored.set(content, [...(stored.get(content) ?? []), record.id])
  }
  return stored
}

/** Counts, by content. */
function countOf(contents: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const content of contents) counts.set(content, (counts.get(content) ?? 0) + 1)
  return counts
}

/** Of each machine once: its programs have the same transcripts. */
const wantedBy = (
  wanted: readonly Wanted[],
  which: 'transcripts' | 'replaced' = 'transcripts',
): Map<string, number> => {
  const machines = new Map(wanted.map((each) => [each.machine, each[which] ?? []]))
  return countOf([...machines.values()].flat().map(contentOf))
}

/**
 * "Never two transcripts, and never a lost one without an error that says so" (design, 3: Reconcile). `mayBeTwice`: an error
 * has said so of this content.
 */
export function brokenStorage(
  service: Service,
  wanted: readonly Wanted[],
  areAllDone: boolean,
  mayBeTwice: (content: string) => boolean = () => false,
): string[] {
  const counts = wantedBy(wanted)
  const replaced = wantedBy(wanted, 'replaced')
  const stored = storedBy(service)
  return [...new Set([...counts.keys(), ...stored.keys()])].flatMap((content) => {
    const [isStored, isWanted] = [stored.get(content)?.length ?? 0, counts.get(content) ?? 0]
    if (isStored > isWanted + (replaced.get(content) ?? 0) && !mayBeTwice(content))
      return [`nothing is stored twice: "${content}" is stored ${isStored} times, and wanted ${isWanted} times`]
    if (isStored >= isWanted || !areAllDone) return []
    return [
      `nothing is lost: every program reports that it is done, but "${content}" is stored ${isStored} times instead of ${isWanted}`,
    ]
  })
}

/**
 * "An unknown result is always reported" (design, 7): of each content, so many are stored as the programs report, and of
 * those that are possibly stored none, some or all.
 */
export function brokenReports(
  service: Service,
  wanted: readonly Wanted[],
  reports: readonly { machine: Machine; reported: readonly Reported[] | undefined }[],
): string[] {
  if (reports.some(({ reported }) => !reported)) return []
  const stored = storedBy(service)
  const counts = wantedBy(wanted)
  const machines = [...new Set(reports.map(({ machine }) => machine))]
  // Two programs with one ledger report about the same transcripts, and shards about different ones.
  const countsOn = (machine: Machine, content: string, result: Reported['result']): number[] =>
    reports.flatMap((each) => {
      const about = each.machine === machine ? (each.reported ?? []).filter((one) => one.content === content) : []
      return about.length > 0 ? about.filter((one) => one.result === result).length : []
    })
  return [...counts.keys()].flatMap((content) => {
    const isStored = stored.get(content)?.length ?? 0
    const least = sumOf(machines.map((machine) => Math.max(0, ...countsOn(machine, content, 'stored'))))
    const refused = sumOf(machines.map((machine) => Math.min(...countsOn(machine, content, 'not stored'))))
    const most = (counts.get(content) ?? 0) - refused
    if (isStored >= least && isStored <= most) return []
    return [
      `an unknown result is reported: "${content}" is stored ${isStored} times; the programs report ${least} as stored, and ${refused} as not stored`,
    ]
  })
}

const sumOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => (Number.isFinite(each) ? sum + each : sum), 0)

/** Uploads with a result that is not known. */
const isUnresolved = ({ state }: Item): boolean => state === 'open' || state === 'unknown'

/**
 * "Ledger and server agree" (design, 7), by the reader of the product: what is `done` is stored under its id, and under
 * that of nobody else; what is `unsent` or `refused` is not stored; only what is open or unknown may be either. Nothing is
 * left open in the end but what the programs name, such as the second of two equal transcripts after one was edited.
 */
export async function brokenEntries(
  service: Service,
  scheduler: Scheduler,
  jobs: readonly (Wanted & { ledger: string })[],
  areAllDone: boolean,
  namedAsLeft = 0,
): Promise<string[]> {
  const items = new Set<Item>()
  const present = new Map(jobs.flatMap(({ transcripts }) => transcripts.map((each) => [each.name, each])))
  const replaced = new Map(jobs.flatMap(({ replaced = [] }) => replaced.map((each) => [each.name, each])))
  const folders = new Map(jobs.map((job) => [`${job.machine.name} ${job.ledger}`, job]))
  try {
    for (const { machine, ledger } of folders.values()) {
      machine.disk.failsWith = undefined
      machine.disk.beforeUse = () => {}
      const disk = machine.disk.of(scheduler.start('reader'), () => 0)
      for (const target of await readLedgers(ledger, { disk })) for (const item of target.items) items.add(item)
    }
  } catch (error) {
    return [`the ledger can be read: ${error}`]
  }
  const stored = storedBy(service)
  const contentIn = ({ name }: Item) => contentOf(present.get(name ?? '') ?? replaced.get(name ?? '') ?? { turns: [] })
  const ids = [...items].flatMap((item) => item.ids.map((id) => ({ id, content: contentIn(item) })))
  const strangers = ids.filter(({ id, content }) => !stored.get(content)?.includes(id))
  const unresolved = [...items].filter(isUnresolved)
  const isShared = new Set(ids.map(({ id }) => id)).size < ids.length
  const known = countOf(ids.map(({ content }) => content))
  // An owner that was replaced may have sent what the next one has sent, too.
  const open = countOf(unresolved.flatMap((item) => Array(item.late ? 2 : 1).fill(contentIn(item))))
  const left = unresolved.length
  return [
    ...strangers.map(
      ({ id, content }) => `ledger and service agree: "${content}" is done as ${id}, which is not its record`,
    ),
    ...(isShared ? [`ledger and service agree: two uploads are done as one record: ${ids.map(({ id }) => id)}`] : []),
    ...[...stored].flatMap(([content, { length }]) => {
      const [least, most] = [known.get(content) ?? 0, (known.get(content) ?? 0) + (open.get(content) ?? 0)]
      return length <= most && length >= least
        ? []
        : [
            `ledger and service agree: "${content}" is stored ${length} times, and ${least} to ${most} times in the ledger`,
          ]
    }),
    ...(areAllDone && left > namedAsLeft
      ? [`an unknown result is reported: every program is done, ${left} uploads are open, and ${namedAsLeft} are named`]
      : []),
  ]
}
