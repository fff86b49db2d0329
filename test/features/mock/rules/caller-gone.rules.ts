import type { Annotator } from '@svc/reference-server/core'
import { expect } from 'chai'
import { anAnnotation, newProject, onA, onB, saying } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'design 5: one meaning of a caller that goes away, on every edge'

/** A page cannot send a stream over HTTP/1.1, and MSW's worker does not report what becomes of a request. */
const here = {
  source,
  only: { transports: ['direct', 'setupServer', 'http'], because: 'a service worker does not see that a page is gone' },
} as const

const creating = onB('/projects', { body: { name: 'P' } })

/** Waits until something holds; a server notices over a socket a little later that its caller is gone. */
async function eventually(holds: () => boolean, what: string): Promise<void> {
  const giveUp = Date.now() + 5000
  while (!holds()) {
    if (Date.now() > giveUp) throw new Error(`It never came that ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

const journalled = ({ server }: Trial) => server.requests.map(({ operation, status }) => `${operation} ${status}`)

/** Asks, goes away once the server has come so far, and waits until the journal has the request. */
async function leave(
  trial: Trial,
  asked: Parameters<Trial['ask']>[0],
  reached: () => Promise<unknown>,
  status: number,
) {
  const { server } = trial
  const caller = new AbortController()
  const before = server.requests.length
  const answer = trial.ask({ ...asked, signal: caller.signal }).then(
    () => 'answered',
    () => 'gone',
  )
  await reached()
  caller.abort()
  expect(await answer).to.equal('gone')
  await eventually(() => server.requests.length > before, 'the request is in the journal')
  expect(server.requests.length).to.equal(before + 1)
  expect(server.requests.at(-1)?.status).to.equal(status)
}

/** A body whose end never comes. */
function endless(beginning: string) {
  const seen = { isRead: false, isCancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.isRead) return new Promise(() => {})
        seen.isRead = true
        controller.enqueue(new TextEncoder().encode(beginning))
        return undefined
      },
      cancel() {
        seen.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, seen }
}

async function leaveInBody(trial: Trial, projectId: string) {
  const { body, seen } = endless('{"name":"T","turns":[{"role":"user",')
  const asked = onB(`/projects/${projectId}/transcripts`, { body })
  await leave(trial, asked, () => eventually(() => seen.isRead, 'the body is read'), 499)
  return seen
}

/** The signals that the annotator below was given; it never answers. */
const signals: AbortSignal[] = []

const waiting: Annotator = {
  id: 'waiting',
  annotator_version: '1',
  taxonomy_version: '1',
  description: 'Never answers.',
  annotate: (_, { signal }) => {
    signals.push(signal)
    return new Promise(() => {})
  },
}

export const rules: readonly Rule[] = [
  {
    name: 'a caller that goes away before its request is sent leaves nothing behind',
    ...here,
    async run(trial) {
      const asked = trial.ask({ ...creating, signal: AbortSignal.abort() })
      expect(await asked.catch(() => 'gone')).to.equal('gone')
      expect(trial.server.world.projects()).to.deep.equal([])
      expect(journalled(trial)).to.deep.equal([])
    },
  },
  ...[creating, onB('/projects', { body: { name: 'P', padding: 'x'.repeat(1_000_000) } })].map(
    (asked, i): Rule => ({
      name: `a caller that goes away in latency stores nothing, also not when the time has passed (${['small', 'large'][i]} body)`,
      ...here,
      options: { faults: [{ kind: 'latency', ms: 60_000, on: 'projects.create' }] },
      async run(trial) {
        await leave(trial, asked, () => trial.advance(59_999), 499)
        await trial.advance(60_000)
        expect(trial.server.world.projects()).to.deep.equal([])
        expect(journalled(trial)).to.deep.equal(['projects.create 499'])
      },
    }),
  ),
  {
    name: 'a caller that goes away in the middle of its body stores nothing',
    ...here,
    async run(trial) {
      const { id } = await newProject(trial)
      await leaveInBody(trial, id)
      expect(trial.server.world.transcripts(id)).to.deep.equal([])
      expect(journalled(trial)).to.deep.equal(['projects.create 201', 'transcripts.upload 499'])
    },
  },
  {
    name: 'the stream of a body is cancelled when its caller goes away',
    source,
    only: { transports: ['direct', 'http'], because: 'MSW holds the body open' },
    async run(trial) {
      const { id } = await newProject(trial)
      const seen = await leaveInBody(trial, id)
      await eventually(() => seen.isCancelled, 'the stream is cancelled')
    },
  },
  {
    name: 'a caller that goes away after the write finds what it wrote, and the journal has its answer',
    ...here,
    options: { faults: [{ kind: 'hang-after', on: 'transcripts.upload' }] },
    async run(trial) {
      const { server } = trial
      const { id } = await newProject(trial)
      const asked = onB(`/projects/${id}/transcripts`, { body: { name: 'T', ...saying('Hi') } })
      const stored = () => server.world.transcripts(id).length === 1
      await leave(trial, asked, () => eventually(stored, 'the transcript is stored'), 201)
      expect(server.world.transcripts(id)).to.have.lengthOf(1)
    },
  },
  {
    name: 'an annotator hears of it when its caller goes away, and is not waited for',
    ...here,
    options: { annotators: [waiting] },
    async run(trial) {
      const asked = onA('/v1/annotations', { body: anAnnotation('waiting') })
      const before = signals.length
      await leave(trial, asked, () => eventually(() => signals.length > before, 'the annotator is asked'), 499)
      expect(signals.at(-1)?.aborted).to.equal(true)
    },
  },
]
