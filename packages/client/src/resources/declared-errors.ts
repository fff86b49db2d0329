import { ServiceError } from '../errors/index.js'
import { isObject } from '../json.js'
import { lazily } from '../lazily.js'
import type { OperationId, ServiceErrorOf } from '../types.js'

type Envelope = (body: unknown) => boolean

const isText = (value: unknown) => typeof value === 'string'

/** Surface A: `{ error, detail }`. */
const annotation: Envelope = (body) => isObject(body) && isText(body.error) && isText(body.detail)
/** Surface B, 401 and 403: `{ error: { message, type, code } }`. */
const access: Envelope = (body) =>
  isObject(body) &&
  isObject(body.error) &&
  isText(body.error.message) &&
  isText(body.error.type) &&
  typeof body.error.code === 'number'
/** Surface B, other statuses: the interface shows only the type. */
const typed: Envelope = (body) => isObject(body) && isObject(body.error) && isText(body.error.type)
/** Surface B, 429: the interface shows no field. */
const limited: Envelope = (body) => isObject(body) && isObject(body.error)
/** HTTPValidationError. */
const validation: Envelope = (body) => isObject(body) && (body.detail === undefined || Array.isArray(body.detail))

type DeclaredErrors = Record<OperationId, Partial<Record<number, Envelope>>>

/**
 * The declared errors of each operation by status; a test compares them with the spec. Built when first used, and marked,
 * so that a bundler can leave them out with the guard.
 */
export const declaredErrors = /* @__PURE__ */ lazily((): DeclaredErrors => {
  const key = { 401: annotation, 403: annotation }
  const read = { 401: access, 403: access, 429: limited }
  const list = { ...read, 400: typed }
  const create = { ...list, 413: typed }
  const upload = { ...create, 404: typed }
  const record = { ...read, 404: typed }
  return {
    health: {},
    'annotations.create': {
      ...key,
      404: annotation,
      422: annotation,
      429: annotation,
      502: annotation,
      503: annotation,
    },
    'annotators.list': key,
    'batches.create': { ...key, 501: annotation },
    'batches.get': { ...key, 422: validation, 501: annotation },
    'projects.create': create,
    'projects.list': list,
    'projects.get': record,
    'transcripts.upload': upload,
    'transcripts.list': { ...list, 404: typed },
    'transcripts.get': record,
    'legacy.createSession': create,
    'legacy.createTranscript': upload,
  }
})

/**
 * Check that an error is a declared error of this method: a documented status with its documented body
 * (interface: Endpoints, Errors). TypeScript then narrows `status` and `body` together. For other errors, use `kind`.
 *
 * @example
 * const create = (name: string) =>
 *   svc.projects.create({ name }).catch((error: unknown) => {
 *     if (isServiceError(error, 'projects.create') && error.status === 403) return error.body.error.message
 *     throw error
 *   })
 */
export function isServiceError<Id extends OperationId>(error: unknown, operation: Id): error is ServiceErrorOf<Id> {
  if (!(error instanceof ServiceError) || error.operation !== operation) return false
  const isDeclared = declaredErrors()[operation][error.status]
  return isDeclared?.(error.body) ?? false
}

/**
 * Check that the service itself refused the key: a 401 or 403 with the declared envelope of its surface, and not the page
 * of a proxy or the JSON of a gateway, which may concern this one request (interface: Errors).
 */
export const isKeyRefusal = (error: unknown): error is ServiceError & { readonly status: 401 | 403 } =>
  error instanceof ServiceError &&
  (error.status === 401 || error.status === 403) &&
  (error.surface === 'annotation' ? annotation : access)(error.body)
