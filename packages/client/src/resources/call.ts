import { InputError, inputError } from '../errors/index.js'
import { emitterOf, nameOfRequest } from '../events.js'
import {
  buildRequest,
  type CallContext,
  type ClientState,
  invalidInput,
  jsonValueOf,
  type RequestInput,
  type ResponsePromise,
  responsePromise,
  send,
  shownViolation,
} from '../http/index.js'
import { isObject, parseBody } from '../json.js'
import { lazily } from '../lazily.js'
import type { JsonOf, Operation, Operations } from '../operation.js'
import {
  type CallOptions,
  callOptions,
  defaultTimes,
  refuseUnknown,
  type Settings,
  signalOf,
  sources,
  withDefaults,
} from '../options.js'
import type { Parts } from '../parts.js'
import type { WrittenRecord } from '../reconciliation/index.js'
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
type InputOf<Id extends OperationId> = Omit<RequestInput, 'path' | 'query'> & {
  query?: { [K in keyof Query<Id>]: Query<Id>[K] | Date | undefined }
} & (ParametersOf<Id> extends { path: infer Path extends Record<string, unknown> } ? { path: Path } : { path?: never })

/** An input, or a function that makes it from the settings of the call and may throw an InputError. */
type Given<Input> = Input | ((settings: Settings) => Input | Promise<Input>)

/** Calls an operation; `pick` takes the result from the success body, `record` describes what a write creates. */
export type Call = <Id extends OperationId, Result, Sent>(
  id: Id,
  input: Given<InputOf<Id>>,
  options: CallOptions | undefined,
  pick: (body: SuccessOf<Id>) => Result,
  record?: WrittenRecord<Sent>,
) => ResponsePromise<Result>

export type CallOperation = <Result>(
  operation: Operation,
  input: Given<RequestInput>,
  options: CallOptions | undefined,
  pick: (body: never) => Result,
  record?: WrittenRecord<never>,
) => ResponsePromise<Result>

export const createCall =
  (callOperation: CallOperation): Call =>
  (id, input, options, pick, record) =>
    callOperation({ id, ...operations[id] }, input, options, pick, record)

/** Build, validate, send and reconcile, in this order. */
export const createCallOperation =
  (clientSettings: Settings, state: ClientState, { reconciliation, validation }: Parts): CallOperation =>
  (operation, input, options, pick, record) =>
    responsePromise(async () => {
      if (options) refuseUnknown(operation.id, options, callOptions)
      const signal = signalOf(operation.id, options?.signal)
      const settings = options ? withDefaults(clientSettings, options) : clientSettings
      const startedAt = settings.clock.monotonic()

      const { request, sent, report } = await build(operation, settings, validation, input)
      const name = nameOfRequest(operation, request)
      const emit = emitterOf(settings.listeners, name)
      if (report) validate(report, operation, emit)

      const call: CallContext = {
        operation,
        request,
        name,
        emit,
        settings,
        state,
        options,
        timeoutMs: settings.timeoutMs ?? operation.timeoutMs ?? defaultTimes.timeoutMs,
        deadlineAt: startedAt + settings.deadlineMs,
        signal,
        fingerprint: () => record?.fingerprint(sent()) ?? {},
      }
      const ended = await (reconciliation && record ? reconciliation.writeOnce(call, record, sent) : send(call))
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
  validation: Parts['validation'],
  input: Given<RequestInput>,
) {
  try {
    const made = typeof input === 'function' ? input(settings) : input
    const given = made instanceof Promise ? await made : made
    const body = given.json === undefined ? jsonValueOf(given.body, operation.id) : undefined
    const request = buildRequest(operation, baseUrlOf(operation, settings), { ...given, body })
    const value = lazily(() => (given.json === undefined ? body : parseBody(given.json)))
    const report = settings.validate ? validation?.(operation.id, request.body, value) : undefined
    await forTheStack
    // Without validation, the body may be no object.
    return { request, sent: () => Object(value()) as never, report }
  } catch (error) {
    await forTheStack
    if (error instanceof InputError)
      throw new InputError(error.reason, error.message, operation.id, [...error.violations])
    throw inputError(operation.id, 'the input cannot be written as JSON', undefined, error)
  }
}

/** Awaited before a throw: a stack has ten frames, and only one without these synchronous calls shows the caller. */
const forTheStack = undefined

/** Throws an InputError with all violations; emits the warnings. */
function validate({ violations, warnings }: InputReport, operation: Operation, emit: CallContext['emit']): void {
  if (violations.length > 0) throw invalidInput(operation.id, violations)
  for (const warning of warnings) emit?.({ type: 'warning', message: shownViolation(warning) })
}

function baseUrlOf({ surface, id }: Operation, settings: Settings): string {
  const { baseUrl } = settings.surfaces[surface]
  if (baseUrl !== undefined) return baseUrl
  const [option, variable] = sources[surface].baseUrl
  throw inputError(id, `needs ${option}; pass it, or set ${variable}`, 'missing_base_url')
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
    // An annotation may take minutes, and a shorter time-out would be billed for nothing.
    timeoutMs: 240_000,
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
