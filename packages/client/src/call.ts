import { type Answer, answerOf } from './answered.js'
import type { Draft } from './attempt.js'
import type { InputReport } from './check-input.js'
import { converse, type Reply } from './conversation.js'
import { type Fingerprint, InputError, type Violation } from './errors.js'
import { tellerOf } from './events.js'
import { lazily } from './lazily.js'
import type { Operation } from './operation.js'
import { type CallOptions, type Settings, withDefaults } from './options.js'
import { type Lookup, writeOnce } from './reconcile.js'
import { noRetry } from './retry.js'
import { utf8Length } from './rules.js'
import { type Through, through } from './wire.js'

/** What a verb adds to its operation for one call. */
export interface CallExtras<Sent> {
  /** The operation's own time-out for one attempt, where the client's options give none. Default 60 000 ms. */
  timeoutMs?: number
  /** What is wrong with the input, given the bytes of its JSON; undefined where it could not be drawn up. */
  check?: (bytes: number | undefined) => InputReport
  /** What a write would store, by which it is looked for when its fate is unknown; `sent` is its body. */
  fingerprint?: (sent: Sent) => Fingerprint
  /** How a write of this body is looked for. */
  lookup?: (sent: Sent) => Lookup
}

/** Makes one call: the wire draws the request up, the conversation gets it answered, `pick` takes the result. */
export type Call = <Body, Result, Sent>(
  operation: Operation,
  options: CallOptions | undefined,
  send: (through: Through) => Promise<{ data?: Body }>,
  pick: (body: Body) => Result,
  extras?: CallExtras<Sent>,
) => Answer<Result>

export const createCall =
  (settings: Settings): Call =>
  (operation, options, send, pick, extras = {}) =>
    answerOf(async () => {
      const scoped = options ? withDefaults(settings, options) : settings
      requireBaseUrl(operation, scoped)
      const startedAt = scoped.clock.now()
      let reply: Reply | undefined
      const check = scoped.validate ? extras.check : undefined
      let drawn = false
      // What is wrong with the input is taken at once, for a caller may change it; what it said is in what was sent.
      const exchange = async (draft: Draft) => {
        drawn = true
        const report = check?.(utf8Length(draft.body as string))
        const sent = lazily(() => JSON.parse(draft.body as string))
        const manner = {
          operation,
          settings: scoped,
          timeoutMs: scoped.timeoutMs ?? extras.timeoutMs ?? 60_000,
          deadlineAt: startedAt + scoped.deadlineMs,
          signal: options?.signal,
          attempts: [],
          fingerprint: () => extras.fingerprint?.(sent()) ?? {},
        }
        // Without retry one request is sent, whatever comes back.
        const lookup = scoped.reconcile && scoped.retry !== noRetry ? extras.lookup : undefined
        if (report) {
          await forTheStack
          accept(report, operation, scoped, draft)
        }
        const look = () => (lookup as NonNullable<typeof lookup>)(sent())
        reply = await (lookup ? writeOnce(draft, manner, lazily(look)) : converse(draft, manner))
        if (extras.fingerprint) claim(scoped.claimed, reply.body)
        return reply.body
      }
      let data: Awaited<ReturnType<typeof send>>['data']
      try {
        data = (await send(through(operation.id, exchange))).data
      } catch (error) {
        if (drawn) throw error
        await forTheStack
        if (error instanceof InputError) throw new InputError(error.reason, error.message, error.operation)
        if (check) accept(check(undefined), operation, scoped, {})
        const message = `${operation.id}: the input cannot be written as JSON.`
        throw new InputError('invalid_input', message, operation.id, [], error)
      }
      // The wire resolves only with the body that the conversation returned.
      return { data: pick(data as NonNullable<typeof data>), reply: reply as Reply, ms: scoped.clock.now() - startedAt }
    })

/** V8 cuts a synchronous stack after ten calls, before it leads to the caller; one that has waited is short. */
const forTheStack = undefined

/** Refuses an input with everything that is wrong with it; what a stricter service may refuse is told. */
function accept(
  { violations, warnings }: InputReport,
  { id }: Operation,
  { listeners }: Settings,
  draft: Partial<Draft>,
): void {
  const shown = ({ pointer, message }: Violation) => `${pointer || 'the input'}: ${message}`
  if (violations.length > 0) {
    const more = violations.length > 3 ? `; and ${violations.length - 3} more` : ''
    const message = `${id}: ${violations.slice(0, 3).map(shown).join('; ')}${more}.`
    throw new InputError('invalid_input', message, id, violations)
  }
  for (const warning of warnings) tellerOf(listeners, id, draft)?.({ type: 'warning', message: shown(warning) })
}

/**
 * Remembers whose work a record is; the earliest are forgotten, long after their writes could be in doubt. Many at a time:
 * to find the first of a set takes as long as there are gaps before it.
 */
function claim(claimed: Set<string>, body: unknown): void {
  claimed.add((body as { data: { id: string } }).data.id)
  if (claimed.size > 20_000) for (const id of claimed) if (claimed.size > 10_000) claimed.delete(id)
}

function requireBaseUrl({ surface, id }: Operation, settings: Settings): void {
  if (settings.surfaces[surface].baseUrl !== undefined) return
  const [option, variable] =
    surface === 'annotation' ? ['baseUrl', 'SVC_BASE_URL'] : ['publicBaseUrl', 'SVC_PUBLIC_BASE_URL']
  throw new InputError('missing_base_url', `${id}: needs ${option}; pass it to createClient, or set ${variable}.`, id)
}
