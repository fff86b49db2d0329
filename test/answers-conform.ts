import { afterEach, expect } from 'vitest'
import { nonconformities } from './conformance.js'
import { takeSessions } from './session.js'

/** Every answer that any test gets through a session is one that the spec declares. */
afterEach(async () => {
  const problems: string[] = []
  for (const { exchanges, server } of takeSessions()) {
    for (const exchange of exchanges) problems.push(...(await nonconformities(exchange, server)))
  }
  expect(problems).toEqual([])
})
