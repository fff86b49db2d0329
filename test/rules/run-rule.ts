import type { Exchange } from './exchange.js'
import type { Rule } from './rule.js'
import type { Transport } from './transports/transport.js'
import { openTrial } from './trial.js'

/** How a rule went over one transport. */
export interface Tried {
  exchanges: readonly Exchange[]
  /** Why it does not hold. */
  error?: unknown
}

/** Why a rule is not tried over a transport; undefined where it is. */
export const notOver = ({ only }: Rule, { name }: Transport): string | undefined =>
  only && !only.transports.includes(name) ? only.because : undefined

/** Tries a rule at a reference server of its own; never rejects for what the rule says. */
export async function runRule(rule: Rule, transport: Transport): Promise<Tried> {
  const { trial, exchanges, close } = await openTrial(transport, rule)
  try {
    await rule.run(trial)
    return { exchanges }
  } catch (error) {
    return { exchanges, error }
  } finally {
    await close()
  }
}
