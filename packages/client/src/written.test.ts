import { describe, expect, it } from 'vitest'
import { failureOf, json, networkError, project, scripted, upload } from './scripted-fixture.js'

const written = { json: ` ${JSON.stringify(upload)}` }

describe('an upload that is written already', () => {
  it('is sent to the letter, also by a client that stamps', async () => {
    const { svc, requests } = scripted([json(project, 201)], { stamp: true })
    await svc.transcripts.upload('hp-1', written)
    expect(requests[0]?.body).toBe(written.json)
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
  })

  it('is checked as every other', async () => {
    const { svc, requests } = scripted([])
    const error = await failureOf(svc.transcripts.upload('hp-1', { json: '{"name":"","turns":[]}' }))
    expect(error).toMatchObject({ reason: 'invalid_input', violations: [{ pointer: '/name' }, { pointer: '/turns' }] })
    const broken = await failureOf(svc.transcripts.upload('hp-1', { json: '{"name":' }))
    expect(broken.violations).toEqual([{ pointer: '', message: 'expected an object, got a string' }])
    expect(requests).toEqual([])
  })

  it('is told by what it says when its fate is unknown', async () => {
    const { svc } = scripted([networkError('ECONNRESET')])
    const error = await failureOf(svc.transcripts.upload('hp-1', written, { validate: false }))
    expect(error).toMatchObject({
      name: 'AmbiguousWriteError',
      fingerprint: { name: 'A talk', turn_count: 1, external_id: 'e1', source_timestamp: null },
    })
  })
})
