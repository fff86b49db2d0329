import { describe, expect, it } from 'vitest'
import {
  failureOf,
  json,
  networkError,
  project,
  scripted,
  upload,
} from '../../../packages/client/test/fixtures/scripted.js'

const written = ` ${JSON.stringify(upload)}`

const loose = { validate: false }

describe('an upload that is already JSON', () => {
  it('an upload that is already JSON is sent unchanged, without a stamp', async () => {
    const { svc, requests } = scripted([json(project, 201)])
    await svc.transcripts.uploadJson('hp-1', written)
    expect(requests[0]?.body).toBe(written)
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
  })

  it('an upload that is already JSON goes to its own project after an upload to another one', async () => {
    const { svc, requests } = scripted(Array.from({ length: 4 }, () => json(project, 201)))
    for (const to of ['hp-1', 'hp-1', 'hp/2', 'hp-1']) await svc.transcripts.uploadJson(to, JSON.stringify(to), loose)
    const root = 'https://svc.test/public/api/v1/projects'
    expect(requests.map(({ method, url, body }) => [method, url.replace(root, ''), body])).toEqual([
      ['POST', '/hp-1/transcripts', '"hp-1"'],
      ['POST', '/hp-1/transcripts', '"hp-1"'],
      ['POST', '/hp%2F2/transcripts', '"hp/2"'],
      ['POST', '/hp-1/transcripts', '"hp-1"'],
    ])
  })

  it('carries the headers and key of its own call, not of the previous one', async () => {
    const keys = ['sk-one', 'sk-two', 'sk-three']
    const apiKey = () => keys.shift() ?? ''
    const { svc, requests } = scripted(
      Array.from({ length: 3 }, () => json(project, 201)),
      { apiKey },
    )
    await svc.transcripts.uploadJson('hp-1', written, { headers: { 'x-trace': 'first' } })
    await svc.transcripts.uploadJson('hp-1', written, { headers: { 'x-other': 'second' } })
    await svc.transcripts.uploadJson('hp-1', written)
    const reported = requests.map(({ headers }) =>
      ['content-type', 'authorization', 'x-trace', 'x-other'].map((name) => headers.get(name)),
    )
    expect(reported).toEqual([
      ['application/json', 'Bearer sk-one', 'first', null],
      ['application/json', 'Bearer sk-two', null, 'second'],
      ['application/json', 'Bearer sk-three', null, null],
    ])
  })

  it('an upload that is already JSON is checked like any other upload', async () => {
    const { svc, requests } = scripted([])
    for (const empty of ['{"name":"","turns":[]}', '{"turns":[],"name":""}']) {
      const error = await failureOf(svc.transcripts.uploadJson('hp-1', empty))
      expect(error).toMatchObject({
        reason: 'invalid_input',
        violations: [{ pointer: '/name' }, { pointer: '/turns' }],
      })
    }
    const broken = await failureOf(svc.transcripts.uploadJson('hp-1', '{"name":'))
    expect(broken.violations).toEqual([{ pointer: '', message: 'expected JSON', code: 'not_json' }])
    expect(requests).toEqual([])
  })

  it.each(['null', '"text"', '[]', '7'])(
    'an unchecked upload of %s is ambiguous like any other if its answer is lost',
    async (text) => {
      const { svc } = scripted([networkError('ECONNRESET')])
      expect(await failureOf(svc.transcripts.uploadJson('hp-1', text, loose))).toMatchObject({
        name: 'AmbiguousWriteError',
        fingerprint: { turn_count: null },
      })
    },
  )

  it('an upload that is already JSON has the fingerprint of its content if its outcome is unknown', async () => {
    const { svc } = scripted([networkError('ECONNRESET')])
    const error = await failureOf(svc.transcripts.uploadJson('hp-1', written, { validate: false }))
    expect(error).toMatchObject({
      name: 'AmbiguousWriteError',
      fingerprint: { name: 'A conversation', turn_count: 1, external_id: 'e1', source_timestamp: null },
    })
  })
})
