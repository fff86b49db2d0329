import { isKeyRefusal, ServiceError } from '@svc/client'
import { CliError, type ExitCode, exit } from '../exit.js'
import { describe, exitCodeFor } from './report-error.js'

/** The number of requests at the start of a run that a gateway may refuse, before nothing more is sent. */
const mostRefused = 10

/** True for a 403 of a firewall or gateway: it says nothing about the key, and may concern one item only. */
export const isGatewayRefusal = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 403 && !isKeyRefusal(error)

export interface ItemFailure {
  error: unknown
  code: ExitCode
}

/** The failures of the items of one run. */
export interface ItemFailures {
  /** Call it for each item that succeeded. */
  succeeded(): void
  /**
   * The error and the exit code of an item. The 403 of a gateway concerns its item alone, unless all requests of the run
   * had that answer.
   */
  failed(error: unknown): ItemFailure
}

export function createItemFailures(): ItemFailures {
  let isAnswered = false
  let refused = 0
  return {
    succeeded() {
      isAnswered = true
    },
    failed(error) {
      const code = exitCodeFor(error)
      if (!isGatewayRefusal(error)) {
        isAnswered ||= code !== exit.temporary
        return { error, code }
      }
      if (isAnswered || ++refused < mostRefused) return { error, code: exit.refused }
      const { message, hint = '' } = describe(error)
      const all = `The first ${mostRefused} requests were refused: ${message}`
      return { error: new CliError(exit.auth, all, { hint, cause: error }), code: exit.auth }
    },
  }
}
