import { describe, expect, it } from 'vitest'
import { failureOf, json, project, scripted } from '../../test/fixtures/scripted.js'
import { createClient } from '../create-client.js'
import { openapi } from './index.js'

describe('openapi()', () => {
  it('refuses other hosts, and ids that would change the path', async () => {
    const { svc, requests } = scripted([])
    const { workspace } = openapi(svc)
    expect(await failureOf(workspace.GET('/projects', { baseUrl: 'https://evil.test' }))).toMatchObject({
      reason: 'invalid_base_url',
    })
    for (const projectId of ['..', '']) {
      const climbing = workspace.GET('/projects/{projectId}', { params: { path: { projectId } } })
      expect(await failureOf(climbing)).toMatchObject({ reason: 'invalid_id' })
    }
    const none = createClient({ apiKey: 'k', environment: {} })
    expect(await failureOf(openapi(none).annotation.GET('/health'))).toMatchObject({ reason: 'missing_base_url' })
    expect(requests).toHaveLength(0)
  })

  it('does not share its middleware with the methods', async () => {
    const { svc } = scripted([json(project)])
    openapi(svc).workspace.use({ onResponse: () => new Response('{}') })
    expect((await svc.projects.get('hp-1')).name).toBe('P')
  })

  it('sends the key and refuses redirects, and returns errors as they are', async () => {
    const redirect = new Response(null, { status: 302 })
    const { svc, requests } = scripted([json(project), json({ error: { type: 'not_found_error' } }, 404), redirect])
    const { data } = await openapi(svc).workspace.GET('/projects/{projectId}', {
      params: { path: { projectId: 'hp-1' } },
    })
    expect(data?.data.name).toBe('P')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer sk-service-api03-secret')
    expect((await openapi(svc).workspace.GET('/projects')).error).toMatchObject({ error: { type: 'not_found_error' } })
    expect(await failureOf(openapi(svc).workspace.GET('/projects'))).toMatchObject({ kind: 'unexpected', status: 302 })
  })
})
