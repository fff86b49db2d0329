import { it } from 'vitest'

/** True in the long form of the tests: `SVC_LONG=1`, which `test:full` sets. */
export const isLong = process.env.SVC_LONG === '1'

/** The runs of a property: 20 times as many in the long form. */
export const runs = (short: number): number => (isLong ? 20 : 1) * short

/** The seed of random tests: `SVC_SEED`, else 1. `test:full` takes another one each time; the test shows it in its name. */
export const seed = Number(process.env.SVC_SEED || 1)

/** A test that goes most of the way of another one: a part of the long form alone. */
export const variant = it.runIf(isLong)

/** The first cases of several that go the same way; all of them in the long form. */
export const casesOf = <Case>(cases: readonly Case[], count = 1): readonly Case[] =>
  isLong ? cases : cases.slice(0, count)

/** Several cases, of which each turn begins with the next one, cut to `count`; all of them in the long form. */
export const inTurn = <Case>(all: readonly Case[], turn: number, count = 1): readonly Case[] =>
  casesOf([...all.slice(turn % all.length), ...all.slice(0, turn % all.length)], count)
