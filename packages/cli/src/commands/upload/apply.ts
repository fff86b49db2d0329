import { AmbiguousWriteError, ServiceError, SvcError, systemClock } from '@svc/client'
import type { Context } from '../../context.js'
import { exitCodeFor } from '../../errors/index.js'
import { CliError, condemning, type ExitCode, exit } from '../../exit.js'
import { createGrace, type Watched } from '../../grace.js'
import { type EntryState, type Ledger, statusOf } from '../../ledger/index.js'
import { createSlots, workThrough } from '../../pool.js'
import type { Outcome } from './outcome.js'
import { type Changed, intentOf, type Ready } from './plan.js'

/** How items are sent. */
export interface Sending {
  context: Context
  project: string
  /** What was sent before; undefined where one transcript is sent without. */
  ledger: Ledger | undefined
  concurrency: number
  maxInFlight: number
  /** The item as another one of equal content, where it is to be sent although it is stored. */
  anew: ((ready: Ready) => Ready) | undefined
  /** Leaves out what an earlier run stored under the same external id with other content. */
  skipChanged: boolean
  /** Takes what an earlier run left in doubt, which is not sent. */
  pending(item: Pending): void
  /** Is told of each outcome as it comes; nothing more is begun where it fails. */
  tell(outcome: Outcome): void | Promise<void>
}

/** An item that an earlier run may have stored, which has to be settled first. */
export interface Pending extends Ready {
  standing: EntryState & { state: 'open' | 'unknown' }
}

/**
 * Failures on which nothing new is begun: the rest would fail the same way. What is unknown the ledger keeps apart, unless
 * it could not even be looked for: then the service has trouble, and each item that is sent would add to the doubt.
 */
const stopOn: readonly ExitCode[] = [...condemning.filter((code) => code !== exit.unknownWrite), exit.bug]

/**
 * Sends items as they come, so many at a time, each written into the ledger before. Ends early at what would befall the
 * rest too, or when the process is told to stop.
 */
export async function applyUpload(
  items: AsyncIterable<Ready | Changed> | Iterable<Ready | Changed>,
  sending: Sending,
): Promise<void> {
  const { context, ledger, concurrency, anew } = sending
  const { io } = context
  const { transcripts } = await context.client()
  // Told twice to stop, the process ends at once: what is known by then is written when it is told first.
  const writeDown = () => ledger?.write()
  io.signal.addEventListener('abort', writeDown, { once: true })
  const slots = createSlots(concurrency, sending.maxInFlight)
  const grace = createGrace(context, io.clock ?? systemClock)
  let condemned = false

  const deliver = async ({ item, json }: Ready, { options, wasSent }: Watched): Promise<Outcome | undefined> => {
    const { key } = item.identity
    if (io.signal.aborted || condemned) {
      ledger?.close(key, { event: 'unsent' })
      return undefined
    }
    try {
      const { signal, onEvent } = options
      const call = { validate: false, signal, onEvent, deadlineMs: context.call().deadlineMs }
      const transcript = await transcripts.upload(sending.project, { json }, call)
      ledger?.close(key, { event: 'done', id: transcript.id, status: statusOf(transcript) })
      return { item, fate: 'uploaded', transcript }
    } catch (error) {
      const code = exitCodeFor(error)
      const closing = closingOf(error, code, wasSent())
      ledger?.close(key, closing)
      // Before anybody else has its turn.
      condemned ||= stopOn.includes(code) || (closing.event === 'unknown' && closing.candidates.length === 0)
      if (closing.event === 'unknown') return { item, fate: 'unknown', code, error, candidates: closing.candidates }
      return isStop(code) ? undefined : { item, fate: 'failed', code, error }
    }
  }

  const send = async (each: Ready | Changed): Promise<Outcome | undefined> => {
    const { item } = each
    if ('changed' in each) return { item, fate: 'failed', code: exit.someFailed, error: each.changed }
    const standing = ledger?.stateOf(item.identity)
    if (standing?.state === 'open' || standing?.state === 'unknown') {
      sending.pending({ ...each, standing })
      return undefined
    }
    if (standing?.state === 'done' && !anew) return { item, fate: 'already_uploaded', id: standing.id, by: standing.by }
    const changedFrom = standing?.state === 'done' ? undefined : ledger?.changedFrom(item.identity, item.externalId)
    if (changedFrom !== undefined && sending.skipChanged) return { item, fate: 'skipped_changed', changedFrom }
    const ready = standing?.state === 'done' && anew ? anew(each) : each
    const { key } = ready.item.identity
    await ledger?.intend([intentOf(ready.item)])
    const outcome = await slots.run(item.bytes, () =>
      grace.watch(
        (watched) => deliver(ready, watched),
        () => ledger?.markSent(key),
      ),
    )
    return outcome && changedFrom !== undefined ? { ...outcome, changedFrom } : outcome
  }

  const attempt = async (each: Ready | Changed): Promise<void> => {
    const outcome = await send(each).catch((error: unknown): Outcome => {
      const code = exitCodeFor(error)
      condemned ||= stopOn.includes(code)
      return { item: each.item, fate: 'failed', code, error }
    })
    // Answers that are there already first make room for what is sent next.
    await new Promise(setImmediate)
    const telling = outcome && sending.tell(outcome)
    if (telling) await telling
  }

  try {
    await workThrough(items, concurrency + ready, attempt, () => condemned || io.signal.aborted)
  } finally {
    grace.end()
    io.signal.removeEventListener('abort', writeDown)
  }
}

/**
 * So many are made ready beyond those that are sent, because a disk may take longer to sync than the service to answer;
 * what is ready counts as unknown after a sudden end, and is looked for with the rest.
 */
const ready = 16

const isStop = (code: ExitCode): boolean => code === exit.interrupted || code === exit.terminated

/** What the ledger is told of a request that did not end well: exactly one of what can have become of it. */
function closingOf(error: unknown, code: ExitCode, wasSent: boolean) {
  if (error instanceof AmbiguousWriteError) return { event: 'unknown', candidates: error.candidates } as const
  if (error instanceof ServiceError && code !== exit.temporary) {
    return { event: 'refused', status: error.status } as const
  }
  // The others of the client are certain of it: refused before, never reached, or kept back by the rate limiter.
  const isUnsent = !wasSent || error instanceof SvcError || error instanceof CliError
  return isUnsent ? ({ event: 'unsent' } as const) : ({ event: 'unknown', candidates: [] } as const)
}
