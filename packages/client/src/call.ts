import { type Answer, answerOf } from './answered.js'
import { converse, type Reply } from './conversation.js'
import { type Fingerprint, InputError } from './errors.js'
import type { Operation } from './operation.js'
import { type CallOptions, type Settings, withDefaults } from './options.js'
import { type Through, through } from './wire.js'

/** What a verb adds to its operation for one call. */
export interface CallExtras {
  /** The operation's own time-out for one attempt, where the client's options give none. Default 60 000 ms. */
  timeoutMs?: number
  /** What a write would store, for the error that says that its fate is unknown. */
  fingerprint?: () => Fingerprint
}

/** Makes one call: the wire draws the request up, the conversation gets it answered, `pick` takes the result. */
export type Call = <Body, Result>(
  operation: Operation,
  options: CallOptions | undefined,
  send: (through: Through) => Promise<{ data?: Body }>,
  pick: (body: Body) => Result,
  extras?: CallExtras,
) => Answer<Result>

export const createCall =
  (settings: Settings): Call =>
  (operation, options = {}, send, pick, extras = {}) =>
    answerOf(async () => {
      const scoped = withDefaults(settings, options)
      requireBaseUrl(operation, scoped)
      let reply: Reply | undefined
      const manner = {
        operation,
        settings: scoped,
        timeoutMs: scoped.timeoutMs ?? extras.timeoutMs ?? 60_000,
        signal: options.signal,
        fingerprint: extras.fingerprint?.() ?? {},
      }
      const { data } = await send(
        through(operation.id, async (draft) => {
          reply = await converse(draft, manner)
          return reply.body
        }),
      )
      // The wire resolves only with the body that the conversation returned.
      return { data: pick(data as NonNullable<typeof data>), reply: reply as Reply }
    })

function requireBaseUrl({ surface, id }: Operation, settings: Settings): void {
  if (settings.surfaces[surface].baseUrl !== undefined) return
  const [option, variable] =
    surface === 'annotation' ? ['baseUrl', 'SVC_BASE_URL'] : ['publicBaseUrl', 'SVC_PUBLIC_BASE_URL']
  throw new InputError('missing_base_url', `${id}: needs ${option}; pass it to createClient, or set ${variable}.`, id)
}
