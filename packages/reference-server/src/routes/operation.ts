import type { AllAmbiguities, Ambiguities } from '../ambiguities/index.js'
import type { Annotator, Pipeline } from '../annotators/index.js'
import type { Permission } from '../auth.js'
import { pathsOf, withoutTrailingSlash } from '../bases.js'
import type { Clock } from '../clock.js'
import { type IncomingRequest, originOf } from '../http-messages.js'
import type { HealthResponse, Surface } from '../types.js'
import { type BodyShape, checkContentLength, decodeContent, parseJson } from '../validation/index.js'
import type { World } from '../world/index.js'

export interface Context {
  readonly request: IncomingRequest
  /** Path parameters, decoded; undefined if the percent-encoding is invalid. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** The workspace of the key; empty for an operation without a key. */
  readonly workspace: string
  /** True if the annotation job of an upload can be submitted; false under the fault `submit-error`. */
  readonly canSubmit: boolean
  /** Show a body to the journal and the check: the value of JSON, the text of any other. */
  readonly keepBody: (body: ReceivedBody, bytes: number) => void
  readonly server: ServerParts
}

type ReceivedBody = { text: string } | { value: unknown }

export type Bases = Pick<ServerParts, 'baseUrl' | 'publicBaseUrl'>

export interface ServerParts {
  readonly baseUrl: string
  readonly publicBaseUrl: string
  readonly world: World
  readonly clock: Clock
  /** Those of this time: a request may find others than the one before. */
  readonly ambiguities: AllAmbiguities
  readonly annotators: readonly Annotator[]
  readonly pipeline: Pipeline
  /** True if it serves the control plane. */
  readonly hasControl: boolean
  readonly substrate: HealthResponse['substrate']
  /** Count a list, and return how many came before it. */
  countList(): number
}

export interface Result {
  status: number
  headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON, on the workspace surface with `processing_time_ms`; a string is sent as it is. */
  body: object | string
}

export interface Operation {
  id: string
  surface: Surface
  method: 'GET' | 'POST'
  /** Below the base URL of the surface, with `{parameters}`. */
  path: string
  permission?: Permission
  /** The names of its query parameters. Default: none. */
  query?: readonly string[]
  /** The shape of its body, if the interface shows it. */
  body?: BodyShape
  /** True if it needs no key. Default: it needs one. */
  open?: (ambiguities: Ambiguities) => boolean
  /** The rate limits that apply: of the key, or also of the provider behind all keys. Default: none. */
  limits?: 'key' | 'provider'
  run(context: Context): Result | Promise<Result>
}

export const read = { surface: 'workspace', method: 'GET', permission: 'projects-read', limits: 'key' } as const
export const write = { surface: 'workspace', method: 'POST', permission: 'projects-write', limits: 'key' } as const

/** The answer to a write that stored a record: `path` is that of the record, below the base URL. */
export function created(context: Context, record: object, path: string): Result {
  const status = context.server.ambiguities.created
  if (status !== 'empty') return { status, body: { data: record } }
  const { pathname } = new URL(basesOf(context).publicBaseUrl)
  return { status: 201, headers: { location: withoutTrailingSlash(pathname) + path }, body: '' }
}

/** The base URLs of the server, under the host of the request. */
export function basesOf({ request, server: { baseUrl, publicBaseUrl } }: Context): Bases {
  const origin = originOf(request)
  if (origin === undefined) return { baseUrl, publicBaseUrl }
  const { annotation, workspace } = pathsOf(baseUrl, publicBaseUrl)
  return { baseUrl: origin + annotation, publicBaseUrl: origin + workspace }
}

/** Read a JSON body: 413 for its size, then 400 (annotation surface: 422) for its coding, type and syntax. */
export async function readJson({ request, server, keepBody }: Context, surface: Surface): Promise<unknown> {
  const { bodyBytes, annotationBodyBytes, compressedBodies } = server.ambiguities
  const isWorkspace = surface === 'workspace'
  const limit = isWorkspace ? bodyBytes : annotationBodyBytes
  const status = isWorkspace ? 400 : 422
  checkContentLength(request.header('content-length'), limit)
  const body = await request.readBody(limit)
  const coding = { isAccepted: compressedBodies, limit, status } as const
  const content = await decodeContent(body, request.header('content-encoding'), coding)
  try {
    const value = parseJson(content, request.header('content-type'), status)
    keepBody({ value }, content.byteLength)
    return value
  } catch (error) {
    keepBody({ text: new TextDecoder().decode(content) }, content.byteLength)
    throw error
  }
}
