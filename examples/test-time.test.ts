// Skip the waits of the client in a test: with a clock that client and server share, or with fake timers.
import { createClient } from '@svc/client'
import { createServer, parseFault, referenceKey, steeredClock } from '@svc/reference-server/core'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
})

test('my code goes on in the next window', async () => {
  const clock = steeredClock()
  const { fetch, baseUrl, publicBaseUrl } = createServer({ clock, limits: { requests: 1, windowMs: 60_000 } })
  const svc = createClient({ apiKey: referenceKey, fetch, baseUrl, publicBaseUrl, clock })
  await svc.projects.list()

  const second = svc.projects.list(
    {},
    { onEvent: ({ type }) => type === 'wait' && setImmediate(() => clock.advance(75_000)) },
  )

  expect((await second).data).toEqual([])
})

test('my code survives an outage of five seconds', async () => {
  vi.useFakeTimers({ now: new Date('2026-02-28T23:59:58Z') })
  const faults = [parseFault('projects.list: status; code=503; retry-after=5; times=1')]
  const { fetch, baseUrl, publicBaseUrl } = createServer({ faults })
  const svc = createClient({ apiKey: referenceKey, fetch, baseUrl, publicBaseUrl })

  const projects = svc.projects.list()
  await vi.advanceTimersByTimeAsync(6_000)

  expect((await projects).data).toEqual([])
})
