import { join } from 'node:path'
import { Option } from 'commander'
import { stateFolderOf } from '../config/index.js'
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

export const ledgerOption = (): Option =>
  new Option('--ledger <dir>', 'directory of the ledgers (default: uploads in the state directory)')
