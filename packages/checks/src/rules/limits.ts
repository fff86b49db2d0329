import type { Clock } from '@svc/client'
import type { Checked, CheckRule } from './checks.js'

/** The time that a rule has for one transcript, in milliseconds. */
export const defaultRuleMs = 10_000

/** The time that a policy has to be loaded, in milliseconds. */
export const defaultLoadMs = 30_000

const mostFailures = 3

/** The end of a rule by its time, its thread or its failures: the message goes on from the name of the rule. */
export class Ended extends Error {
  override name = 'Ended'
}

type Run = (checked: Checked) => unknown

export const limitText = (ms: number): string => `does not end within ${ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`}`

/** A rule that is not run any more after three failures. */
export function untilDropped(run: Run): (checked: Checked) => Promise<unknown> {
  let failures = 0
  return async (checked) => {
    if (failures >= mostFailures) throw new Ended(`is not run any more after ${mostFailures} failures`)
    try {
      return await run(checked)
    } catch (error) {
      failures++
      throw error
    }
  }
}

/** A rule of this thread with a time limit: it ends the wait for a promise, and no loop. */
export function limited(run: Run, ms: number, clock: Pick<Clock, 'after'>): CheckRule {
  const inTime = untilDropped(
    (checked) =>
      new Promise((resolve, reject) => {
        const cancel = clock.after(ms, () => reject(new Ended(limitText(ms))))
        const ran = new Promise((done) => done(run(checked)))
        ran.then(resolve, reject).finally(cancel)
      }),
  )
  return (checked) => inTime(checked) as ReturnType<CheckRule>
}
