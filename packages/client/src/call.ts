import { type Answer, answerOf } from './answered.js'
import type { Draft } from './attempt.js'
import type { InputReport } from './check-input.js'
import { converse } from './conversation.js'
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
  /** A body that is JSON already, and the id of where it goes. */
  written?: { json: string; to: string } | undefined
}

/** Makes one call: the wire draws the request up, the conversation gets it answered, `pick` takes the result. */
export type Call = <Body, Result, Sent>(
  operation: Operation,
  options: CallOptions | undefined,
  draw: (through: Through) => Promise<{ data?: Body }>,
  pick: (body: Body) => Result,
  extras?: CallExtras<Sent>,
) => Answer<Result>

export function createCall(settings: Settings): Call {
  // Of many bodies that are JSON already and go to the same place, only the first is drawn up.
  let latest: (Omit<Draft, 'headers' | 'body'> & { to: string; headers: [string, string][] }) | undefined
  return (operation, options, draw, pick, extras = {}) =>
    answerOf(async () => {
      const scoped = options ? withDefaults(settings, options) : settings
      requireBaseUrl(operation, scoped)
      const startedAt = scoped.clock.now()
      const { written } = extras
      const check = scoped.validate ? extras.check : undefined
      let report: InputReport | undefined
      let draft = {} as Draft
      // What is wrong with the input is taken at once, for a caller may change it; what it said is in what was sent.
      const take = (drawn: Draft) => {
        draft = drawn
        report = check?.(utf8Length(drawn.body as string))
      }
      if (written && written.to === latest?.to) {
        const { url, method, headers } = latest
        take({ url, method, headers: new Headers(headers), body: `${written.json}` })
      } else {
        try {
          await draw(through(operation.id, take))
        } catch (error) {
          await forTheStack
          if (error instanceof InputError) throw new InputError(error.reason, error.message, error.operation)
          if (check) accept(check(undefined), operation, scoped, draft)
          const message = `${operation.id}: the input cannot be written as JSON.`
          throw new InputError('invalid_input', message, operation.id, [], error)
        }
        if (written) {
          const { url, method, headers } = draft
          latest = { to: written.to, url, method, headers: [...headers] }
        }
      }
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
      const reply = await (lookup ? writeOnce(draft, manner, lazily(look)) : converse(draft, manner))
      if (extras.fingerprint) claim(scoped.claimed, reply.body)
      return { data: pick(reply.body as Parameters<typeof pick>[0]), reply, ms: scoped.clock.now() - startedAt }
    })
}

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
