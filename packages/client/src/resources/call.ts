import { type Fingerprint, InputError, type Violation } from '../errors/index.js'
import { emitterOf } from '../events.js'
import {
  type BuiltRequest,
  buildRequest,
  type CallContext,
  type ClientState,
  type RequestInput,
  type ResponsePromise,
  responsePromise,
  send,
} from '../http/index.js'
import { isObject, utf8Length } from '../json.js'
import { lazily } from '../lazily.js'
import type { JsonOf, Operation, Operations } from '../operation.js'
import {
  type CallOptions,
  callOptions,
  defaultTimes,
  refuseUnknown,
  type Settings,
  signalOf,
  withDefaults,
} from '../options.js'
import type { Parts } from '../parts.js'
import type { Lookup } from '../reconciliation/index.js'
import { noRetry } from '../retry/index.js'
import type { OperationId } from '../types.js'
import type { InputReport } from '../validation.js'

type Responses<Id extends OperationId> = Operations[Id]['responses']
type SuccessOf<Id extends OperationId> =
  Responses<Id> extends Record<200, infer Response>
    ? JsonOf<Response>
    : Responses<Id> extends Record<201, infer Response>
      ? JsonOf<Response>
      : unknown

type ParametersOf<Id extends OperationId> = Operations[Id]['parameters']
type Query<Id extends OperationId> = NonNullable<ParametersOf<Id>['query']>
type InputOf<Id extends OperationId> = {
  query?: { [K in keyof Query<Id>]: Query<Id>[K] | Date | undefined }
  body?: unknown
  /** The body, if it is already JSON. */
  json?: string | undefined
} & (ParametersOf<Id> extends { path: infer Path extends Record<string, unknown> } ? { path: Path } : { path?: never })

export interface CallExtras<Sent> {
  /** Gives the body if it depends on the settings. */
  body?: (settings: Settings, parts: Parts) => unknown
  /** An error answer resolves the call. Default false. */
  returnsErrors?: boolean
  /** The names of the query parameters of a list. */
  filters?: Record<string, true>
  /** Default time-out of one attempt. */
  timeoutMs?: number
  /** Checks the input, given the bytes of its JSON; undefined if there is no JSON. */
  check?: (bytes: number | undefined, parts: Parts) => InputReport | undefined
  /** Fields of the record that a write creates; `sent` is the parsed body. */
  fingerprint?: (sent: Sent) => Fingerprint
  /** How to search for the record that a write creates. */
  lookup?: (sent: Sent, reconciliation: NonNullable<Parts['reconciliation']>) => Lookup
}

/** Calls an operation; `pick` takes the result from the success body. */
export type Call = <Id extends OperationId, Result, Sent>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions | undefined,
  pick: (body: SuccessOf<Id>) => Result,
  extras?: CallExtras<Sent>,
) => ResponsePromise<Result>

export type CallOperation = <Result>(
  operation: Operation,
  input: RequestInput,
  options: CallOptions | undefined,
  pick: (body: never) => Result,
  extras?: CallExtras<never>,
) => ResponsePromise<Result>

export const createCall =
  (callOperation: CallOperation): Call =>
  (id, input, options, pick, extras) =>
    callOperation({ id, ...operations[id] }, input, options, pick, extras)

/** Build, validate, send and reconcile, in this order. */
export const createCallOperation =
  (clientSettings: Settings, state: ClientState, parts: Parts): CallOperation =>
  (operation, input, options, pick, extras = {}) =>
    responsePromise(async () => {
      if (options) refuseUnknown(operation.id, options, callOptions)
      if (extras.filters) refuseUnknown(operation.id, input.query, extras.filters, 'filter')
      const signal = signalOf(operation.id, options?.signal)
      const settings = options ? withDefaults(clientSettings, options) : clientSettings
      const startedAt = settings.clock.monotonic()

      const { request, report } = await build(operation, settings, parts, input, extras)
      if (report) validate(report, operation, settings, request)

      const sent = lazily(() => JSON.parse(request.body ?? 'null'))
      const call: CallContext = {
        operation,
        settings,
        state,
        options,
        timeoutMs: settings.timeoutMs ?? extras.timeoutMs ?? defaultTimes.timeoutMs,
        deadlineAt: startedAt + settings.deadlineMs,
        signal,
        returnsErrors: extras.returnsErrors === true,
        fingerprint: () => extras.fingerprint?.(sent() as never) ?? {},
      }
      const { reconciliation } = parts
      // `retry: false` promises a single request.
      const { lookup } = settings.reconcile && settings.retry !== noRetry ? extras : {}
      const ended = await (reconciliation && extras.fingerprint
        ? reconciliation.writeOnce(request, call, lookup && lazily(() => lookup(sent() as never, reconciliation)))
        : send(request, call))
      if ('error' in ended) throw ended.error
      return {
        data: pick(ended.reply.body as never),
        reply: ended.reply,
        ms: settings.clock.monotonic() - startedAt,
      }
    })

/** Builds the request and checks the input synchronously, because the caller may change the input afterwards. */
async function build(
  operation: Operation,
  settings: Settings,
  parts: Parts,
  input: RequestInput,
  { check, body }: Pick<CallExtras<never>, 'check' | 'body'>,
): Promise<{ request: BuiltRequest; report: InputReport | undefined }> {
  const checkInput = settings.validate ? check : undefined
  try {
    const given = body ? { ...input, body: body(settings, parts) } : input
    const request = buildRequest(operation, baseUrlOf(operation, settings), given)
    const report = checkInput?.(utf8Length(request.body ?? ''), parts)
    await forTheStack
    return { request, report }
  } catch (error) {
    await forTheStack
    if (error instanceof InputError)
      throw new InputError(error.reason, error.message, operation.id, [...error.violations])
    const violations = checkInput?.(undefined, parts)?.violations ?? []
    if (violations.length > 0) throw invalid(operation, violations)
    const message = `${operation.id}: the input cannot be written as JSON.`
    throw new InputError('invalid_input', message, operation.id, [], error)
  }
}

/** Awaited before a throw: a stack has ten frames, and only one without these synchronous calls shows the caller. */
const forTheStack = undefined

/** Throws an InputError with all violations; emits the warnings. */
function validate(
  { violations, warnings }: InputReport,
  operation: Operation,
  { listeners }: Settings,
  request: BuiltRequest,
): void {
  if (violations.length > 0) throw invalid(operation, violations)
  for (const warning of warnings)
    emitterOf(listeners, operation.id, request)?.({ type: 'warning', message: shown(warning) })
}

function invalid({ id }: Operation, violations: Violation[]): InputError {
  const more = violations.length > 3 ? `; and ${violations.length - 3} more` : ''
  const message = `${id}: ${violations.slice(0, 3).map(shown).join('; ')}${more}.`
  return new InputError('invalid_input', message, id, violations)
}

const shown = ({ pointer, message }: Violation) => `${pointer || 'the input'}: ${message}`

function baseUrlOf({ surface, id }: Operation, settings: Settings): string {
  const { baseUrl } = settings.surfaces[surface]
  if (baseUrl !== undefined) return baseUrl
  const [option, variable] =
    surface === 'annotation' ? ['baseUrl', 'SVC_BASE_URL'] : ['publicBaseUrl', 'SVC_PUBLIC_BASE_URL']
  throw new InputError('missing_base_url', `${id}: needs ${option}; pass it to createClient, or set ${variable}.`, id)
}

const isText = (value: unknown): value is string => typeof value === 'string'
/** Surface B's envelope of one record, with a usable id. */
const isRecord = (body: unknown) => isObject(body) && isObject(body.data) && isText(body.data.id) && body.data.id !== ''
const isPage = (body: unknown) => isObject(body) && Array.isArray(body.data) && body.data.every(isObject)

const a = { surface: 'annotation', key: 'required' } as const
const b = { surface: 'workspace', key: 'required' } as const
// The interface does not show the success body of a batch.
const batch = { ...a, retryClass: 'batch', isSuccessBody: isObject } as const
const read = { ...b, method: 'GET', retryClass: 'read' } as const
const write = { ...b, method: 'POST', retryClass: 'write', isSuccessBody: isRecord } as const
const legacy = { ...write, retryClass: 'legacy' } as const

const operations: Readonly<Record<OperationId, Omit<Operation, 'id'>>> = {
  health: {
    ...a,
    method: 'GET',
    path: '/health',
    retryClass: 'read',
    key: 'none',
    isSuccessBody: (body) => isObject(body) && isText(body.status),
  },
  'annotations.create': {
    ...a,
    method: 'POST',
    path: '/v1/annotations',
    retryClass: 'compute',
    isSuccessBody: (body) => isObject(body) && isText(body.outcome) && isObject(body.signals),
  },
  'annotators.list': {
    ...a,
    method: 'GET',
    path: '/v1/annotators',
    retryClass: 'read',
    key: 'optional',
    isSuccessBody: (body) => isObject(body) && Array.isArray(body.annotators) && body.annotators.every(isObject),
  },
  'batches.create': { ...batch, method: 'POST', path: '/v1/batches' },
  'batches.get': { ...batch, method: 'GET', path: '/v1/batches/{batch_id}' },
  'projects.create': { ...write, path: '/projects' },
  'projects.list': { ...read, path: '/projects', isSuccessBody: isPage },
  'projects.get': { ...read, path: '/projects/{projectId}', isSuccessBody: isRecord },
  'transcripts.upload': { ...write, path: '/projects/{projectId}/transcripts' },
  'transcripts.list': { ...read, path: '/projects/{projectId}/transcripts', isSuccessBody: isPage },
  'transcripts.get': { ...read, path: '/transcripts/{transcriptId}', isSuccessBody: isRecord },
  'legacy.createSession': { ...legacy, path: '/halfpipe/sessions' },
  'legacy.createTranscript': { ...legacy, path: '/halfpipe/transcripts' },
}
