import type { Ledger } from './contract.js'
import type { Target } from './identity.js'

export type { Closing, Intent, Ledger, OpenItem, Standing } from './contract.js'
export { ledgerFolder } from './folder.js'

export interface LedgerOptions {
  folder: string | undefined
  target: Target
  /** Index from 0. */
  shard?: { index: number; of: number } | undefined
  now(): number
}

/** Opens the ledger of a target for writing; throws a CliError where it cannot be written, or another process writes it. */
export async function openLedger(_options: LedgerOptions): Promise<Ledger> {
  throw new Error('not yet')
}
