// vitest over a real port, for code that takes only a URL: npx vitest run
import { createServer, type Listening, type ReferenceServer, referenceKey } from '@svc/reference-server/core'
import { afterEach, beforeEach, expect, test } from 'vitest'

let server: ReferenceServer
let listening: Listening
beforeEach(async () => {
  server = createServer({ faults: [{ kind: 'status', on: 'projects.list', code: 503, times: 1 }] })
  listening = await server.listen()
})
afterEach(() => listening.close())

test('is refused once, then answered', async () => {
  const init = { headers: { authorization: `Bearer ${referenceKey}` } }
  const statuses = []
  for (const _ of [1, 2]) statuses.push((await fetch(`${listening.publicBaseUrl}/projects`, init)).status)
  expect(statuses).toEqual([503, 200])
  expect(server.requests.map(({ operation }) => operation)).toEqual(['projects.list', 'projects.list'])
})
