import { AmbiguousWriteError, stampOf, stampUpload, type TranscriptUpload } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowShapes } from '../../helpers/row-shapes.js'
import { createSession, type RequestHandler } from '../../helpers/session.js'
import { conversation, createUploadSession, type PostBehavior } from './upload-session.js'

const lost: PostBehavior = { stores: 'never', answer: 'reset' }
const storedButLost: PostBehavior = { stores: 'before', answer: 'reset' }

/** The metadata that one upload has at the service. */
async function metadataOf(upload: TranscriptUpload, stamp?: boolean) {
  const { svc, server, id } = createUploadSession([])
  const { id: stored } = await svc.transcripts.upload(id, upload, { stamp })
  return server.world.transcript(stored)?.record.metadata
}

describe('the stamp of an upload', () => {
  it('adds a stamp with a random write to the metadata of each upload', async () => {
    const stamp = { key: expect.any(String), occurrence: 1, write: expect.stringMatching(/^[0-9a-f]{32}$/) }
    const [one, other] = [await metadataOf({ ...conversation, metadata: { mine: 1 } }), await metadataOf(conversation)]
    expect([one, other]).toEqual([{ mine: 1, svc: stamp }, { svc: stamp }])
    expect(stampOf({ metadata: one })?.write).not.toBe(stampOf({ metadata: other })?.write)
  })

  it.each<[string, object]>([
    ['an object', { key: 'mine' }],
    ['a string', { svc: 'mine' }],
    ['null', { svc: null }],
  ])('does not replace a metadata.svc of the caller that is %s', async (what, svc) => {
    const metadata = what === 'an object' ? { svc } : svc
    expect(await metadataOf({ ...conversation, metadata: metadata as Record<string, unknown> })).toEqual(metadata)
  })

  it('adds no stamp with stamp: false for a client, a derived client or a call, unless stamp: true overrides it', async () => {
    const { client, server, id } = createUploadSession([])
    const [plain, stamping] = [client({ stamp: false }), client()]
    const calls = [
      plain.transcripts.upload(id, conversation),
      stamping.with({ stamp: false }).transcripts.upload(id, conversation),
      stamping.transcripts.upload(id, conversation, { stamp: false }),
      plain.transcripts.upload(id, conversation, { stamp: true }),
      plain.with({ stamp: true }).transcripts.upload(id, conversation),
    ]
    const stamped = (await Promise.all(calls)).map(
      (each) => 'svc' in (server.world.transcript(each.id)?.record.metadata ?? {}),
    )
    expect(stamped).toEqual([false, false, false, true, true])
  })

  it('finds a lost upload by the stamp of the caller, also in an upload that is JSON', async () => {
    const { svc, server, id, clock } = createUploadSession([storedButLost, storedButLost], {
      concurrent: conversation,
      stamp: false,
    })
    const stamp = { key: 'c'.repeat(32), occurrence: 2, write: '1'.repeat(32) }
    const mine = stampUpload(conversation, stamp)
    expect(stampOf(mine)).toEqual(stamp)
    const one = await clock.until(svc.transcripts.upload(id, mine))
    expect(server.world.transcript(one.id)?.record.metadata).toEqual({ svc: stamp })
    const json = JSON.stringify(stampUpload(conversation, { ...stamp, write: '2'.repeat(32) }))
    const other = await clock.until(svc.transcripts.uploadJson(id, json))
    expect(server.world.transcript(other.id)?.record.metadata).toEqual({ svc: { ...stamp, write: '2'.repeat(32) } })
  })

  it('does not return an older record if an upload repeats its stamp', async () => {
    const { svc, client, server, id, clock } = createUploadSession([lost])
    const first = await client().transcripts.upload(id, conversation)
    await clock.advance(60_000)
    const { metadata } = await svc.transcripts.get(first.id)
    const again = svc.transcripts
      .upload(id, { ...conversation, metadata: metadata ?? {} })
      .catch((error: unknown) => error)
    expect(await clock.until(again)).toMatchObject({ name: 'AmbiguousWriteError', candidates: [first.id] })
    expect(server.world.transcripts(id)).toHaveLength(1)
  })
})

describe('two programs that upload identical content', () => {
  /** The POST of one is lost and not stored; the other one succeeds meanwhile. */
  async function twoPrograms(one: boolean | undefined, other: boolean | undefined) {
    const session = createUploadSession([lost])
    const { client, clock, id, svc, stored } = session
    const lostUpload = svc.with({ stamp: one }).transcripts.upload(id, conversation)
    const otherUpload = client({ stamp: other }).transcripts.upload(id, conversation)
    const ids = (await clock.until(Promise.all([lostUpload, otherUpload]))).map((each) => each.id)
    return { ids, stored: stored() }
  }

  it.each<[boolean | undefined, boolean | undefined, string]>([
    [undefined, undefined, 'both are stamped by default'],
    [false, undefined, 'only the other one is stamped'],
  ])('two programs with identical content find their own records (stamp: %s, %s): %s', async (one, other) => {
    const { ids, stored } = await twoPrograms(one, other)
    expect(new Set(ids).size).toBe(2)
    expect(ids.sort()).toEqual(stored.sort())
  })
})

it('sends no upload again while an equal record shows no stamp, because the service may hide it', async () => {
  const { client, clock, id, svc, stored } = createUploadSession([lost])
  const lostUpload = svc.transcripts.upload(id, conversation).catch((error: unknown) => error)
  const other = client({ stamp: false }).transcripts.upload(id, conversation)
  const [error, { id: otherId }] = await clock.until(Promise.all([lostUpload, other]))
  expect([error instanceof AmbiguousWriteError, (error as AmbiguousWriteError).candidates]).toEqual([true, [otherId]])
  expect(stored()).toEqual([otherId])
})

it('stores a lost upload once, whatever list rows and single reads show of its metadata', async () => {
  const shape = fc.constantFrom('as stored', ...Object.keys(rowShapes))
  await fc.assert(
    fc.asyncProperty(
      shape,
      shape,
      fc.constantFrom<PostBehavior['answer']>(503, 'reset', 'broken'),
      async (row, single, answer) => {
        const shown = (record: Record<string, unknown>, name: string) =>
          name === 'as stored' ? record : { ...record, metadata: rowShapes[name]?.(record.metadata as object) }
        const { svc, clock, id, server, stored } = createUploadSession([{ stores: 'before', answer }], {
          async answerQuery(_, request) {
            const response = await server.fetch(request)
            const { data, ...rest } = (await response.json()) as { data: Record<string, unknown> }
            const body = Array.isArray(data) ? data.map((each) => shown(each, row)) : shown(data, single)
            return Response.json({ data: body, ...rest }, { headers: response.headers })
          },
        })
        const result = await clock.until(
          svc.transcripts.upload(id, { ...conversation, metadata: { mine: 1 } }).catch((error: unknown) => error),
        )
        expect(stored()).toHaveLength(1)
        const isShown = row === 'as stored' || single === 'as stored'
        if (isShown) expect(result).toMatchObject({ id: stored()[0] })
        else expect((result as AmbiguousWriteError).candidates).toEqual(stored())
      },
    ),
  )
})

describe('a lost upload without a stamp', () => {
  const upload: TranscriptUpload = {
    ...conversation,
    turns: [{ role: 'assistant', content: 'hi', toolCalls: [{ name: 'find', args: { q: 'a' } }] }],
    metadata: { mine: 1 },
  }

  /** Loses the answer of a stored upload; `show` changes how the service shows its records. */
  async function lostUpload(show: (record: Record<string, unknown>) => Record<string, unknown>) {
    const { server, client, clock } = createSession()
    const { id } = server.world.createProject({ name: 'P' }).record
    const fetch: RequestHandler = async (request) => {
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

  it('finds a lost upload without a stamp if the service shows all of its content', async () => {
    const { result, id } = await lostUpload((record) => record)
    expect([(result as { id: string }).id]).toEqual(id)
  })

  it.each<[string, (record: Record<string, unknown>) => Record<string, unknown>]>([
    ['no turns', ({ turns: _, ...record }) => record],
    ['no metadata', ({ metadata: _, ...record }) => record],
    ['turns without content', (record) => ({ ...record, turns: [{ role: 'assistant' }] })],
    ['no tool calls', (record) => ({ ...record, turns: [{ role: 'assistant', content: 'hi' }] })],
    [
      'other tool calls',
      (record) => ({ ...record, turns: [{ ...upload.turns[0], toolCalls: [{ name: 'find', args: {} }] }] }),
    ],
  ])(
    'throws an AmbiguousWriteError with the candidate if the service does not show the sent content: %s',
    async (_, show) => {
      const { result, id } = await lostUpload(show)
      expect(result).toBeInstanceOf(AmbiguousWriteError)
      expect(result).toMatchObject({ candidates: id })
    },
  )
})
