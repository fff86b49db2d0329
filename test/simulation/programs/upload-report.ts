import type { TranscriptUpload } from '@svc/client'
import type { CommandResult } from '../io.js'
import type { Service } from '../service.js'
import { contentOf } from '../transcripts.js'
import type { Ending } from './program.js'

/** The fields of the documents of `svc upload --json` that a promise is about. */
interface UploadDocument {
  schema: string
  result?: string
  name?: string
  id?: string
  candidates?: readonly string[]
  error?: { exit: number }
}

interface Summary {
  uploaded: number
  already_uploaded: number
  failed: number
  unknown: number
  not_sent: number | null
  other_shards: number
}

/** The transcripts of a run, and the service after it. */
interface Uploaded {
  transcripts: readonly TranscriptUpload[]
  service: Service
  isStopped: boolean
  /** True if a disk has failed, so that the ledger may not be writable any more. */
  hasDiskFailed: boolean
}

/** The end of a step of a shell, such as `rm`, that failed because of the disk. It is done again. */
export function afterFailure(error: unknown): Ending {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || path === undefined) throw error
  return { text: `${code}: ${path}`, state: 'again' }
}

/** How a run of `svc upload` ended: with 6, 8 and 10 all is done but what the service refused, or may have stored. */
export function endingOf({ code, documents, err }: CommandResult): Ending {
  const results = (documents as unknown as UploadDocument[]).flatMap(({ result }) => result ?? [])
  const state = code === 0 ? 'done' : [6, 8, 10].includes(code) ? 'unknown' : 'again'
  const namedAsLeft = Number(/(\d+) of earlier runs possibly stored/.exec(err)?.[1] ?? 0)
  return { text: `exit ${code} [${results}]`, state, namedAsLeft }
}

/**
 * The sentences about a run of `svc upload --json` that do not hold: "exit codes and reports are true" (design, section 7);
 * "an unknown result is always reported" (the same; docs/reference/exit-codes.md has the order of the codes).
 */
export function untrueIn(
  { code, documents }: CommandResult,
  { transcripts, service, isStopped, hasDiskFailed }: Uploaded,
): string[] {
  const all = documents as unknown as UploadDocument[]
  const uploads = all.filter(({ schema }) => schema === 'svc/upload@1')
  const summary = all.find(({ schema }) => schema === 'svc/upload-summary@1') as Summary | undefined
  const failure = all.find(({ schema }) => schema === 'svc/error@1')
  const stored = new Map(
    service.server.world.transcripts(service.project).map((each) => [each.record.id, contentOf(each)]),
  )
  const contents = new Map<string | undefined, string>(transcripts.map((each) => [each.name, contentOf(each)]))
  const broken: string[] = []
  const holds = (isTrue: boolean, sentence: string) => {
    if (!isTrue) broken.push(sentence)
  }

  const ids = uploads.flatMap(({ id }) => id ?? [])
  for (const { result, name, id, candidates = [] } of uploads) {
    if (id !== undefined)
      holds(
        stored.get(id) === contents.get(name),
        `reports are true: "${name}" is reported as ${result} under ${id}, which holds "${stored.get(id)}"`,
      )
    // Others may have removed one meanwhile.
    for (const each of candidates)
      holds(stored.has(each) || service.ofOthers.has(each), `candidates exist: ${each} of "${name}" is not stored`)
  }
  holds(
    new Set(ids).size === ids.length,
    `reports are true: two transcripts are reported as stored under one id: ${ids}`,
  )
  const count = (result: string) => uploads.filter((each) => each.result === result).length
  if (summary) {
    for (const result of ['uploaded', 'already_uploaded', 'unknown'] as const)
      holds(
        summary[result] === count(result),
        `the summary is true: ${result} is ${summary[result]}, not ${count(result)}`,
      )
    const { uploaded, already_uploaded, failed, unknown, not_sent, other_shards } = summary
    const sum = uploaded + already_uploaded + failed + unknown + (not_sent ?? 0) + other_shards
    holds(
      not_sent === null || sum === transcripts.length,
      `the summary counts each of ${transcripts.length}, not ${sum}`,
    )
  }

  const codes = uploads.map(({ error }) => error?.exit ?? 0)
  const expected = failure?.error?.exit ?? codeOf(codes, summary, isStopped)
  holds(
    code === expected,
    `the exit code is true: ${code} instead of ${expected} for ${codes} ${JSON.stringify(summary)}`,
  )
  if (code === 0) {
    const reported = ids.length + (summary?.other_shards ?? 0)
    holds(reported === transcripts.length, `exit 0 means that all is stored: ${reported} of ${transcripts.length} are`)
  }
  if (code === 10) holds(count('unknown') > 0 || failure !== undefined, 'exit 10 names what may be stored')
  for (const { name, error } of uploads.filter(({ result }) => result === 'unknown'))
    holds(error?.exit === 10 || isStopped, `an unknown result is reported: "${name}" has the exit code ${error?.exit}`)
  holds(code !== 1 || hasDiskFailed, 'no run ends with a bug')
  return broken
}

/** The code of a run without an error of its own: the first of this order that applies to a result. */
function codeOf(codes: readonly number[], summary: Summary | undefined, isStopped: boolean): number {
  if (isStopped) return 143
  const isShort = summary !== undefined && summary.not_sent !== 0
  const [first = 0] = codes
  const isForAll = codes.length <= 1 || ([3, 4, 5].includes(first) && codes.every((each) => each === first))
  const all = isForAll
    ? first
    : ([1, 4, 75, 10].find((each) => codes.includes(each)) ?? (Math.max(...codes) > 0 ? 8 : 0))
  return isShort && (all === 0 || all === 8) ? 75 : all
}
