import { AmbiguousWriteError, type Fetch } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { createSession } from '../session.js'
import { type Fate, inDoubt, talk } from './in-doubt.js'

describe('a look for a write in doubt', () => {
  it('has the headers of the call', async () => {
    const seed = { workspaces: ['w1', 'w2'], keys: [{ key: 'another', workspace: 'w2' }] }
    const { client, server, clock } = createSession({ seed })
    let posts = 0
    const fetch: Fetch = async (request) => {
      const response = await server.fetch(request)
      return request.method === 'POST' && posts++ === 0 ? new Response('{}', { status: 503 }) : response
    }
    const headers = { authorization: 'Bearer another' }
    const project = await clock.until(client({ fetch }).projects.create({ name: 'P' }, { headers }))
    const { data } = await client({ apiKey: 'another' }).projects.list()
    expect([posts, data.map(({ id }) => id)]).toEqual([1, [project.id]])
  })

  it('leaves unsettled what fits and says something else: the service may have changed the words', async () => {
    const { upload, id, server, posts } = inDoubt([{ commits: 'never', answer: 'reset' }], { stamp: false })
    const error = upload()
    const world = server.world
    const trimmed = { ...talk, turns: [{ role: 'user', content: 'HI' }] }
    const { record } = world.createTranscript(world.project(id) ?? expect.unreachable(), trimmed as never)
    expect(await error).toMatchObject({ name: 'AmbiguousWriteError', candidates: [record.id] })
    expect(posts()).toBe(1)
  })
})

describe('two equal writes of one client without a stamp', () => {
  it('are never given one record, when the answer of one is lost and the other never arrived', async () => {
    const fates: Fate[] = [
      { commits: 'before', answer: 'reset' },
      { commits: 'never', answer: 'reset' },
    ]
    const { svc, id, stored, clock } = inDoubt(fates, { stamp: false })
    const upload = () => svc.transcripts.upload(id, talk).catch((error: unknown) => error)
    const outcomes = await clock.until(Promise.all([upload(), upload()]))
    for (const outcome of outcomes) expect(outcome).toBeInstanceOf(AmbiguousWriteError)
    expect(stored()).toHaveLength(1)
  })

  it('are each given their own, when one is answered while the other is looked for', async () => {
    const { svc, id, stored, clock } = inDoubt([{ commits: 'never', answer: 'reset' }], { stamp: false })
    const upload = () => svc.transcripts.upload(id, talk)
    const outcomes = await clock.until(Promise.all([upload(), upload()]))
    expect(outcomes.map((each) => each.id).sort()).toEqual(stored().sort())
    expect(new Set(stored()).size).toBe(2)
  })
})
