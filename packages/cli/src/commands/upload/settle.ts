import { systemClock, type Transcript } from '@svc/client'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Target } from '../../ledger/identity.js'
import type { Ledger } from '../../ledger/ledger.js'
import type { OpenItem } from '../../ledger/standings.js'
import { exitCodeFor } from '../../report-error.js'
import { count } from '../../text.js'
import type { Pending } from './apply.js'
import type { Outcome } from './outcome.js'

/** Looks for what earlier runs left in doubt. With `waits`, until what is not there can no longer come. */
export async function settle(
  context: Context,
  ledger: Ledger,
  target: Target,
  items: readonly OpenItem[],
  waits: boolean,
): Promise<void> {
  if (items.length === 0) return
  const { reconcile, usualTimeoutMs } = await import('../../ledger/reconcile.js')
  await reconcile(ledger, items, {
    client: await context.client(),
    target,
    clock: context.io.clock ?? systemClock,
    call: context.call,
    timeoutMs: context.flags.timeout ?? usualTimeoutMs,
    ...(!waits && { waitMs: 0 }),
    onWait: (ms) =>
      context.say(
        `${count(items.length, 'upload')} of an earlier run may still arrive; looking again in ${Math.ceil(ms / 1_000)} s`,
      ),
  })
}

/** What became of an upload of this run that was left in doubt, once it has been looked for again. */
export async function settled(context: Context, doubt: Outcome, ledger: Ledger): Promise<Outcome> {
  if (doubt.fate !== 'unknown') return doubt
  const { item, error } = doubt
  const standing = ledger.standing(item.identity)
  if (standing?.state === 'done') return { item, fate: 'uploaded', transcript: await recordOf(context, standing.id) }
  if (standing?.state !== 'unsent') return doubt
  // It is not there and will not come: what is left to tell is why its answer was lost.
  const cause = (error as Error).cause ?? error
  return { item, fate: 'failed', code: exitCodeFor(cause), error: cause }
}

/** The record that the answer would have held. */
async function recordOf(context: Context, id: string): Promise<Transcript> {
  const { transcripts } = await context.client()
  const { turns: _, annotations: __, ...record } = await transcripts.get(id, context.call())
  return record as unknown as Transcript
}

/** An error about an upload that the ledger keeps as unknown. */
export const doubtful = (message: string, cause?: unknown): CliError =>
  new CliError(exit.unknownWrite, message, {
    hint: 'the same command looks for it first, and sends it again only where it is not stored; so does `svc uploads reconcile`',
    ...(cause !== undefined && { cause }),
  })

/** What is left in doubt, as an outcome. */
export const inDoubt = ({ item, standing }: Pending): Outcome => ({
  item,
  fate: 'unknown',
  code: exit.unknownWrite,
  error: doubtful('An earlier run sent it, and its answer was lost; it may be stored.'),
  candidates: standing.candidates,
})
