import { BulkError, type Owner, type UploadResult, type UploadSummary, uploadAll } from '@svc/bulk'
import { createClient, type TranscriptUpload } from '@svc/client'
import { referenceKey } from '@svc/reference-server'
import { randomOf } from './choices.js'
import type { SimulatedDisk } from './disk.js'
import type { Process, Scheduler } from './scheduler.js'
import { type Service, start } from './service.js'

/** A machine with a disk, on which processes run one after the other or side by side. */
export interface Machine {
  name: string
  disk: SimulatedDisk
  /** Changes with each start. */
  boot: number
  processes: Map<number, Process>
  /** How far its wall clock is ahead of that of the service, in milliseconds. */
  clockAheadMs: number
}

/** A program that uploads its transcripts, run again until it is done. */
export interface Uploader {
  name: string
  machine: Machine
  transcripts: readonly TranscriptUpload[]
  ledger: string
  shard?: { index: number; of: number } | undefined
  concurrency: number
}

/** How one run of a program ended. */
export type Ending =
  | { ended: 'killed' }
  | { ended: 'failed'; error: unknown; results: UploadResult[] }
  | { ended: 'done'; results: UploadResult[]; summary: UploadSummary }

/** Run a program once. */
export async function runOnce(
  scheduler: Scheduler,
  service: Service,
  { name, machine, transcripts, ledger, shard, concurrency }: Uploader,
  { number, mayBeKilled, mayBeStopped }: { number: number; mayBeKilled(): boolean; mayBeStopped(): boolean },
): Promise<Ending> {
  const process = scheduler.start(`${name}.${number}`, mayBeKilled)
  const pid = 100 + machine.processes.size
  machine.processes.set(pid, process)
  const random = randomOf(seedOf(`${machine.name} ${pid} ${scheduler.elapsed}`))
  const clock = {
    now: () => start + scheduler.elapsed + machine.clockAheadMs,
    monotonic: () => scheduler.elapsed,
    random,
    after: (ms: number, act: () => void) => process.after(ms, act),
  }
  const owner = (of: number): Owner => ({
    pid: of,
    host: machine.name,
    boot: String(machine.boot),
    started: String(of),
  })
  const host = {
    self: () => owner(pid),
    process: (of: number) => {
      const found = machine.processes.get(of)
      return found && !found.isDead ? { started: String(of), isDead: false } : undefined
    },
  }
  const stop = new AbortController()
  const { baseUrl, publicBaseUrl } = service.server
  const client = createClient({
    ...{ apiKey: referenceKey, baseUrl, publicBaseUrl, clock, environment: {} },
    fetch: (...request) => {
      if (mayBeStopped()) {
        scheduler.note(`${process.name}: SIGTERM`)
        stop.abort('SIGTERM')
      }
      return service.fetchOf(process)(...request)
    },
  })
  let ids = 0
  const randomId = () => {
    const hex = (digits: number) =>
      Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')
    return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${String(ids++).padStart(4, '0')}${hex(8)}`
  }
  const results: UploadResult[] = []
  const work = async (): Promise<Ending> => {
    try {
      const run = uploadAll({
        ...{ client, project: service.project, transcripts, ledger, shard, concurrency },
        ...{ disk: machine.disk.of(process), clock, host, randomId },
        signal: stop.signal,
        turn: () => process.later('turn', () => {}),
      })
      for await (const result of run) results.push(result)
      return { ended: 'done', results, summary: run.summary() }
    } catch (error) {
      return { ended: 'failed', error, results }
    }
  }
  const killed = process.killed.then((): Ending => ({ ended: 'killed' }))
  const ending = await Promise.race([work(), killed])
  scheduler.end(process)
  return ending
}

export const isFinal = (ending: Ending): boolean =>
  ending.ended === 'done' &&
  ending.summary.not_sent === 0 &&
  ending.results.every(({ result }) => result === 'uploaded' || result === 'already_uploaded')

export const codeOf = (error: unknown): string => (error instanceof BulkError ? error.code : String(error))

const seedOf = (text: string): number => [...text].reduce((sum, each) => Math.imul(sum, 31) + each.charCodeAt(0), 7)
