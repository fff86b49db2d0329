import * as z from 'zod'
import type { OperationId, ServiceErrorOf } from './types.js'
import { bag, open } from './zod-fields.js'
import { mirrors } from './zod-mirrors.js'

type Refused<Id extends OperationId, Status> = Extract<ServiceErrorOf<Id>, { status: Status }>['body']

export type ErrorResponse = Refused<'annotations.create', 404>
/** The one error envelope of surface A. */
export const ErrorResponse = mirrors<ErrorResponse>()(open({ error: z.string(), detail: z.string() }))

export type HTTPValidationError = Refused<'batches.get', 422>
export type ValidationError = NonNullable<HTTPValidationError['detail']>[number]
/** One refused path parameter: where, and why. */
export const ValidationError = mirrors<ValidationError>()(
  open({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
    input: z.unknown().exactOptional(),
    ctx: bag.exactOptional(),
  }),
)
/** Surface A's answer where a path parameter fails validation. */
export const HTTPValidationError = mirrors<HTTPValidationError>()(
  open({ detail: z.array(ValidationError).exactOptional() }),
)

export type AuthenticationError = Refused<'projects.list', 401>
/** Surface B's 401. */
export const AuthenticationError = mirrors<AuthenticationError>()(
  open({ error: open({ message: z.string(), type: z.literal('authentication_error'), code: z.literal(401) }) }),
)

export type AuthorizationError = Refused<'projects.list', 403>
/** Surface B's 403. */
export const AuthorizationError = mirrors<AuthorizationError>()(
  open({ error: open({ message: z.string(), type: z.literal('authorization_error'), code: z.literal(403) }) }),
)

/** Only the type is shown of a 400, 404 or 413 of surface B. */
const shown = { message: z.string().exactOptional(), code: z.number().exactOptional() }

export type InvalidRequestError = Refused<'projects.create', 400>
/** Surface B's 400 and 413. */
export const InvalidRequestError = mirrors<InvalidRequestError>()(
  open({ error: open({ ...shown, type: z.literal('invalid_request_error') }) }),
)

export type NotFoundError = Refused<'projects.get', 404>
/** Surface B's 404. */
export const NotFoundError = mirrors<NotFoundError>()(
  open({ error: open({ ...shown, type: z.literal('not_found_error') }) }),
)
