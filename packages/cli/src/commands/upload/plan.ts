import type { Conversation } from '../../conversations.js'
import { shardFor } from '../../ledger/identity.js'
import type { Violated } from '../../positions.js'
import type { Shard } from '../../shard.js'
import { digestOf, type Item, type Shaped } from './item.js'
import type { Invalid } from './rejects.js'

/**
 * An item of a plan. Its JSON is held where there is room for it, and else made again when it is sent, and compared with
 * the digest of what was checked.
 */
export type Planned = { item: Item } & ({ json: string } | { digest: string })

/** What will be uploaded, and everything that forbids it, before anything is sent. */
export interface UploadPlan {
  items: Planned[]
  /** Transcripts that have violations. */
  invalid: Invalid[]
  warnings: Violated[]
  /** Transcripts that are other shards' work. */
  elsewhere: number
  /** Transcripts of this shard without violations. */
  planned: number
}

/** So many bytes of bodies are held from the plan until they are sent. */
export const heldBytes = 32 << 20

/**
 * Plan every conversation; `shape` makes an item of each. The bodies of the invalid are kept only where they are wanted,
 * and no items where `preview` takes them: a dry run only prints them.
 */
export async function planUpload(
  conversations: AsyncIterable<Conversation>,
  shape: (conversation: Conversation) => Shaped,
  {
    shard,
    keepsInvalid,
    preview,
  }: { shard: Shard | undefined; keepsInvalid: boolean; preview?: (item: Item) => Promise<void> },
): Promise<UploadPlan> {
  const plan: UploadPlan = { items: [], invalid: [], warnings: [], elsewhere: 0, planned: 0 }
  let held = 0
  for await (const conversation of conversations) {
    const { item, json, violations, warnings } = shape(conversation)
    plan.warnings.push(...warnings)
    if (violations.length > 0) plan.invalid.push({ item, violations, ...(keepsInvalid && { json }) })
    else if (!isOurs(item, shard)) plan.elsewhere++
    else if (++plan.planned && preview) await preview(item)
    else {
      held += item.bytes
      plan.items.push(held <= heldBytes ? { item, json } : { item, digest: digestOf(json) })
    }
  }
  return plan
}

/** Whether an item is this shard's work: equal contents always go to the same one. */
export const isOurs = ({ identity }: Item, shard: Shard | undefined): boolean =>
  shard === undefined || shardFor(identity.content, shard.of) === shard.index
