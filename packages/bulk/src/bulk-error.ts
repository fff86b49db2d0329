import { type NextStep, nextStep } from '@svc/client'
import { CodedError } from '@svc/text'

/** The next step after each error of a bulk upload, by its code. */
const steps = {
  /** There is no folder for a ledger. */
  no_ledger_folder: 'fix_input',
  /** The ledger cannot be opened for writing. Nothing was sent. */
  ledger_not_writable: 'fix_input',
  /** The ledger cannot be read. */
  ledger_not_readable: 'fix_input',
  /** The ledger could be opened, but can no longer be written, as on a full disk. Sending has stopped. */
  ledger_write_failed: 'report_bug',
  /** The rebuilt ledger cannot be written. */
  ledger_rebuild_failed: 'report_bug',
  /** A line of the ledger is no entry. */
  ledger_damaged: 'fix_input',
  /** A ledger has lost its entries. */
  ledger_empty: 'fix_input',
  /** A rebuild of the ledger was interrupted, or still runs. */
  ledger_rebuild_unfinished: 'fix_input',
  /** The ledger was written by an earlier or later version. */
  ledger_other_version: 'fix_input',
  /** A file has the name of a ledger, and is that of another project or service. */
  ledger_other_target: 'fix_input',
  /** Another process writes the ledger. */
  ledger_locked: 'try_later',
  /** This process did not renew its lease in time, and another one has the ledger now. Sending has stopped. */
  ledger_lost: 'try_later',
  /** The variables of a Kubernetes Job name no shard. */
  invalid_shard: 'fix_input',
  /** A transcript has changed since it was planned. Only that one was not sent. */
  changed: 'fix_request',
  /** The transcript may be stored, by this run, an earlier one, or another program. */
  possibly_stored: 'reconcile',
  /** The service may have more transcripts than it lists, just after a rebuild. Nothing was sent. */
  list_incomplete: 'try_later',
  /** `deadlineMs` has passed. */
  deadline_passed: 'try_later',
  /** More uploads wait than `maxWaitingBytes` allows. Nothing was recorded. */
  too_much_waiting: 'try_later',
  /** The uploader is closed, and takes no more. Nothing was recorded. */
  uploader_closed: 'fix_request',
  /** The service sent an answer that is not of the documented form. */
  malformed_answer: 'fix_request',
} as const satisfies Record<string, NextStep>

/** Identifies the reason of a `BulkError`. */
export type BulkErrorCode = keyof typeof steps

/** An error of a bulk upload or its ledger, as opposed to one of the client: a code for programs; details and a hint for people. */
export class BulkError extends CodedError<BulkErrorCode> {
  override name = 'BulkError'
  /** The next step, as `nextStep` of the client gives it. */
  get step(): NextStep {
    return steps[this.code]
  }
}

/** The next step after an error of the client or of a bulk upload. */
export const stepAfter = (error: unknown): NextStep => (error instanceof BulkError ? error.step : nextStep(error))
