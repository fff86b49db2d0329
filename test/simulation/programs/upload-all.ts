import { BulkError, type UploadResult, uploadAll } from '@svc/bulk'
import { createClient, SvcError, type TranscriptUpload } from '@svc/client'
import { referenceKey } from '@svc/reference-server'
import type { Choices } from '../choices.js'
import { createMachine, type Machine } from '../machine.js'
import { brokenEntries, brokenReports, brokenStorage } from '../promises.js'
import type { Service } from '../service.js'
import { contentOf, drawTranscripts } from '../transcripts.js'
import type { DrawScenario, Program, Reported } from './program.js'

export interface Job {
  name: string
  machine: Machine
  transcripts: readonly TranscriptUpload[]
  ledger: string
  shard?: { index: number; of: number }
  concurrency: number
  /** The records that the transcripts are made of, each of so many of them. Default: they have none. */
  perRecord?: number
}

const minute = 60_000

/** A program around `uploadAll`: alone, in shards, on two machines with equal transcripts, or two with one ledger. */
export const drawUploads: DrawScenario = ({ scheduler, choices, service }) => {
  const jobs = drawJobs(choices)
  const unexpected: string[] = []
  const programs = jobs.map((job) => uploaderOf(job, service, unexpected))
  return {
    programs,
    async broken(ends) {
      const areAllDone = programs.every((each) => ends.get(each)?.state === 'done')
      const reports = programs.map((each) => ({ machine: each.machine, reported: ends.get(each)?.reported }))
      return [
        ...unexpected,
        ...brokenStorage(service, jobs, areAllDone),
        ...brokenReports(service, jobs, reports),
        ...(await brokenEntries(service, scheduler, jobs, areAllDone)),
      ]
    },
  }
}

function drawJobs(choices: Choices): Job[] {
  const machine = (name: string) =>
    createMachine(name, choices, choices.pick([0, 2_000, -2_000, minute, -minute] as const, 0.7))
  const first = machine('m1')
  const transcripts = drawTranscripts(choices)
  const concurrency = 1 + choices.oneOf(3, 0.3)
  const kind = choices.pick(['alone', 'shards', 'two machines', 'one ledger'] as const, 0.4)
  const perRecord = choices.oneOf(4, 0.3)
  const base = { transcripts, ledger: '/ledger', concurrency, machine: first, ...(perRecord > 0 && { perRecord }) }
  if (kind === 'shards') {
    const of = 2 + choices.oneOf(2)
    return Array.from({ length: of }, (_, index) => ({
      ...base,
      name: `shard ${index + 1}/${of}`,
      shard: { index, of },
    }))
  }
  const alone = { ...base, name: 'first' }
  if (kind === 'alone') return [alone]
  return [alone, { ...base, name: 'second', machine: kind === 'one ledger' ? first : machine('m2') }]
}

/** `unknown`: the contents that a run has reported as possibly stored are added to it. */
export const uploaderOf = (
  { name, machine, perRecord, ...job }: Job,
  service: Service,
  unexpected: string[],
  unknown: Set<string> = new Set(),
): Program => ({
  name,
  machine,
  async run({ process, clock, disk, host, randomId, turn }, { signal, mayArrive }) {
    const fetch = service.fetchOf(process)
    const { baseUrl, publicBaseUrl } = service.server
    const client = createClient({
      ...{ apiKey: referenceKey, baseUrl, publicBaseUrl, clock, environment: {} },
      fetch: (...request) => {
        mayArrive()
        return fetch(...request)
      },
    })
    const results: UploadResult[] = []
    const noteUnknown = (all: readonly UploadResult[], error?: unknown) => {
      const names = error instanceof BulkError && error.code === 'possibly_stored' ? error.details : []
      const items = all.flatMap(({ result, item }) => (result === 'unknown' ? item.name : []))
      for (const each of job.transcripts) if ([...names, ...items].includes(each.name)) unknown.add(contentOf(each))
    }
    const transcripts = job.transcripts.map((upload, i) =>
      perRecord === undefined ? upload : { upload, source: `record ${Math.floor(i / perRecord)}` },
    )
    const run = uploadAll({
      ...job,
      transcripts,
      client,
      project: service.project,
      disk,
      clock,
      host,
      randomId,
      turn,
      signal,
    })
    try {
      for await (const result of run) results.push(result)
    } catch (error) {
      // "The iteration throws a BulkError …, the errors of the client …, and the reason of `signal`" (`uploadAll`).
      const isExpected =
        error instanceof BulkError || error instanceof SvcError || (signal.aborted && error === signal.reason)
      if (!isExpected && !process.isDead) unexpected.push(`uploadAll throws an error of its own: ${error}`)
      noteUnknown(results, error)
      return { text: `${codeOf(error)} after ${textOf(results)}`, state: 'again' }
    }
    noteUnknown(results)
    const isWhole = run.summary().not_sent === 0
    const reported = isWhole ? results.flatMap((each) => reportedBy(each, job.transcripts)) : []
    const isFinal = isWhole && reported.length === results.length
    const isDone = isFinal && reported.every(({ result }) => result === 'stored')
    return {
      text: `done ${textOf(results)}`,
      state: isDone ? 'done' : isFinal ? 'unknown' : 'again',
      namedAsLeft: run.summary().earlier_unknown ?? 0,
      ...(isFinal && { reported }),
    }
  },
})

/** Nothing for a result that another run may change. */
function reportedBy(each: UploadResult, transcripts: readonly TranscriptUpload[]): Reported[] {
  const { item, result } = each
  const transcript = transcripts[item.index]
  if (!transcript || (result === 'failed' && each.step !== 'fix_request')) return []
  const isStored = result === 'uploaded' || result === 'already_uploaded'
  const as = isStored ? 'stored' : result === 'unknown' ? 'possibly stored' : 'not stored'
  return [{ content: contentOf(transcript), result: as }]
}

const textOf = (results: readonly UploadResult[]): string =>
  `[${results.map((each) => ('error' in each ? `${each.result}: ${codeOf(each.error)}` : each.result))}]`

const codeOf = (error: unknown): string => (error instanceof BulkError ? error.code : String(error))
