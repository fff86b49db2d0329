import { it } from 'vitest'

const isFull = process.env.SVC_VARIANTS === 'all'

/** A test that goes most of the way of another one: a part of `test:full` alone. */
export const variant = it.runIf(isFull)

/** The first cases of several that go the same way; all of them in `test:full`. */
export const casesOf = <Case>(cases: readonly Case[], count = 1): readonly Case[] =>
  isFull ? cases : cases.slice(0, count)

/** Several cases, of which each turn begins with the next one, cut to `count`; all of them in `test:full`. */
export const inTurn = <Case>(all: readonly Case[], turn: number, count = 1): readonly Case[] =>
  casesOf([...all.slice(turn % all.length), ...all.slice(0, turn % all.length)], count)
