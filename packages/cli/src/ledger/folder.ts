import { join } from 'node:path'
import { stateFolderOf } from '../settings/folders.js'

/** The folder of the ledgers: the flag's, else `uploads` in the state folder; undefined where there is no home at all. */
export function ledgerFolder(env: Record<string, string | undefined>, flag: string | undefined): string | undefined {
  const state = stateFolderOf(env)
  return flag ?? (state === undefined ? undefined : join(state, 'uploads'))
}
