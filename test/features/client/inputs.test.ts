import { describe, expect, it } from 'vitest'
import type { AnnotationRequest, TranscriptUpload } from '../../../packages/client/src/index.js'
import { failureOf, json, project, scripted, upload } from '../../../packages/client/test/fixtures/scripted.js'

const stored = { data: { id: 'tr_1', name: 'A conversation' }, processing_time_ms: 1 }
const turn = (content: string) => ({ role: 'user' as const, content })
const bad = {
  name: '',
  turns: [{ role: 'robot', content: 1 }],
  language: 'x'.repeat(11),
} as unknown as TranscriptUpload

it('an annotation filter refuses a key with a colon, at which the service would split it', async () => {
  const { svc, requests } = scripted([])
  const error = await failureOf(svc.transcripts.list('hp-1', { annotation: { key: 'a:b', value: 'c' } }))
  expect(error.violations).toEqual([
    { pointer: '/annotation/key', message: 'expected a key without a colon', code: 'malformed' },
  ])
  expect(requests).toEqual([])
})

describe('an upload', () => {
  it('an upload with violations is refused with all of them before anything is sent', async () => {
    const { svc, requests, clock } = scripted([])
    const error = await failureOf(svc.transcripts.upload('hp-1', bad))
    expect(error).toMatchObject({ name: 'InputError', reason: 'invalid_input', operation: 'transcripts.upload' })
    expect(error.violations.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/name',
      '/language',
      '/turns/0/role',
      '/turns/0/content',
    ])
    expect(error.message).toContain('/name: expected 1 to 500 characters, got 0')
    expect(error.message).toContain('and 1 more')
    expect([requests, clock.pending]).toEqual([[], []])
  })

  it('an upload is left to the service with validate: false on the client or the call', async () => {
    const refusal = () => json({ error: { message: 'no', type: 'invalid_request_error', code: 400 } }, 400)
    const { svc, requests } = scripted([refusal(), refusal()], { validate: false })
    expect(await failureOf(svc.transcripts.upload('hp-1', bad))).toMatchObject({ status: 400 })
    const other = scripted([refusal()])
    expect(await failureOf(other.svc.transcripts.upload('hp-1', bad, { validate: false }))).toMatchObject({
      status: 400,
    })
    expect(await failureOf(svc.with({ validate: true }).transcripts.upload('hp-1', bad))).toMatchObject({
      reason: 'invalid_input',
    })
    expect(requests).toHaveLength(1)
  })

  it('an upload is measured as the bytes that are sent, stamp and dates included', async () => {
    const length = 5 * 2 ** 20 - JSON.stringify({ name: 'n', turns: Array(6).fill(turn('')) }).length
    const share = Math.floor(length / 6)
    const turns = [...Array(5).fill(turn('x'.repeat(share))), turn('x'.repeat(length - 5 * share))]
    const plain = scripted([json(stored, 201)], { stamp: false })
    await plain.svc.transcripts.upload('hp-1', { name: 'n', turns })
    expect(plain.requests[0]?.body.length).toBe(5 * 2 ** 20)
    const stamped = scripted([])
    expect(await failureOf(stamped.svc.transcripts.upload('hp-1', { name: 'n', turns }))).toMatchObject({
      violations: [
        {
          pointer: '',
          message: expect.stringMatching(/^expected the whole upload to be at most 5242880 bytes, got 5243\d\d\d$/),
        },
      ],
    })
    expect(stamped.requests).toEqual([])
  })

  it('an upload that a stricter service may refuse is sent, with a warning', async () => {
    const { svc, events } = scripted([json(stored, 201)])
    await svc.transcripts.upload('hp-1', { name: 'n', turns: [turn('x'.repeat(1_000_001))] })
    expect(events[0]).toMatchObject({
      type: 'warning',
      operation: 'transcripts.upload',
      message: expect.stringContaining('/turns/0/content: the content is 1000001 bytes'),
    })
  })

  it.each([
    ['null', null],
    ['a text', 'conversation'],
  ])('an upload that is %s is refused, and not a crash', async (_, given) => {
    const { svc, requests } = scripted([])
    expect(await failureOf(svc.transcripts.upload('hp-1', given as never))).toMatchObject({
      name: 'InputError',
      violations: [{ pointer: '', message: expect.stringContaining('expected ') }],
    })
    expect(requests).toEqual([])
  })

  it.each([
    ['Map', { m: new Map([['a', 1]]) }, '/metadata/m'],
    ['Set', { deep: [{ s: new Set([1]) }] }, '/metadata/deep/0/s'],
    ['NaN', { 'a/b': Number.NaN }, '/metadata/a~1b'],
    ['Infinity', { n: Number.POSITIVE_INFINITY }, '/metadata/n'],
    ['BigInt', { n: 1n }, '/metadata/n'],
    ['Undefined', { list: [1, undefined] }, '/metadata/list/1'],
    ['Function', { f: () => 1 }, '/metadata/f'],
    ['RegExp', { r: /a/ }, '/metadata/r'],
    ['Map', new Map([['a', 1]]), '/metadata'],
  ])('an upload whose metadata holds a %s is refused with its place', async (name, metadata, pointer) => {
    const { svc, requests } = scripted([])
    expect(await failureOf(svc.transcripts.upload('hp-1', { ...upload, metadata }))).toMatchObject({
      name: 'InputError',
      violations: [{ pointer, message: `expected a JSON value, got ${name}`, code: 'not_json' }],
    })
    expect(requests).toEqual([])
  })

  it('an upload that contains itself is refused with the place', async () => {
    const metadata: Record<string, unknown> = { twice: [upload, upload] }
    metadata.own = { metadata }
    expect(
      await failureOf(scripted([], { stamp: false }).svc.transcripts.upload('hp-1', { ...upload, metadata })),
    ).toMatchObject({
      message: 'transcripts.upload: /metadata/own/metadata: expected a JSON value, got a circular reference.',
    })
  })

  it('an upload may hold what JSON writes in full: a Date, a missing field, an object with toJSON', async () => {
    const { svc, requests } = scripted([json(stored, 201)])
    const metadata = { at: new Date(0), gone: undefined, own: { toJSON: () => ({ a: 1 }) } }
    await svc.with({ stamp: false }).transcripts.upload('hp-1', { ...upload, metadata })
    expect(JSON.parse(requests[0]?.body ?? '').metadata).toEqual({ at: '1970-01-01T00:00:00.000Z', own: { a: 1 } })
  })

  it('an upload is never changed', async () => {
    const frozen = Object.freeze({
      ...upload,
      turns: Object.freeze([Object.freeze(turn('a'))]),
      metadata: Object.freeze({ a: 1 }),
    })
    const before = JSON.stringify(frozen)
    const { svc, requests } = scripted([json(stored, 201)])
    await svc.transcripts.upload('hp-1', frozen)
    expect(JSON.stringify(frozen)).toBe(before)
    expect(JSON.parse(requests[0]?.body ?? '').metadata).toMatchObject({ a: 1, svc: { occurrence: 1 } })
  })
})

describe('an annotation request', () => {
  it('an annotation request with violations is refused with all of them before anything is sent', async () => {
    const { svc, requests } = scripted([])
    const request = { transcript: [{ role: 1, content: 'a' }, { content: 'b' }] } as unknown as AnnotationRequest
    const error = await failureOf(svc.annotations.create(request))
    expect(error.violations.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/annotator',
      '/transcript/0/role',
      '/transcript/1/role',
    ])
    expect(requests).toEqual([])
  })
})

describe('a body that no check covers', () => {
  it('a body that no check covers that JSON cannot represent is refused before anything is sent', async () => {
    const { svc, requests } = scripted([])
    const call = svc.legacy.createSession({ n: 1n } as Record<string, unknown>)
    expect(await failureOf(call)).toMatchObject({
      name: 'InputError',
      message: 'legacy.createSession: /n: expected a JSON value, got BigInt.',
    })
    expect(requests).toEqual([])
  })
})

describe('the stack of an error', () => {
  const stackOf = async (call: () => Promise<unknown>): Promise<string> => {
    try {
      await call()
    } catch (error) {
      return (error as Error).stack ?? ''
    }
    return expect.unreachable('it succeeded')
  }

  it('leads to the caller, after a refusal, a lost connection, a retry and a refused input', async () => {
    const theCaller = async (call: () => Promise<unknown>) => await call()
    const refused = scripted([json({}, 404)])
    expect(await stackOf(() => theCaller(() => refused.svc.projects.get('hp-1')))).toContain('theCaller')
    const lost = scripted([json({}, 503), new TypeError('fetch failed')], { retry: { attempts: 2, baseMs: 0 } })
    expect(await stackOf(() => lost.clock.until(theCaller(() => lost.svc.projects.get('hp-1'))))).toContain('theCaller')
    expect(await stackOf(() => theCaller(() => refused.svc.transcripts.upload('hp-1', bad)))).toContain('theCaller')
    expect(
      await stackOf(() =>
        theCaller(() =>
          scripted([json({}, 404)])
            .svc.health()
            .withResponse(),
        ),
      ),
    ).toContain('theCaller')
  })

  it('leads to the caller if the request cannot be built', async () => {
    const theCaller = async (call: () => Promise<unknown>) => await call()
    const { svc } = scripted([])
    expect(await stackOf(() => theCaller(() => svc.transcripts.get('..')))).toContain('theCaller')
    expect(await stackOf(() => theCaller(() => svc.legacy.createSession({ n: 1n })))).toContain('theCaller')
  })

  it('leads to the caller of an iteration', async () => {
    const { svc } = scripted([json({}, 403)])
    const theWalker = async () => {
      for await (const _ of svc.projects.all()) expect.unreachable()
    }
    expect(await stackOf(theWalker)).toContain('theWalker')
  })
})

it('the duration of the whole call is in the answer', async () => {
  const { svc, clock } = scripted([json({}, 503, { 'retry-after': '3' }), json(project)])
  const { ms, attempts } = await clock.until(svc.projects.get('hp-1').withResponse())
  expect([ms, attempts.map((attempt) => attempt.ms)]).toEqual([3_000, [0, 0]])
})
