import { ServiceError } from '@svc/client'

/** The service error that a call ends in; a call that ends in anything else fails the test. */
export const refusal = (call: PromiseLike<unknown>): Promise<ServiceError> =>
  Promise.resolve(call).then(
    () => Promise.reject(new Error('the call was not refused')),
    (error: unknown) => (error instanceof ServiceError ? error : Promise.reject(error)),
  )
