import { type Clock, fromCaller } from './clock.js'
import { inputError } from './errors/index.js'
import { isObject } from './json.js'

/** One attempt, as a hook sees it. */
export interface HookContext {
  /** The method, as in `transcripts.upload`. */
  operation: string
  /** HTTP method. */
  method: string
  /** Without the search text. */
  url: string
  /** 1-indexed. */
  attempt: number
}

/** Functions that are called around each attempt. None of them sees a key or a body. */
export interface Hooks {
  /**
   * Called before each attempt, with its headers. Returns headers to add or change; null removes one. `authorization`
   * cannot be changed. The attempt waits for the result; an error ends the call with an InputError.
   */
  onRequest?:
    | ((
        context: HookContext & { headers: Readonly<Record<string, string>> },
      ) => HeadersChange | undefined | Promise<HeadersChange | undefined>)
    | undefined
  /** Called after each answer, of any status. Errors are ignored. */
  onResponse?: ((context: HookContext & { status: number; headers: Headers; ms: number }) => unknown) | undefined
  /** Called before an attempt is repeated after `waitMs` milliseconds. Errors are ignored. */
  onRetry?:
    | ((context: HookContext & { waitMs: number; status?: number | undefined; cause?: string | undefined }) => unknown)
    | undefined
}

/** The headers of an attempt after `onRequest`. It must answer within the time that the call has left. */
export async function headersAfterHook(
  { hooks: { onRequest }, clock }: { hooks: Hooks; clock: Required<Clock> },
  context: HookContext,
  headers: Record<string, string>,
  limit: { deadlineAt: number; signal: AbortSignal | undefined },
): Promise<Record<string, string>> {
  if (!onRequest) return headers
  const { authorization, ...shown } = headers
  const { operation } = context
  const change = async () => {
    const changed = mergeHeaders(shown, await onRequest({ ...context, headers: shown }))
    if ('authorization' in changed) throw new Error('it must not set authorization; pass a key')
    return authorization === undefined ? changed : { ...changed, authorization }
  }
  return fromCaller(change, clock, limit, (cause) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return inputError(operation, `the hook onRequest failed: ${reason}`, undefined, cause)
  })
}

/** Calls a hook that only observes, without waiting for it. */
export function notify<T extends HookContext>(hook: ((context: T) => unknown) | undefined, context: T): void {
  if (!hook) return
  Promise.resolve(context)
    .then(hook)
    .catch(() => {})
}

/** Headers to change, with names in any case: undefined keeps a header, null removes it. */
export type HeaderChange = Record<string, string | null | undefined>
/** Headers to change, in the forms that `fetch` accepts. */
export type HeadersChange = HeaderChange | Iterable<readonly [string, string]>

export function mergeHeaders(base: Record<string, string>, change: HeadersChange = {}): Record<string, string> {
  const merged = { ...base }
  for (const [given, value] of entriesOf(change)) {
    const name = given.toLowerCase()
    if (value === null) delete merged[name]
    else if (value !== undefined) merged[name] = headerValue(name, value)
  }
  return merged
}

function entriesOf(change: HeadersChange): Iterable<readonly [string, string | null | undefined]> {
  if (isObject(change)) return Object.entries(change)
  const pairs: unknown[] = Symbol.iterator in Object(change) ? [...(change as Iterable<unknown>)] : [change]
  if (pairs.every((pair): pair is [string, string] => Array.isArray(pair) && pair.length === 2)) return pairs
  throw inputError('options', 'expected headers as an object, Headers or pairs')
}

/** The error does not show the value, which may be a secret. */
function headerValue(name: string, given: string): string {
  const value = String(given).trim()
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value
  throw inputError('options', `the header ${JSON.stringify(name)} cannot be sent`)
}
