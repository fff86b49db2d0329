import type { ReadFlags } from '../../reading.js'
import type { SourceFlags } from '../../sessions/input.js'
import type { IdentityFlags } from '../../upload-body.js'
import type { GuardFlags } from '../flags.js'

/** The upload's own flags. */
export interface UploadFlags extends ReadFlags, IdentityFlags, SourceFlags, GuardFlags {
  project?: string
  concurrency: number
  /** Bytes of bodies under way at a time. */
  maxInFlight: number
  dryRun?: boolean
  continueOnInvalid?: boolean
  /** File that takes what was left out as invalid. */
  rejects?: string
  /** Folder of the ledger. */
  ledger?: string
  /** Sends what the ledger has as stored, too. */
  again?: boolean
  /** Leaves out what an earlier run stored under the same external id with other content. */
  skipChanged?: boolean
  stamp: boolean
  shard?: { index: number; of: number }
}
