import { ConnectionError, InputError, ServiceError } from '@svc/client'

/** How a call failed, in words that can be compared between runtimes; the error itself beside them. */
export async function outcomeOf(call: Promise<unknown>): Promise<{ reported: unknown[]; error: unknown }> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { reported: reported(error), error }
}

function reported(error: unknown): unknown[] {
  if (error instanceof ServiceError) return ['ServiceError', error.status, error.kind, error.type ?? null]
  if (error instanceof InputError) return ['InputError', error.reason]
  if (error instanceof ConnectionError) {
    const { phase, timedOut, attempts } = error
    return ['ConnectionError', phase, timedOut, attempts.map(({ cause, sent }) => `${cause} ${sent}`).join()]
  }
  return [String(error)]
}
