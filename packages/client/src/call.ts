import { type Answer, answerOf } from './answered.js'
import type { BuiltRequest } from './attempt.js'
import type { InputReport } from './check-input.js'
import { type Fingerprint, InputError, type Violation } from './errors.js'
import { tellerOf } from './events.js'
import { lazily } from './lazily.js'
import type { Operation } from './operation.js'
import { type CallOptions, callOptions, onlyKnown, type Settings, withDefaults } from './options.js'
import { type Lookup, writeOnce } from './reconcile.js'
import { noRetry } from './retry.js'
import { utf8Length } from './rules.js'
import { type CallContext, send } from './send.js'
import { type Through, through } from './wire.js'

/** What a method adds to its operation for one call. */
export interface CallExtras<Sent> {
  /** The operation's own time-out for one attempt, where the client's options give none. Default 60 000 ms. */
  timeoutMs?: number
  /** What is wrong with the input, given the bytes of its JSON; undefined where it could not be written. */
  check?: (bytes: number | undefined) => InputReport
  /** What a write would store, by which it is searched for when its outcome is unknown; `sent` is its body. */
  fingerprint?: (sent: Sent) => Fingerprint
  /** How a write of this body is searched for. */
  lookup?: (sent: Sent) => Lookup
}

/** Makes one call: the wire builds the request, which is checked and sent; `pick` takes the result. */
export type Call = <Body, Result, Sent>(
  operation: Operation,
  options: CallOptions | undefined,
  build: (through: Through) => Promise<{ data?: Body }>,
  pick: (body: Body) => Result,
  extras?: CallExtras<Sent>,
) => Answer<Result>

export const createCall =
  (settings: Settings): Call =>
  (operation, options, build, pick, extras = {}) =>
    answerOf(async () => {
      if (options) onlyKnown(operation.id, options, callOptions)
      const scoped = options ? withDefaults(settings, options) : settings
      requireBaseUrl(operation, scoped)
      const startedAt = scoped.clock.now()
      const check = scoped.validate ? extras.check : undefined
      const { request, report } = await built(operation, build, check)
      if (report) accept(report, operation, scoped, request)
      const sent = lazily(() => JSON.parse(request.body as string))
      const call: CallContext = {
        operation,
        settings: scoped,
        timeoutMs: scoped.timeoutMs ?? extras.timeoutMs ?? 60_000,
        deadlineAt: startedAt + scoped.deadlineMs,
        signal: options?.signal,
        attempts: [],
        sent: 'no',
        fingerprint: () => extras.fingerprint?.(sent()) ?? {},
      }
      // Without retry one request is sent, whatever comes back.
      const { lookup } = scoped.reconcile && scoped.retry !== noRetry ? extras : {}
      const reply = await (extras.fingerprint
        ? writeOnce(request, call, lookup && lazily(() => lookup(sent())))
        : send(request, call))
      return { data: pick(reply.body as Parameters<typeof pick>[0]), reply, ms: scoped.clock.now() - startedAt }
    })

/**
 * Lets the wire build a request, and checks the input at the same time, because a caller may change it afterwards.
 * Throws an InputError where it cannot be built.
 */
async function built(
  operation: Operation,
  build: (through: Through) => Promise<unknown>,
  check: CallExtras<unknown>['check'],
): Promise<{ request: BuiltRequest; report: InputReport | undefined }> {
  let taken: Awaited<ReturnType<typeof built>> | undefined
  try {
    await build(
      through(operation.id, (request) => {
        taken = { request, report: check?.(utf8Length(request.body as string)) }
      }),
    )
  } catch (error) {
    await forTheStack
    if (error instanceof InputError) throw new InputError(error.reason, error.message, error.operation)
    const violations = check?.(undefined).violations ?? []
    if (violations.length > 0) throw invalid(operation, violations)
    const message = `${operation.id}: the input cannot be written as JSON.`
    throw new InputError('invalid_input', message, operation.id, [], error)
  }
  await forTheStack
  return taken as NonNullable<typeof taken>
}

/** V8 cuts a synchronous stack after ten calls, before it leads to the caller; one that has waited is short. */
const forTheStack = undefined

/** Refuses an input with everything that is wrong with it; reports what a stricter service may refuse. */
function accept(
  { violations, warnings }: InputReport,
  operation: Operation,
  { listeners }: Settings,
  request: BuiltRequest,
): void {
  if (violations.length > 0) throw invalid(operation, violations)
  for (const warning of warnings)
    tellerOf(listeners, operation.id, request)?.({ type: 'warning', message: shown(warning) })
}

function invalid({ id }: Operation, violations: Violation[]): InputError {
  const more = violations.length > 3 ? `; and ${violations.length - 3} more` : ''
  const message = `${id}: ${violations.slice(0, 3).map(shown).join('; ')}${more}.`
  return new InputError('invalid_input', message, id, violations)
}

const shown = ({ pointer, message }: Violation) => `${pointer || 'the input'}: ${message}`

function requireBaseUrl({ surface, id }: Operation, settings: Settings): void {
  if (settings.surfaces[surface].baseUrl !== undefined) return
  const [option, variable] =
    surface === 'annotation' ? ['baseUrl', 'SVC_BASE_URL'] : ['publicBaseUrl', 'SVC_PUBLIC_BASE_URL']
  throw new InputError('missing_base_url', `${id}: needs ${option}; pass it to createClient, or set ${variable}.`, id)
}
