import { type Clock, fullClock, systemClock } from '@svc/client'
import { type BulkEnvironment, nodeEnvironment } from './environment/index.js'

/** Parts of an environment; a missing one is that of Node.js. */
export type GivenEnvironment = { [Part in keyof BulkEnvironment]?: BulkEnvironment[Part] | undefined }

/** The names of the parts. */
export const environmentNames = { disk: true, clock: true, host: true, randomId: true, turn: true } as const

/** An environment of the parts that are given, and those of Node.js. */
export const environmentOf = (given: GivenEnvironment): BulkEnvironment & { clock: Required<Clock> } => ({
  disk: given.disk ?? nodeEnvironment.disk,
  clock: fullClock(given.clock ?? systemClock),
  host: given.host ?? nodeEnvironment.host,
  randomId: given.randomId ?? nodeEnvironment.randomId,
  turn: given.turn ?? nodeEnvironment.turn,
})
