import { join } from 'node:path'
import { BulkError } from '../bulk-error.js'
import { type Claim, claim } from '../claims.js'
import type { BulkEnvironment } from '../environment/index.js'
import type { Shard } from '../shard.js'
import { cannotOpen, cannotWrite } from './failure.js'
import { nameOf } from './files.js'

/**
 * Lock the ledger of a target (by `stemOf`) and shard for this process; returns the function that releases it, which throws
 * a BulkError if its files cannot be removed.
 *
 * @throws {BulkError} if another process holds the ledger, or splits the same target into another number of shards
 */
export async function lock(
  folder: string,
  stem: string,
  shard: Shard | undefined,
  environment: BulkEnvironment,
): Promise<() => void> {
  const at = new Date(environment.clock.now()).toISOString()
  const wanted = { ledger: nameOf(stem, shard), of: shard?.of, at }
  const claimed = await claim(folder, stem, wanted, environment).catch((error: NodeJS.ErrnoException) => {
    throw cannotOpen(error.path ?? folder, error)
  })
  if (typeof claimed !== 'function') throw lockedBy(claimed, folder)
  return () => {
    try {
      claimed()
    } catch (error) {
      throw cannotWrite(join(folder, `${wanted.ledger}.jsonl`), error)
    }
  }
}

function lockedBy({ pid, host, at, file, ledger, isSeen }: Claim, folder: string): BulkError {
  const details = [join(folder, `${ledger}.jsonl`)]
  const who = `pid ${pid} on ${host}, since ${at}`
  return isSeen
    ? new BulkError('ledger_locked', `Another process writes this ledger: ${who}.`, {
        details,
        hint: 'run the command again when that process has ended',
      })
    : new BulkError('ledger_maybe_locked', `Another process writes this ledger, or was killed while it did: ${who}.`, {
        details,
        hint: `svc cannot see that process from here: make sure that it has ended, then remove ${file}`,
      })
}
