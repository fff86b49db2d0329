import { join } from 'node:path'
import type { LedgerOwner } from '@svc/bulk'
import { Option } from 'commander'
import { stateFolderOf } from '../config/index.js'
import type { Context } from '../context.js'
import type { Io } from '../io/index.js'

/** The absolute path of the folder of the ledgers: that of the flag, else `uploads` in the state folder; undefined without a home folder. */
export function ledgerFolderOf(
  { env, resolve }: Pick<Io, 'env' | 'resolve'>,
  flag: string | undefined,
): string | undefined {
  const state = stateFolderOf(env)
  const folder = flag ?? (state === undefined ? undefined : join(state, 'uploads'))
  return folder === undefined ? undefined : resolve(folder)
}

/** A note before the wait that shows if the owner of a ledger lives. */
export const leaseNote =
  ({ say }: Pick<Context, 'say'>) =>
  ({ pid, host, at }: LedgerOwner, ms: number): void =>
    say(
      `note: pid ${pid} on ${host} has had this ledger since ${at}; waiting up to ${Math.ceil(ms / 1_000)} s for it to renew its lease`,
    )

export const ledgerOption = (): Option =>
  new Option('--ledger <dir>', 'directory of the ledgers (default: uploads in the state directory)')
