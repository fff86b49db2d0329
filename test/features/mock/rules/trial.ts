import type { ReferenceServer, ServerOptions } from '@svc/reference-server/core'
import { type HandClock, handClock } from '../../../helpers/hand-clock.js'
import { type Exchange, recorded } from './exchange.js'
import type { Keys, Rule, Trial } from './rule.js'
import type { Transport } from './transports/transport.js'

/** The keys of every trial at a reference server. */
export const keys: Keys = {
  full: 'sk-service-api03-full-access-0001',
  reader: 'sk-service-api03-reader-000000002',
  writer: 'sk-service-api03-writer-000000003',
  legacy: 'sk-legacy-api03-legacy-0000000004',
  foreign: 'sk-service-api03-foreign-00000005',
  revoked: 'sk-service-api03-revoked-00000006',
  deleted: 'sk-service-api03-deleted-00000007',
}

const workspaces = ['reference', 'other']

/** How long a rule may wait for one answer, in milliseconds of the machine. */
const patienceMs = 120_000

/** Opens a reference server for a rule, in a fresh world at a time that stands still. */
export async function openTrial(transport: Transport, { options = {} }: Pick<Rule, 'options'>) {
  const clock = handClock()
  const opened = await transport.open({ onError() {}, ...options, clock, seed: seedOf(options) })
  const { server, bases, send, close } = opened
  withdrawKeys(server)
  const exchanges: Exchange[] = []
  const flying = new Set<Promise<unknown>>()
  let timersBefore = 0
  const ask = recorded(exchanges, { bases, key: () => keys.full, send, patienceMs })
  const trial: Trial = {
    keys,
    server,
    ask(request) {
      if (flying.size === 0) timersBefore = clock.pending.length
      const answer = ask(request)
      flying.add(answer)
      const landed = () => flying.delete(answer)
      answer.then(landed, landed)
      return answer
    },
    async advance(ms) {
      await arrival(clock, flying, timersBefore)
      await clock.advance(ms)
    },
  }
  return { trial, exchanges, close }
}

/** Withdraws keys that have been good: the revoked and the deleted one. */
export function withdrawKeys({ world }: ReferenceServer): void {
  world.revoke(keys.revoked)
  world.createKey({ key: keys.deleted })
  world.delete(keys.deleted)
}

/** Waits until everything that was asked is answered, or waits for the clock; what does neither is not waited for long. */
async function arrival(clock: HandClock, flying: ReadonlySet<unknown>, timersBefore: number): Promise<void> {
  const giveUp = Date.now() + 500
  while (flying.size > clock.pending.length - timersBefore && flying.size > 0 && Date.now() < giveUp) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The keys and workspaces of every trial, and what a rule adds to them. */
export function seedOf({ seed = {} }: ServerOptions): NonNullable<ServerOptions['seed']> {
  const { full, reader, writer, legacy, foreign, revoked } = keys
  return {
    ...seed,
    workspaces: [...workspaces, ...(seed.workspaces ?? [])],
    keys: [
      { key: full },
      { key: reader, permissions: ['projects-read'] },
      { key: writer, permissions: ['projects-write'] },
      { key: legacy, permissions: ['halfpipe-transcripts-write'] },
      { key: foreign, workspace: 'other' },
      { key: revoked },
      ...(seed.keys ?? []),
    ],
  }
}
