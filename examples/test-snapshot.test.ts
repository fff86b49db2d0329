// Bring a server back to an earlier state, copy it, and let an annotator answer by a script.
import { createServer } from '@svc/reference-server/core'
import { expect, test } from 'vitest'

const server = createServer({
  seed: {
    annotators: [
      {
        id: 'structural',
        answers: [
          {
            when: { contains: 'refund' },
            outcome: 'poor',
            signals: { refund_denied: { evidence: 'No refund', turn: 2 } },
          },
          { times: 1, status: 503, retryAfter: 2 },
        ],
      },
      { id: 'mine', outcome: 'strong' },
    ],
  },
})

test('each test begins with the same state', () => {
  const snapshot = server.snapshot() // one JSON value
  server.world.createProject({ name: 'of this test' })
  const other = server.fork() // another server that begins like this one
  server.restore(snapshot)
  const third = createServer({ seed: snapshot }) // also `svc mock --seed snapshot.json`

  expect([server, other, third].map((each) => [...each.world.allProjects()].length)).toEqual([0, 1, 0])
})
