import { AmbiguousWriteError, type Fetch, stampOf, stampUpload, type TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { createSession } from '../session.js'
import { type Fate, inDoubt, talk } from './in-doubt.js'

const lost: Fate = { commits: 'never', answer: 'reset' }
const storedButLost: Fate = { commits: 'before', answer: 'reset' }

/** The metadata that one upload left at the service. */
async function metadataOf(upload: TranscriptUpload, stamp?: boolean) {
  const { svc, server, id } = inDoubt([])
  const { id: stored } = await svc.transcripts.upload(id, upload, { stamp })
  return server.world.transcript(stored)?.record.metadata
}

describe('the stamp of an upload', () => {
  it('has a write that is random for each upload, and stands beside the metadata of the caller', async () => {
    const stamp = { key: expect.any(String), occurrence: 1, write: expect.stringMatching(/^[0-9a-f]{32}$/) }
    const [one, other] = [await metadataOf({ ...talk, metadata: { mine: 1 } }), await metadataOf(talk)]
    expect([one, other]).toEqual([{ mine: 1, svc: stamp }, { svc: stamp }])
    expect(stampOf({ metadata: one })?.write).not.toBe(stampOf({ metadata: other })?.write)
  })

  it.each<[string, object]>([
    ['an object', { key: 'mine' }],
    ['a text', { svc: 'mine' }],
    ['null', { svc: null }],
  ])('is never put over a svc of the caller, which is %s', async (what, svc) => {
    const metadata = what === 'an object' ? { svc } : svc
    expect(await metadataOf({ ...talk, metadata: metadata as Record<string, unknown> })).toEqual(metadata)
  })

  it('is left out with stamp: false for a client, a derived client or a call, and a call may ask for it again', async () => {
    const { client, server, id } = inDoubt([])
    const [plain, stamping] = [client({ stamp: false }), client()]
    const calls = [
      plain.transcripts.upload(id, talk),
      stamping.with({ stamp: false }).transcripts.upload(id, talk),
      stamping.transcripts.upload(id, talk, { stamp: false }),
      plain.transcripts.upload(id, talk, { stamp: true }),
      plain.with({ stamp: true }).transcripts.upload(id, talk),
    ]
    const stamped = (await Promise.all(calls)).map(
      (each) => 'svc' in (server.world.transcript(each.id)?.record.metadata ?? {}),
    )
    expect(stamped).toEqual([false, false, false, true, true])
  })

  it('may be given by the caller, also in an upload that is JSON already, and is what the record is found by', async () => {
    const { svc, server, id, clock } = inDoubt([storedButLost, storedButLost], { twin: talk, stamp: false })
    const stamp = { key: 'k', occurrence: 2, write: 'w-1' }
    const mine = stampUpload(talk, stamp)
    expect(stampOf(mine)).toEqual(stamp)
    const one = await clock.until(svc.transcripts.upload(id, mine))
    expect(server.world.transcript(one.id)?.record.metadata).toEqual({ svc: stamp })
    const json = JSON.stringify(stampUpload(talk, { ...stamp, write: 'w-2' }))
    const other = await clock.until(svc.transcripts.upload(id, { json }))
    expect(server.world.transcript(other.id)?.record.metadata).toEqual({ svc: { ...stamp, write: 'w-2' } })
  })

  it('does not make an older record the answer, where an upload repeats the stamp of a record that was read', async () => {
    const { svc, client, server, id, clock } = inDoubt([lost])
    const first = await client().transcripts.upload(id, talk)
    await clock.advance(60_000)
    const { metadata } = await svc.transcripts.get(first.id)
    const again = svc.transcripts.upload(id, { ...talk, metadata: metadata ?? {} }).catch((error: unknown) => error)
    expect(await clock.until(again)).toMatchObject({ name: 'AmbiguousWriteError', candidates: [first.id] })
    expect(server.world.transcripts(id)).toHaveLength(1)
  })
})

describe('two programs that upload equal content', () => {
  /** The POST of one is lost and not stored; the other stores its own meanwhile. */
  async function twoPrograms(one: boolean | undefined, other: boolean | undefined) {
    const session = inDoubt([lost])
    const { client, clock, id, svc, stored } = session
    const unlucky = svc.with({ stamp: one }).transcripts.upload(id, talk)
    const lucky = client({ stamp: other }).transcripts.upload(id, talk)
    const ids = (await clock.until(Promise.all([unlucky, lucky]))).map((each) => each.id)
    return { ids, stored: stored() }
  }

  it.each<[boolean | undefined, boolean | undefined, string]>([
    [undefined, undefined, 'both are stamped by default'],
    [undefined, false, 'only the lost one is stamped'],
    [false, undefined, 'only the other one is stamped'],
  ])('are each given their own record when one is lost (stamp: %s, %s): %s', async (one, other) => {
    const { ids, stored } = await twoPrograms(one, other)
    expect(new Set(ids).size).toBe(2)
    expect(ids.sort()).toEqual(stored.sort())
  })
})

describe('a lost upload without a stamp', () => {
  const upload: TranscriptUpload = {
    ...talk,
    turns: [{ role: 'assistant', content: 'hi', toolCalls: [{ name: 'find', args: { q: 'a' } }] }],
    metadata: { mine: 1 },
  }

  /** What becomes of the upload, stored and lost, where the service shows its records in another way. */
  async function lostUpload(show: (record: Record<string, unknown>) => Record<string, unknown>) {
    const { server, client, clock } = createSession()
    const { id } = server.world.createProject({ name: 'P' }).record
    const fetch: Fetch = async (request) => {
      const response = await server.fetch(request)
      if (request.method === 'POST') throw new TypeError('fetch failed')
      const { data, ...rest } = (await response.json()) as { data: Record<string, unknown> | Record<string, unknown>[] }
      const shown = Array.isArray(data) ? data.map(show) : show(data)
      return Response.json({ data: shown, ...rest }, { headers: response.headers })
    }
    const svc = client({ fetch, stamp: false })
    const result = await clock.until(svc.transcripts.upload(id, upload).catch((error: unknown) => error))
    return { result, id: server.world.transcripts(id).map(({ record }) => record.id) }
  }

  it('is found where the service shows all of its content', async () => {
    const { result, id } = await lostUpload((record) => record)
    expect([(result as { id: string }).id]).toEqual(id)
  })

  it.each<[string, (record: Record<string, unknown>) => Record<string, unknown>]>([
    ['its turns', ({ turns: _, ...record }) => record],
    ['its metadata', ({ metadata: _, ...record }) => record],
    ['the content of its turns', (record) => ({ ...record, turns: [{ role: 'assistant' }] })],
    ['its tool calls', (record) => ({ ...record, turns: [{ role: 'assistant', content: 'hi' }] })],
    [
      'other tool calls',
      (record) => ({ ...record, turns: [{ ...upload.turns[0], toolCalls: [{ name: 'find', args: {} }] }] }),
    ],
  ])('stays ambiguous, with its record as a candidate, where the service does not show %s', async (_, show) => {
    const { result, id } = await lostUpload(show)
    expect(result).toBeInstanceOf(AmbiguousWriteError)
    expect(result).toMatchObject({ candidates: id })
  })
})
