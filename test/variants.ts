import { it } from 'vitest'

const isFull = process.env.SVC_VARIANTS === 'all'

/** A test that goes most of the way of another one: a part of `test:full` alone. */
export const variant = it.runIf(isFull)

/** The first cases of several that go the same way; all of them in `test:full`. */
export const casesOf = <Case>(cases: readonly Case[], count = 1): readonly Case[] =>
  isFull ? cases : cases.slice(0, count)
