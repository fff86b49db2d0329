import { ServiceError } from './errors/index.js'
import { type NextStep, nextStep } from './next-step.js'
import { isKeyRefusal } from './resources/index.js'

/** The number of requests at the start of a run that a gateway may refuse, before nothing more is sent. */
const mostRefused = 10

/**
 * True for a 403 that is not in the form of the service: a firewall or gateway refused it. It says nothing about the key,
 * and may concern one request only.
 */
const isGatewayRefusal = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 403 && !isKeyRefusal(error)

/** The failure of one of many calls. */
export interface ItemFailure {
  /** The error, unchanged. */
  error: unknown
  /** `nextStep` of the error; `fix_request` for the 403 of a gateway that concerns this item alone. */
  step: NextStep
  /** The number of calls that a gateway refused since the start of the run, all of them. Absent otherwise. */
  allRefused?: number
}

/** The failures of many calls of one run. */
export interface FailureClassifier {
  /** Call it for each item that succeeded. */
  succeeded(): void
  /**
   * The failure of an item. The 403 of a gateway concerns its item alone, unless all requests of the run, at least ten, had
   * that answer: then its step is `check_key`, and nothing more should be sent. `step`: that of an error which is not one of
   * the client.
   */
  failed(error: unknown, step?: NextStep): ItemFailure
}

/** Tell failures of one item from those that all further items would share. One for each run. */
export function createFailureClassifier(): FailureClassifier {
  let isAnswered = false
  let refused = 0
  return {
    succeeded() {
      isAnswered = true
    },
    failed(error, step = nextStep(error)) {
      if (!isGatewayRefusal(error)) {
        isAnswered ||= step !== 'try_later'
        return { error, step }
      }
      if (isAnswered || ++refused < mostRefused) return { error, step: 'fix_request' }
      return { error, step: 'check_key', allRefused: mostRefused }
    },
  }
}
