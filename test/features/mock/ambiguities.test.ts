import { ambiguityValues, defaultAmbiguities, referenceKey } from '@svc/reference-server'
import type { AllAmbiguities } from '@svc/reference-server/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rawNonconformities } from '../../helpers/conformance.js'
import { runs } from '../../helpers/long.js'
import { createSession, type Session } from '../../helpers/session.js'

/** Small numbers, so that caps, lags and sizes make a difference. */
const integers: Readonly<Partial<Record<keyof AllAmbiguities, number[]>>> = {
  turnBytes: [4, 2 ** 20],
  bodyBytes: [150, 5 * 2 ** 20],
  // A smaller one is a 413, which the annotation surface does not declare.
  annotationBodyBytes: [16 * 2 ** 20],
  totalCap: [0, 2, 100],
  pageCap: [0, 1, 3],
  listLagMs: [0, 500, 8000],
  filterLagMs: [0, 10_000],
  databaseSkewMs: [-(10 ** 12), -60_000, 0, 60_000, 10 ** 12],
}

const someAmbiguities: fc.Arbitrary<Partial<AllAmbiguities>> = fc.record(
  Object.fromEntries(
    Object.keys(defaultAmbiguities).map((name) => {
      const values: readonly unknown[] | undefined = ambiguityValues[name as keyof AllAmbiguities]
      return [name, fc.constantFrom(...(values ?? integers[name as keyof AllAmbiguities] ?? []))]
    }),
  ),
  { requiredKeys: [] },
)

const someUpload = fc.record(
  {
    name: fc.constant('t'),
    turns: fc.constantFrom([{ role: 'user', content: 'Hi' }], [{ role: 'user', content: 'Hi there' }], []),
    externalId: fc.constantFrom('a', 'b', ''),
    metadata: fc.dictionary(fc.constantFrom('svc', 'svc.key', '__proto__', 'a'), fc.jsonValue({ maxDepth: 3 })),
    process: fc.boolean(),
    sourceTimestamp: fc.constant('2026-01-31T10:00:00Z'),
  },
  { requiredKeys: ['name', 'turns'] },
)

const someQuery = fc
  .subarray(['page=2', 'page=9', 'limit=2', 'q=hi', 'date_from=2026-01-31', 'date_to=2026-02-01T00:00:00Z', 'page=x'])
  .map((parts) => `?${parts.join('&')}`)

const someStep = fc.oneof(
  someUpload.map((body) => ({ kind: 'upload', body }) as const),
  someUpload.map((body) => ({ kind: 'legacy upload', body }) as const),
  fc.record({ kind: fc.constant('list' as const), query: someQuery }),
  fc.record({ kind: fc.constant('list projects' as const), query: someQuery }),
  fc.constant({ kind: 'create project' } as const),
  fc.constant({ kind: 'others' } as const),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(1, 700, 9000) }),
  someAmbiguities.map((ambiguities) => ({ kind: 'set', ambiguities }) as const),
)
type Step = typeof someStep extends fc.Arbitrary<infer One> ? One : never

/** Sends requests with the reference key, as JSON. */
function sender({ server, fetch }: Session) {
  const { baseUrl, publicBaseUrl } = server
  const headers = { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json' }
  const send = (url: string, body?: unknown) =>
    fetch(new Request(url, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }))
  return {
    onA: (path: string, body?: unknown) => send(baseUrl + path, body),
    onB: (path: string, body?: unknown) => send(publicBaseUrl + path, body),
  }
}

/** Takes a step; the statuses of its answers. */
async function take(step: Step, session: Session, project: string): Promise<number[]> {
  const { onA, onB } = sender(session)
  const path = `/projects/${project}/transcripts`
  switch (step.kind) {
    case 'upload':
      return [(await onB(path, step.body)).status]
    case 'legacy upload':
      return [(await onB('/halfpipe/transcripts', { ...step.body, projectId: project })).status]
    case 'create project':
      return [(await onB('/projects', { name: 'P' })).status]
    case 'list':
      return [(await onB(path + step.query)).status]
    case 'list projects':
      return [(await onB(`/projects${step.query.replace(/(q|date_from|date_to)=/g, 'x=')}`)).status]
    case 'others': {
      const annotation = { annotator: 'structural', transcript: [{ role: 'user', content: 'Hi' }] }
      const answers = [onA('/health'), onA('/v1/annotators'), onA('/v1/annotations', annotation), onB('/projects/x')]
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    case 'advance':
      await session.clock.advance(step.ms)
      return []
    case 'set':
      session.server.ambiguities.set(step.ambiguities)
      return []
  }
}

describe('under any readings', () => {
  it('the server stores what it accepts once, reads all of it by id, and never answers 500', async () => {
    const property = fc.asyncProperty(
      someAmbiguities,
      fc.array(someStep, { maxLength: 14 }),
      async (ambiguities, steps) => {
        const session = createSession({ ambiguities, onError: (error) => expect.fail(String(error)) })
        const { world } = session.server
        const project = world.createProject({ name: 'of the test' }).record.id
        let accepted = 1
        for (const step of steps) {
          const statuses = await take(step, session, project)
          for (const status of statuses) expect(status).toBeLessThan(500)
          if (/upload|create/.test(step.kind)) accepted += statuses.filter((status) => status < 300).length
        }
        const transcripts = [...world.allTranscripts()].map(({ record }) => `/transcripts/${record.id}`)
        const projects = [...world.allProjects()].map(({ record }) => `/projects/${record.id}`)
        expect(transcripts.length + projects.length).toBe(accepted)
        for (const path of [...transcripts, ...projects]) {
          const response = await sender(session).onB(path)
          expect(path.endsWith((await response.json()).data.id)).toBe(true)
        }
      },
    )
    await fc.assert(property, { numRuns: runs(70) })
  })

  it('an answer is held to the spec but for what its readings say', () => {
    const list = { surface: 'workspace', method: 'GET', path: '/projects', status: 200 } as const
    const create = { ...list, method: 'POST' } as const
    const headers = { 'content-type': 'application/json' }
    const empty = '{"data":[],"processing_time_ms":1}'
    const problemsOf = (exchange: object, ambiguities: Partial<AllAmbiguities> = {}) =>
      rawNonconformities({ ...list, headers, text: empty, ...exchange }, { ...defaultAmbiguities, ...ambiguities })
        .length
    expect(problemsOf({})).toBe(1)
    expect(problemsOf({}, { pagination: 'none' })).toBe(0)
    expect(problemsOf({ ...create, status: 202 })).toBe(1)
    expect(problemsOf({ ...create, status: 202 }, { created: 202 })).toBe(1)
    expect(problemsOf({ ...create, status: 202 }, { created: 'empty' })).toBe(1)
    expect(problemsOf({ ...create, status: 201, text: '', headers: {} }, { created: 'empty' })).toBe(0)
    expect(problemsOf({ ...create, status: 201 }, { created: 'empty' })).toBe(1)
    expect(problemsOf({ status: 404, text: '{"detail":"none"}' }, { pastEnd: 404 })).toBe(1)
    expect(problemsOf({ status: 404, text: '{"detail":"none"}' }, { errorBody: 'detail' })).toBe(0)
  })
})
