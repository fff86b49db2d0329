import * as client from '@svc/client'
import { CliError, type ExitCode, exit } from '../exit.js'
import { describe, exitByStep, exitCodeFor } from './report-error.js'

export interface ItemFailure {
  error: unknown
  code: ExitCode
}

const steps = Object.keys(exitByStep) as client.NextStep[]

/** `createItemFailures` of the client, with exit codes. */
export function createItemFailures(): { succeeded(): void; failed(error: unknown): ItemFailure } {
  const failures = client.createItemFailures()
  return {
    succeeded: failures.succeeded,
    failed(cause) {
      const code = exitCodeFor(cause)
      const known = steps.find((step) => exitByStep[step] === code) ?? 'report_bug'
      const { step, allRefused } = failures.failed(cause, known)
      if (allRefused === undefined) return { error: cause, code: step === known ? code : exitByStep[step] }
      const { message, hint = '' } = describe(cause)
      const all = `The first ${allRefused} requests were refused: ${message}`
      return { error: new CliError(exit.auth, all, { hint, cause }), code: exit.auth }
    },
  }
}
