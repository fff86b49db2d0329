import type { SvcClient } from '@svc/client'
import type { Permission, Seed } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { refusal } from '../refusal.js'
import { createSession } from '../session.js'

const projectId = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
const foreignId = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c11'
const upload = { name: 'A talk', turns: [{ role: 'user' as const, content: 'hi' }] }

const calls: Record<string, (svc: SvcClient) => PromiseLike<unknown>> = {
  'annotations.create': (svc) => svc.annotations.create({ transcript: [], annotator: 'structural' }),
  'batches.get': (svc) => svc.batches.get('b'),
  'projects.create': (svc) => svc.projects.create({ name: 'P' }),
  'projects.list': (svc) => svc.projects.list(),
  'projects.get': (svc) => svc.projects.get(projectId),
  'transcripts.upload': (svc) => svc.transcripts.upload(projectId, upload),
  'transcripts.list': (svc) => svc.transcripts.list(projectId),
  'transcripts.get': (svc) => svc.transcripts.get('tr_none'),
  'legacy.createSession': (svc) => svc.legacy.createSession({ name: 'P' }),
  'legacy.createTranscript': (svc) => svc.legacy.createTranscript({ ...upload, projectId }),
}
const onSurfaceA = (name: string) => name.startsWith('annotations') || name.startsWith('batches')

/** A workspace with a project, another workspace with one, and a key of each kind. */
const seed = (keys: Record<string, Permission[] | undefined>): Seed => ({
  workspaces: ['ours', 'theirs'],
  keys: Object.entries(keys).map(([key, permissions]) => ({
    key,
    workspace: 'ours',
    ...(permissions && { permissions }),
  })),
  projects: [
    { id: projectId, workspace: 'ours', name: 'Ours' },
    { id: foreignId, workspace: 'theirs', name: 'Theirs' },
  ],
})

describe.each(Object.entries(calls))('%s', (name, call) => {
  it('is refused with 401 for an unknown, a JWT-style and an empty key', async () => {
    const { client } = createSession({ seed: seed({ good: undefined }) })
    for (const key of ['unknown', 'eyJhbGciOiJIUzI1NiJ9', '']) {
      const error = await refusal(call(client(key ? { apiKey: key } : { headers: { authorization: 'Bearer ' } })))
      expect(error).toMatchObject({ status: 401, kind: 'authentication' })
      if (!onSurfaceA(name)) {
        expect(error.body).toEqual({ error: { message: expect.any(String), type: 'authentication_error', code: 401 } })
      }
    }
  })

  it('is refused for a revoked key, with 403 on surface A and 401 on surface B, and served when it is active again', async () => {
    const { server, client } = createSession({ seed: seed({ ours: undefined }) })
    const ours = client({ apiKey: 'ours' })
    server.world.revoke('ours')
    expect((await refusal(call(ours))).status).toBe(onSurfaceA(name) ? 403 : 401)
    server.world.restore('ours')
    const status = await Promise.resolve(call(ours)).then(
      () => 200,
      (error) => error.status,
    )
    expect([200, 404, 501]).toContain(status)
    server.world.delete('ours')
    expect((await refusal(call(ours))).status).toBe(401)
  })
})

describe('a permission', () => {
  const permitted: Record<string, Permission[]> = {
    'projects.create': ['projects-write', 'halfpipe-transcripts-write'],
    'projects.list': ['projects-read'],
    'projects.get': ['projects-read'],
    'transcripts.upload': ['projects-write', 'halfpipe-transcripts-write'],
    'transcripts.list': ['projects-read'],
    'transcripts.get': ['projects-read'],
    'legacy.createSession': ['projects-write', 'halfpipe-transcripts-write'],
    'legacy.createTranscript': ['projects-write', 'halfpipe-transcripts-write'],
  }
  const all: Permission[] = ['projects-read', 'projects-write', 'halfpipe-transcripts-write']

  it.each(Object.entries(permitted))('of %s is one of %j, and no other', async (name, allowed) => {
    for (const permission of all) {
      const { client } = createSession({ seed: seed({ limited: [permission] }) })
      const status = await Promise.resolve(calls[name]?.(client({ apiKey: 'limited' }))).then(
        () => 200,
        (error) => error.status,
      )
      if (allowed.includes(permission)) expect(status).not.toBe(403)
      else expect(status).toBe(403)
    }
  })
})

describe('another workspace', () => {
  it('is as if unknown on reads, and forbidden on uploads', async () => {
    const { client } = createSession({ seed: seed({ ours: undefined }) })
    const svc = client({ apiKey: 'ours' })
    const foreign = await refusal(svc.projects.get(foreignId))
    const unknown = await refusal(svc.projects.get('hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c12'))
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body])
    expect(await refusal(svc.transcripts.list(foreignId))).toMatchObject({ status: 404 })
    expect(await refusal(svc.transcripts.upload(foreignId, upload))).toMatchObject({
      status: 403,
      type: 'authorization_error',
    })
  })

  it('does not show its projects or transcripts', async () => {
    const { server, client } = createSession({ seed: seed({ ours: undefined }) })
    server.world.createKey({ key: 'theirs', workspace: 'theirs' })
    const theirs = client({ apiKey: 'theirs' })
    const { id } = await theirs.transcripts.upload(foreignId, upload)
    const ours = client({ apiKey: 'ours' })
    expect((await ours.projects.list()).data.map((project) => project.id)).toEqual([projectId])
    expect(await refusal(ours.transcripts.get(id))).toMatchObject({ status: 404, type: 'not_found_error' })
    expect((await theirs.transcripts.get(id)).name).toBe('A talk')
  })

  it('forbids the listing of its transcripts in the other reading', async () => {
    const { client } = createSession({ seed: seed({ ours: undefined }), readings: { foreignList403: true } })
    expect(await refusal(client({ apiKey: 'ours' }).transcripts.list(foreignId))).toMatchObject({ status: 403 })
  })
})

describe('a key with an earlier prefix', () => {
  it('is accepted', async () => {
    const { client } = createSession({ seed: seed({ 'sk-legacy-api03-old': undefined }) })
    expect((await client({ apiKey: 'sk-legacy-api03-old' }).projects.list()).data).toHaveLength(1)
  })
})
