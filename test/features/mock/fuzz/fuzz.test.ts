import { createServer } from '@svc/reference-server/core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLong, seed } from '../../../helpers/long.js'
import { takeAll } from './answers.js'
import { brokenBytes } from './broken-bytes.js'
import { Connection } from './connection.js'
import { requests } from './requests.js'
import { problemsOf, problemsOfAny } from './verdict.js'

const runs = isLong ? 100_000 : 1000
/** The statuses that must occur, so that the requests are known to reach each kind of answer. */
const statuses = [200, 201, 204, 400, 401, 404, 405, 413, 417, 422, 431, 501]
/** Connections side by side. */
const lanes = 4
const brokenShare = 0.05

const server = createServer({ seed: { projects: [{ name: 'P', transcripts: [] }] } })
const project = server.world.projects()[0]
if (!project) throw new Error('The seed has a project.')
const transcript = server.world.createTranscript(project, { name: 'T', turns: [{ role: 'user', content: 'Hi' }] })
const known = { project: project.record.id, transcript: transcript.record.id }

let listening: Awaited<ReturnType<typeof server.listen>>
const socketsOpen = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
let before = 0
const seen = new Map<number, number>()

beforeAll(async () => {
  before = socketsOpen()
  listening = await server.listen()
})
afterAll(() => server.close())

const parameters = (share: number, lane: number) => ({
  numRuns: Math.ceil((runs * share) / lanes),
  seed: seed + lane,
})

async function inLanes(work: (connection: () => Connection, lane: number) => Promise<unknown>): Promise<void> {
  const all: Connection[] = []
  const open = () => {
    const connection = new Connection(listening.port)
    all.push(connection)
    return connection
  }
  const results = await Promise.allSettled(Array.from({ length: lanes }, (_, lane) => work(open, lane)))
  for (const connection of all) connection.close()
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

// Each builds on those before it.
describe('a fuzzed server', { shuffle: false }, () => {
  test(`every request is answered as the interface wants it (${runs} with seed ${seed})`, () =>
    inLanes(async (open, lane) => {
      let connection = open()
      const property = fc.asyncProperty(requests(known), async ({ bytes, method, target, isCut }) => {
        try {
          const answer = await connection.ask(bytes, method, isCut)
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          const problems = problemsOf({ method, target }, answer)
          if (problems.length > 0) throw new Error(problems.join('\n'))
        } catch (error) {
          connection.close()
          connection = open()
          throw new Error(`${JSON.stringify(bytes.toString('latin1').slice(0, 3000))}`, { cause: error })
        }
      })
      await fc.assert(property, parameters(1 - brokenShare, lane))
    }))

  test('bytes of any kind are answered in an envelope, or with the end of the connection', () =>
    inLanes(async (open, lane) => {
      const property = fc.asyncProperty(brokenBytes(known), async (parts) => {
        const connection = open()
        try {
          const problems = takeAll(await connection.drain(parts)).flatMap(problemsOfAny)
          if (problems.length > 0) throw new Error(problems.join('\n'))
        } catch (error) {
          throw new Error(`${JSON.stringify(Buffer.concat(parts).toString('latin1').slice(0, 3000))}`, { cause: error })
        } finally {
          connection.close()
        }
      })
      await fc.assert(property, parameters(brokenShare, lane))
    }))

  test('the requests reach what the server can answer', () => {
    expect(statuses.filter((status) => !seen.has(status))).toEqual([])
  })

  test('after all of them the server serves, and closes without a connection left', async () => {
    const response = await fetch(`${listening.baseUrl}/health`)
    expect(await response.json()).toEqual({ status: 'ok', substrate: 'lambda' })
    await listening.close({ graceMs: 60_000 })
    await expect.poll(socketsOpen).toBeLessThanOrEqual(before)
  })
})
