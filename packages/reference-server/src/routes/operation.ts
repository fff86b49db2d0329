import type { Annotator, Pipeline } from '../annotators/index.js'
import type { KeyRecord, Permission } from '../auth.js'
import type { Clock } from '../clock.js'
import { ClientClosedRequest, type IncomingRequest } from '../http-messages.js'
import type { Readings } from '../readings.js'
import type { HealthResponse, Surface } from '../types.js'
import { checkDeclaredLength, parseJson } from '../validation/index.js'
import type { World } from '../world/index.js'

/** What an operation sees of a request and of the server. */
export interface Context {
  readonly call: IncomingRequest
  /** Path parameters, decoded; undefined where the percent-encoding is broken. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** The caller's key; absent only on an operation that is open. */
  readonly key: KeyRecord | undefined
  /** The workspace of the key; empty on an operation that is open. */
  readonly workspace: string
  /** Whether the annotation job of an upload can be submitted; false where a fault says so. */
  readonly canSubmit: boolean
  readonly server: ServerParts
}

/** What the operations of one server share. */
export interface ServerParts {
  readonly baseUrl: string
  readonly publicBaseUrl: string
  readonly world: World
  readonly clock: Clock
  readonly readings: Readings
  readonly annotators: readonly Annotator[]
  readonly pipeline: Pipeline
  readonly substrate: HealthResponse['substrate']
}

/** An answer before it is written. */
export interface Result {
  status: number
  headers?: Readonly<Record<string, string>>
  /** An object is written as JSON, on the workspace surface with `processing_time_ms`; a text is sent as it is. */
  body: object | string
}

/** One operation of the interface. */
export interface Operation {
  /** The operationId of the spec. */
  id: string
  surface: Surface
  method: 'GET' | 'POST'
  /** Below the base URL of the surface, with `{parameters}`. */
  path: string
  permission?: Permission
  /** Answers without a key. Default: never. */
  open?: (readings: Readings) => boolean
  /** Whose limits hold here: the key's, or also those of the provider behind all keys. Default: nobody's. */
  limits?: 'key' | 'provider'
  run(context: Context): Result | Promise<Result>
}

/**
 * The JSON body of a request: 413 by its size, then 400 (on the annotation surface 422) by its type and syntax. Throws
 * `CallerGone` where nobody waits for the operation any more, so that nothing is stored then.
 */
export async function readJson({ call, server }: Context, surface: Surface): Promise<unknown> {
  const { bodyBytes, annotationBodyBytes } = server.readings
  const limit = surface === 'workspace' ? bodyBytes : annotationBodyBytes
  checkDeclaredLength(call.header('content-length'), limit)
  const bytes = await call.readBody(limit)
  if (call.signal.aborted) throw new ClientClosedRequest('The caller went away.')
  return parseJson(bytes, call.header('content-type'), surface === 'workspace' ? 400 : 422)
}
