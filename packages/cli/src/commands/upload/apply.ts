import { createSlots, type EntryState, type Ledger, statusOf, workThrough } from '@svc/bulk'
import { AmbiguousWriteError, ServiceError, SvcError, type Watched } from '@svc/client'
import { count } from '@svc/text'
import { type Context, shutdownOf } from '../../context.js'
import { createItemFailures, describe, exitCodeFor } from '../../errors/index.js'
import { CliError, condemning, type ExitCode, exit } from '../../exit.js'
import { appearanceOf, type Changed, type Item, intentOf, type Ready, withWrite } from './plan.js'
import type { UploadResult } from './result.js'

/** How items are sent. */
export interface Sending {
  context: Context
  project: string
  /** The ledger; undefined if a single transcript is sent without one. */
  ledger: Ledger | undefined
  concurrency: number
  maxInFlight: number
  /** The item as another one of equal content, where it is to be sent although it is stored. */
  sendAgain: ((ready: Ready) => Ready) | undefined
  /** Leaves out what an earlier run stored under the same external id with other content. */
  skipChanged: boolean
  /** `settleMs` of each upload. Default: the client's. */
  settleMs: number | undefined
  /** The items carry stamps. */
  isStamped: boolean
  /** Receives an item of an earlier run whose result is unknown; it is not sent. */
  pending(item: Pending): void
  /** Receives each result as it comes; if it rejects, nothing more is sent. */
  report(result: UploadResult): void | Promise<void>
}

/** An item that an earlier run may have stored, which has to be settled first. */
export interface Pending extends Ready {
  standing: EntryState & { state: 'open' | 'unknown' }
}

/**
 * Failures on which nothing new is begun: the rest would fail the same way. What is unknown the ledger keeps apart, unless
 * the service could not be searched for it: then each further item would become unknown, too.
 */
const stopOn: readonly ExitCode[] = [...condemning.filter((code) => code !== exit.unknownWrite), exit.bug]

/**
 * Sends items as they come, so many at a time, each written into the ledger before. Ends early at what would befall the
 * rest too, or when the process is stopped.
 */
export async function applyUpload(
  items: AsyncIterable<Ready | Changed> | Iterable<Ready | Changed>,
  sending: Sending,
): Promise<void> {
  const { context, ledger, concurrency, sendAgain } = sending
  const { io } = context
  const { transcripts } = await context.client()
  // A second signal ends the process at once, so the ledger is written at the first.
  const writeDown = () => ledger?.write()
  io.signal.addEventListener('abort', writeDown, { once: true })
  const slots = createSlots(concurrency, sending.maxInFlight)
  const shutdown = shutdownOf(context)
  const failures = createItemFailures()
  let isStopped = false

  const deliver = async (
    { item, json }: Ready,
    wasSentBefore: boolean,
    { options, wasSent }: Watched,
  ): Promise<UploadResult | undefined> => {
    const { key } = item.identity
    if (io.signal.aborted || isStopped) {
      ledger?.close(key, { event: 'unsent' })
      return undefined
    }
    try {
      const { signal, onEvent } = options
      const call = {
        validate: false,
        // The items are stamped already.
        stamp: false,
        signal,
        onEvent,
        deadlineMs: context.call().deadlineMs,
        settleMs: sending.settleMs,
      }
      const transcript = await transcripts.uploadJson(sending.project, json, call)
      failures.succeeded()
      ledger?.close(key, { event: 'done', id: transcript.id, status: statusOf(transcript) })
      return { item, result: 'uploaded', transcript }
    } catch (cause) {
      const { error, code } = failures.failed(sending.isStamped ? explainStamp(cause) : cause)
      const closing = closingOf(cause, code, { wasSent: wasSent(), wasSentBefore })
      ledger?.close(key, closing)
      // Before anybody else has its turn.
      const isUnsearchable = closing.event === 'unknown' && closing.candidates.length === 0 && !isConflict(cause)
      isStopped ||= stopOn.includes(code) || isUnsearchable
      if (closing.event === 'unknown') {
        const unknown = isConflict(cause) ? { error: conflicting(cause), code: exit.unknownWrite } : { error, code }
        return { item, result: 'unknown', candidates: closing.candidates, ...unknown }
      }
      return isStop(code) ? undefined : { item, result: 'failed', code, error }
    }
  }

  const send = async (each: Ready | Changed): Promise<UploadResult | undefined> => {
    const { item } = each
    if ('changed' in each) return { item, result: 'failed', code: exit.someFailed, error: each.changed }
    const standing = ledger?.stateOf(item.identity, appearanceOf(item))
    if (standing?.state === 'unidentified' && !sendAgain) return unidentified(item, standing.candidates)
    if (standing?.state === 'open' || standing?.state === 'unknown') {
      sending.pending({ ...each, standing })
      return undefined
    }
    if (standing?.state === 'done' && !sendAgain)
      return { item, result: 'already_uploaded', id: standing.id, by: standing.by }
    const changedFrom = standing?.state === 'done' ? undefined : ledger?.changedFrom(item.identity, item.externalId)
    if (changedFrom !== undefined && sending.skipChanged) return { item, result: 'skipped_changed', changedFrom }
    const own = standing?.state === 'done' && sendAgain ? sendAgain(each) : each
    const { key } = own.item.identity
    const earlier = ledger?.item(key)?.intent
    // Refused for certain, it was not stored.
    const wasSentBefore = earlier !== undefined && ledger?.item(key)?.state !== 'refused'
    // With the same stamp, a search finds the record of any of its attempts.
    const ready = earlier?.write === undefined ? own : withWrite(own, earlier.write)
    await ledger?.intend([intentOf(ready.item)])
    const result = await slots.run(item.bytes, (slot) =>
      shutdown.watch((watched) => deliver(ready, wasSentBefore, watched), {
        sending() {
          slot.enter()
          ledger?.markSent(key)
        },
        // Other items go on while the client waits until a lost upload must be listed.
        searching: slot.leave,
      }),
    )
    return result && changedFrom !== undefined ? { ...result, changedFrom } : result
  }

  const attempt = async (each: Ready | Changed): Promise<void> => {
    const result = await send(each).catch((error: unknown): UploadResult => {
      const code = exitCodeFor(error)
      isStopped ||= stopOn.includes(code)
      return { item: each.item, result: 'failed', code, error }
    })
    // Answers that are there already first make room for what is sent next.
    await new Promise(setImmediate)
    const reporting = result && sending.report(result)
    if (reporting) await reporting
  }

  try {
    await workThrough(items, concurrency + ready, attempt, () => isStopped || io.stop.aborted)
  } finally {
    shutdown.end()
    io.signal.removeEventListener('abort', writeDown)
  }
}

/**
 * So many are made ready beyond those that are sent, because a disk may take longer to sync than the service to answer;
 * what is ready counts as unknown after a sudden end, and is looked for with the rest.
 */
const ready = 16

/** The error of an upload; if the service may refuse its stamp, an error with that hint. */
function explainStamp(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.kind !== 'invalid_request') return error
  if (!/\bmetadata\b|\bsvc\b(?!\.)/.test(JSON.stringify(error.body))) return error
  const { message, hint = '' } = describe(error)
  const more = `${hint}; if it refuses the stamp in metadata.svc, upload with --no-stamp`
  return new CliError(exit.refused, message, { hint: more, cause: error })
}

const isStop = (code: ExitCode): boolean => code === exit.interrupted || code === exit.terminated

/** The result of an item that may be a transcript without a stamp. */
function unidentified(item: Item, candidates: readonly string[]): UploadResult {
  const shown = candidates.slice(0, 3).join(', ')
  const error = new CliError(
    exit.unknownWrite,
    `It may be stored: ${count(candidates.length, 'transcript')} of the project without a stamp ${candidates.length === 1 ? 'looks' : 'look'} the same: ${shown}.`,
    { hint: `compare it with \`svc transcripts show ${candidates[0]}\`; --again uploads it anyway` },
  )
  return { item, result: 'unknown', code: exit.unknownWrite, error, candidates }
}

/** True if the service says that it has such a record: then an upload of unknown outcome is not absent. */
function isConflict(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 409
  return error instanceof Error && error.cause !== undefined && isConflict(error.cause)
}

const conflicting = (cause: unknown): CliError =>
  new CliError(exit.unknownWrite, 'It may be stored: the service says that it has it (409), but does not list it.', {
    hint: 'run the same command again later; it searches for the transcript first',
    cause,
  })

/** The ledger event that closes a failed request. `wasSentBefore`: an earlier request may have stored it. */
function closingOf(
  error: unknown,
  code: ExitCode,
  { wasSent, wasSentBefore }: { wasSent: boolean; wasSentBefore: boolean },
) {
  const conflict = isConflict(error)
  if (wasSentBefore && conflict) return { event: 'unknown', candidates: [], conflict } as const
  if (error instanceof AmbiguousWriteError)
    return { event: 'unknown', candidates: error.candidates, ...(conflict && { conflict }) } as const
  if (error instanceof ServiceError && code !== exit.temporary) {
    return { event: 'refused', status: error.status } as const
  }
  // The others of the client are certain of it: refused before, never reached, or kept back by the rate limiter.
  const isUnsent = !wasSent || error instanceof SvcError || error instanceof CliError
  return isUnsent ? ({ event: 'unsent' } as const) : ({ event: 'unknown', candidates: [] } as const)
}
