import { describe, expect, it } from 'vitest'
import { failureOf, json, scripted } from '../../../packages/client/test/fixtures/scripted.js'

describe('svc.request with throwOnError: false', () => {
  const refusal = { error: { message: 'There is no such project.', type: 'not_found_error', code: 404 } }

  it.each(['GET', 'POST'])(
    'resolves a %s with the body of an error answer, whose status the response shows',
    async (method) => {
      const { svc } = scripted([json(refusal, 404)])
      const answer = svc.request('workspace', method, '/projects/x', {}, { throwOnError: false })
      const { data, response } = await answer.withResponse()
      expect([data, response.status, await response.json()]).toEqual([refusal, 404, refusal])
    },
  )

  it('retries a GET, and resolves with the last answer', async () => {
    const { svc, clock, requests } = scripted([json({}, 503), json({}, 503), json({ last: true }, 503)])
    const answer = svc.request('workspace', 'GET', '/projects', {}, { throwOnError: false })
    expect(await clock.until(answer)).toEqual({ last: true })
    expect(requests).toHaveLength(3)
  })

  it('rejects without an answer, and for a redirect', async () => {
    const { svc } = scripted([new Response(null, { status: 302 })])
    expect(await failureOf(svc.request('workspace', 'GET', '/x', {}, { throwOnError: false }))).toMatchObject({
      name: 'ServiceError',
      status: 302,
    })
  })

  it('sends the parameters of a URLSearchParams as they are, and a body that is JSON already unchanged', async () => {
    const { svc, requests } = scripted([json({}), json({})])
    await svc.request('workspace', 'GET', '/projects', { query: new URLSearchParams('a=1&a=2&q=x y') })
    await svc.request('workspace', 'POST', '/projects', { json: '{"n":1.0}' })
    expect(requests[0]?.url).toMatch(/\/projects\?a=1&a=2&q=x\+y$/)
    expect(requests[1]?.body).toBe('{"n":1.0}')
  })

  it('gives an answer without a body a response without one', async () => {
    const { svc } = scripted([new Response(null, { status: 204 })])
    const { response } = await svc.request('workspace', 'DELETE', '/projects/x').withResponse()
    expect([response.status, response.body]).toEqual([204, null])
  })
})
