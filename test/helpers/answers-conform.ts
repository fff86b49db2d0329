import { afterEach, expect } from 'vitest'
import { takeSessions } from './opened-sessions.js'

/** Every answer that any test gets through a session is one that the spec declares. */
afterEach(async () => {
  const sessions = takeSessions()
  if (sessions.length === 0) return
  // Loaded where there is something to look at: most files have no session.
  const { nonconformities } = await import('./conformance.js')
  const problems: string[] = []
  for (const { exchanges, server } of sessions) {
    for (const exchange of exchanges) problems.push(...(await nonconformities(exchange, server)))
  }
  expect(problems).toEqual([])
})
