import { createHash } from 'node:crypto'
import { type CallOptions, InputError, stampOf, type TranscriptUpload } from '@svc/client'
import { onceStamp } from '@svc/client/node'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../helpers/session.js'
import { createUploadSession } from './upload-session.js'

const upload: TranscriptUpload = {
  name: 'Call 7',
  turns: [{ role: 'user', content: 'Where is order 7?' }],
  sourceTimestamp: '2025-12-31T10:00:00.250Z',
}

/** The SHA-256 of a text, as far as a stamp shows it. */
const digits = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

describe('an upload with once', () => {
  it('is stored once, whichever client sends it again, and gives the stored record', async () => {
    const { client, id, stored } = createUploadSession([])
    const first = await client().transcripts.upload(id, upload, { once: 'job-7' })
    const again = await client()
      .transcripts.upload(id, { ...upload, name: 'renamed', modelName: 'other' }, { once: 'job-7' })
      .withResponse()
    expect([again.data.id, again.response.status, again.attempts]).toEqual([first.id, 201, []])
    expect(stored()).toEqual([first.id])
  })

  it('is found by the client that stored it, and beside uploads of the same second', async () => {
    const { svc, id, stored } = createUploadSession([])
    // The service has at most 100 on a page, and the record may be on any of them.
    const others = async () => {
      for (let n = 0; n < 220; n++) await svc.transcripts.upload(id, upload)
    }
    await others()
    const first = await svc.transcripts.upload(id, upload, { once: 'a' })
    const other = await svc.transcripts.upload(id, upload, { once: 'b' })
    await others()
    expect(await svc.transcripts.upload(id, upload, { once: 'a' })).toMatchObject({ id: first.id })
    expect(first.id).not.toBe(other.id)
    expect(stored()).toHaveLength(442)
  })

  it('has a stamp of project and id, whatever the order of the fields of its payload', async () => {
    const { svc, server, id } = createUploadSession([])
    const { id: stored } = await svc.transcripts.upload(id, upload, { once: 'job-7' })
    const stamp = stampOf(server.world.transcript(stored)?.record ?? {})
    expect(stamp?.write).toBe(digits(`${id}\njob-7`))
    const turns = [{ content: 'Where is order 7?', role: 'user' as const }]
    expect(await onceStamp(id, 'job-7', { turns })).toEqual(stamp)
    expect((await onceStamp(id, 'job-7', { turns: [] })).key).not.toBe(stamp?.key)
  })

  it.each<[string, Partial<TranscriptUpload>]>([
    ['other turns', { turns: [{ role: 'user', content: 'Something else' }] }],
    ['another external id', { externalId: 'x' }],
  ])('is refused with the stored id if its id was used for %s', async (_, change) => {
    const { svc, id, stored } = createUploadSession([])
    const first = await svc.transcripts.upload(id, upload, { once: 'job-7' })
    const error: unknown = await svc.transcripts.upload(id, { ...upload, ...change }, { once: 'job-7' }).catch((e) => e)
    expect(error).toBeInstanceOf(InputError)
    const message = `${first.id} has this id with other content.`
    expect(error).toMatchObject({ reason: 'id_reused', storedId: first.id, message: `transcripts.upload: ${message}` })
    expect(stored()).toEqual([first.id])
  })

  it('finds the record of a lost answer, and is not stored again by the next delivery', async () => {
    const { svc, client, id, clock, stored } = createUploadSession([{ stores: 'before', answer: 'reset' }])
    const first = await clock.until(svc.transcripts.upload(id, upload, { once: 'job-7' }))
    expect(await client().transcripts.upload(id, upload, { once: 'job-7' })).toMatchObject({ id: first.id })
    expect(stored()).toEqual([first.id])
  })

  const unusable: [string, Partial<TranscriptUpload>, CallOptions & { once?: unknown }, string][] = [
    ['stamp: false', {}, { stamp: false }, 'stamp'],
    ['no sourceTimestamp', { sourceTimestamp: undefined }, {}, 'sourceTimestamp'],
    ['an svc of its own', { metadata: { svc: 'mine' } }, {}, 'metadata.svc'],
    ['an empty id', {}, { once: '' }, 'a text as id'],
    ['an id that is no text', {}, { once: 7 }, 'a text as id'],
  ]
  it.each(unusable)('is an InputError before any request with %s', async (_, change, options, why) => {
    const { svc, server, id } = createUploadSession([])
    const given = { once: 'job-7', ...options } as CallOptions
    const sent = svc.transcripts.upload(id, { ...upload, ...change } as TranscriptUpload, given)
    await expect(sent).rejects.toMatchObject({ name: 'InputError', message: expect.stringContaining(why) })
    expect(server.requests).toEqual([])
  })

  it('is unknown to the other methods', async () => {
    const { svc, id } = createUploadSession([])
    const once = { once: 'a' } as CallOptions
    await expect(svc.transcripts.uploadJson(id, '{}', once)).rejects.toThrow('unknown option "once"')
    await expect(svc.transcripts.get('tr_1', once)).rejects.toThrow('unknown option "once"')
  })

  it('is not sent if the key may not read', async () => {
    const { svc, server, id } = createUploadSession([], { permissions: ['projects-write'] })
    await expect(svc.transcripts.upload(id, upload, { once: 'a' })).rejects.toMatchObject({ kind: 'permission' })
    expect(server.world.transcripts(id)).toEqual([])
  })
})

describe('an upload with once, at a service that shows or filters less', () => {
  const twice = async (ambiguities: object) => {
    const session = createSession({ ambiguities })
    const { id } = session.server.world.createProject({ name: 'P' }).record
    const results: unknown[] = []
    for (let n = 0; n < 2; n++) {
      results.push(
        await session
          .client()
          .transcripts.upload(id, upload, { once: 'job-7' })
          .catch((error) => error),
      )
      await session.clock.advance(60_000)
    }
    return { results, stored: session.server.world.transcripts(id).map(({ record }) => record.id) }
  }

  it.each([
    ['ignores filters', { filters: 'ignored' }],
    ['refuses filters', { filters: 'refused' }],
    ['filters by day', { filters: 'days only' }],
    ['lists no metadata', { rowFields: 'no metadata' }],
    ['lists only ids', { rowFields: 'id' }],
    ['pages backwards', { order: 'ascending', pageCap: 10 }],
  ] as const)('finds the stored record at a service that %s', async (_, ambiguities) => {
    const { results, stored } = await twice(ambiguities)
    expect(stored).toHaveLength(1)
    expect(results.map((each) => (each as { id: string }).id)).toEqual([stored[0], stored[0]])
  })

  it.each(['stripped', 'flat'] as const)(
    'rejects with the ids of what may be it, if metadata is %s',
    async (metadata) => {
      const { results, stored } = await twice({ metadata })
      expect(stored).toHaveLength(1)
      expect(results[1]).toMatchObject({ name: 'AmbiguousWriteError', candidates: stored })
    },
  )
})
