import { join } from 'node:path'
import { CliError, exit } from '../../../cli/src/exit.js'
import { type Claim, claim } from '../claims.js'
import type { Shard } from '../shard.js'
import { cannotOpen } from './failure.js'
import { nameOf } from './files.js'

/**
 * Lock the ledger of a target (by `stemOf`) and shard for this process; returns the function that releases it.
 *
 * @throws {CliError} if another process holds the ledger, or splits the same target into another number of shards
 */
export async function lock(folder: string, stem: string, shard: Shard | undefined, at: string): Promise<() => void> {
  const claimed = await claim(folder, stem, { ledger: nameOf(stem, shard), of: shard?.of, at }).catch(
    (error: NodeJS.ErrnoException) => {
      throw cannotOpen(error.path ?? folder, error)
    },
  )
  if (typeof claimed === 'function') return claimed
  throw lockedBy(claimed, folder)
}

function lockedBy({ pid, host, at, file, ledger, isSeen }: Claim, folder: string): CliError {
  const details = [join(folder, `${ledger}.jsonl`)]
  const who = `pid ${pid} on ${host}, since ${at}`
  return isSeen
    ? new CliError(exit.temporary, `Another process writes this ledger: ${who}.`, {
        details,
        hint: 'run the command again when that process has ended',
      })
    : new CliError(exit.input, `Another process writes this ledger, or was killed while it did: ${who}.`, {
        details,
        hint: `svc cannot see that process from here: make sure that it has ended, then remove ${file}`,
      })
}
