import { systemClock } from '@svc/client'
import { CheckError } from '../check-error.js'
import type { Checked, CheckRule } from './checks.js'
import { defaultLoadMs, defaultRuleMs, Ended, limitText, untilDropped } from './limits.js'
import { refusePolicy } from './policy-data.js'
import { graceMs, loadedShape, RuleError, startThread, type Thread } from './thread.js'

/** How the code of a policy is run. */
export interface IsolationOptions {
  /** Ends the code: what runs then has one more second. */
  signal?: AbortSignal | undefined
  /** Called with what the code writes to standard output and standard error. Default: they are those of the process. */
  log?: ((text: string) => void) | undefined
  /** The time to load the file, in milliseconds. Default: 30 000. */
  loadMs?: number | undefined
}

/** The code of a policy, in a thread of its own. An idle thread does not keep the process. */
export interface IsolatedPolicy {
  /** The exports of the file beside its rules. */
  json: Record<string, unknown>
  /** The names of its rules. */
  names: readonly string[]
  /** A rule. It may take this long for a transcript, in milliseconds. */
  rule(name: string, ms: number): CheckRule
  /** Rejects with a `CheckError` if the code failed outside of its rules. */
  verify(): Promise<void>
  /** End the thread. Resolves with false if a call of the system blocks it. */
  close(): Promise<boolean>
}

/** The policy of each rule that runs in a thread: it keeps the time itself. */
const policies = new WeakMap<CheckRule, IsolatedPolicy>()

export const isolationOf = (rule: CheckRule): IsolatedPolicy | undefined => policies.get(rule)

const hint = 'correct the file, or name another one with --policy'

/**
 * Run the policy in code at an absolute path: what a JSON file could hold, and its functions.
 *
 * @throws {CheckError} if it throws, ends by itself, takes too long, or does not export a policy
 */
export async function isolate(path: string, name: string, options: IsolationOptions = {}): Promise<IsolatedPolicy> {
  const code = codeAt(path, name, options)
  try {
    const { json, rules } = exportsOf(await code.load(), name)
    const policy: IsolatedPolicy = {
      ...{ json, names: rules, verify: code.verify, close: code.close },
      rule(rule, ms) {
        const run = untilDropped((checked) => code.call(rule, checked, ms))
        const isolated = (checked: Checked) => code.queued(() => run(checked)) as ReturnType<CheckRule>
        policies.set(isolated, policy)
        return isolated
      },
    }
    return policy
  } catch (error) {
    void code.close()
    if (options.signal?.aborted) throw options.signal.reason
    if (error instanceof RuleError)
      throw new CheckError('invalid_policy', `${name}: the policy could not be run.`, {
        details: [error.message],
        hint,
      })
    throw error instanceof Ended ? code.failed(`while it is loaded, it ${error.message}`) : error
  }
}

function exportsOf(loaded: unknown, name: string): Pick<IsolatedPolicy, 'json'> & { rules: string[] } {
  const policy = loadedShape.parse(loaded)
  if ('problems' in policy) refusePolicy(name, policy.problems)
  return { json: policy.json as Record<string, unknown>, rules: policy.rules }
}

/** The code of a policy in one thread after the other: one that ends is started again. */
function codeAt(path: string, name: string, { signal, log, loadMs = defaultLoadMs }: IsolationOptions) {
  /** The reason why nothing can be judged any more. */
  let broken: CheckError | undefined
  let thread: Thread | undefined
  let closed = Promise.resolve(true)
  let waiting: Promise<unknown> = Promise.resolve()
  let wasCutShort = false

  const failed = (reason: string) =>
    new CheckError('policy_failed', `${name}: the code of the policy failed outside of a rule.`, {
      details: [reason],
      hint,
    })
  const end = () => {
    const ending = thread?.close()
    thread = undefined
    if (ending) closed = Promise.all([closed, ending]).then((all) => all.every(Boolean))
  }
  const load = (): Promise<unknown> => {
    thread = startThread(path, log, (reason) => {
      broken ??= failed(reason)
    })
    return inTime(thread.loaded, loadMs, signal)
  }
  const call = async (rule: string | undefined, checked: Checked | undefined, ms: number): Promise<unknown> => {
    if (broken) throw broken
    if (wasCutShort) throw new Ended('is not run: the run is stopped')
    if (!thread)
      await load().catch((error: unknown) => {
        broken = failed(`it cannot be loaded again: ${String(error)}`)
      })
    try {
      if (!broken && thread) return await inTime(thread.call(rule, checked), ms, signal)
    } catch (error) {
      if (!(error instanceof Ended)) throw error
      end()
      wasCutShort = signal?.aborted === true
      throw broken ?? error
    }
    throw broken
  }
  /** Run one after the other: a thread does no more at a time. */
  const queued = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const result = waiting.then(work)
    waiting = result.catch(() => {})
    return result
  }
  return {
    ...{ failed, load, call, queued },
    verify: (): Promise<void> =>
      queued(async () => {
        if (broken) throw broken
        // Without a thread, the failure of a rule has ended it.
        if (thread) await call(undefined, undefined, defaultRuleMs)
      }).catch((error: unknown) => {
        throw error instanceof Ended ? failed(`it ${error.message}`) : error
      }),
    close(): Promise<boolean> {
      end()
      return closed
    },
  }
}

/** The result of a thread, or a rejection after a time, which the signal shortens. */
function inTime<Value>(work: Promise<Value>, ms: number, signal: AbortSignal | undefined): Promise<Value> {
  return new Promise((resolve, reject) => {
    // A thread runs in the time of the machine.
    const endAfter = (limitMs: number, why: string) => systemClock.after(limitMs, () => reject(new Ended(why)))
    let cancel = endAfter(signal?.aborted ? Math.min(ms, graceMs) : ms, limitText(ms))
    const shorten = () => {
      cancel()
      cancel = endAfter(graceMs, 'does not end after the run is stopped')
    }
    signal?.addEventListener('abort', shorten)
    work.then(resolve, reject).finally(() => {
      signal?.removeEventListener('abort', shorten)
      cancel()
    })
  })
}
