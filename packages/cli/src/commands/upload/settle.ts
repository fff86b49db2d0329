import { systemClock } from '@svc/client'
import type { Context } from '../../context.js'
import { exit } from '../../exit.js'
import type { Target } from '../../ledger/identity.js'
import type { Ledger, OpenItem } from '../../ledger/ledger.js'
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
  const { reconcile } = await import('../../ledger/reconcile.js')
  await reconcile(ledger, items, {
    client: await context.client(),
    target,
    clock: context.io.clock ?? systemClock,
    call: context.call,
    timeoutMs: context.flags.timeout ?? defaultTimeoutMs,
    ...(!waits && { waitMs: 0 }),
    onWait: (ms) =>
      context.say(
        `${count(items.length, 'upload')} of an earlier run may still arrive; looking again in ${Math.ceil(ms / 1_000)} s`,
      ),
  })
}

/** The client's own for an upload. */
const defaultTimeoutMs = 60_000

/** What is left in doubt, as an outcome. */
export const inDoubt = ({ item, standing }: Pending): Outcome => ({
  item,
  fate: 'unknown',
  code: exit.unknownWrite,
  error: new Error('An earlier run sent it, and its answer was lost; it may be stored.'),
  candidates: standing.candidates,
})
