import { type Exchange, recorded } from './exchange.js'
import type { Keys, Trial } from './rule.js'
import { keyVariables, type Service } from './service.js'
import type { Incoming, Outgoing } from './transports/transport.js'

/** A key that the environment does not give. */
export class MissingKey extends Error {
  override readonly name = 'MissingKey'
}

/** How long one answer may take with all its waits, how long a 429 may ask to wait in milliseconds, and how often. */
const patienceMs = 600_000
const longestWaitMs = 90_000
const waits = 5

type Send = (sent: Outgoing) => Promise<Incoming>

/** A trial at a service that is there already, which cannot be looked into. */
export function serviceTrial({ bases, keys }: Service, send: Send, sleep = asleep) {
  const exchanges: Exchange[] = []
  const given = Object.defineProperties(
    {} as Keys,
    Object.fromEntries(allKeys.map((name) => [name, getter(keys, name)])),
  )
  const ask = recorded(exchanges, { bases, key: () => given.full, send: patient(send, sleep), patienceMs })
  const trial: Trial = {
    ask,
    keys: given,
    get advance(): never {
      throw new Error('The time of a service cannot be moved: the rule is to be `reference: true`.')
    },
    get server(): never {
      throw new Error('A service cannot be looked into: the rule is to be `reference: true`.')
    },
  }
  return { trial, exchanges }
}

const allKeys = Object.keys(keyVariables) as (keyof Keys)[]

const getter = (keys: Partial<Keys>, name: keyof Keys): PropertyDescriptor => ({
  get() {
    if (keys[name] === undefined) throw new MissingKey(`${keyVariables[name]} is not set`)
    return keys[name]
  },
})

/** Waits out a 429: how often a service may be asked is its own affair, and no rule for any service is about it. */
function patient(send: Send, sleep: typeof asleep): Send {
  return async (sent) => {
    for (let waited = 0; ; waited++) {
      const answer = await send(sent)
      if (answer.status !== 429 || waited === waits) return answer
      await sleep(retryAfterMs(answer.headers['retry-after'], waited))
    }
  }
}

const asleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function retryAfterMs(header: string | undefined, waited: number): number {
  const asked = header === undefined ? 1000 * 2 ** waited : Number(header) * 1000
  const ms = Number.isNaN(asked) ? Date.parse(header ?? '') - Date.now() : asked
  return Math.min(Math.max(ms || 0, 500), longestWaitMs)
}
