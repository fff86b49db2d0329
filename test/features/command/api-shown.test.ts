import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const answering = (answer: () => Response) => createShell({ ...createSession(), fetch: async () => answer() })

describe('svc api --fields', () => {
  it('cuts each item of an array down, of all pages and of one answer', async () => {
    const { svc, server, project } = createShell()
    const { id } = server.world.createProject({ name: 'Other' }).record
    const { code, out } = await svc(['api', 'GET', '/projects?limit=1', '--paginate', '--fields', 'id'])
    expect([code, JSON.parse(out)]).toEqual([0, expect.arrayContaining([{ id: project }, { id }])])
    const bare = answering(() => Response.json([{ id: 1, name: 'a' }, { id: 2 }]))
    expect((await bare.svc(['api', 'GET', '/x', '--fields', 'name'])).out).toBe('[{"name":"a"},{"name":null}]\n')
    const empty = answering(() => Response.json([]))
    expect(await empty.svc(['api', 'GET', '/x', '--fields', 'name'])).toMatchObject({ code: 0, out: '[]\n' })
  })

  it('refuses a field that no item has, and shows a refusal whole', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['api', 'GET', '/projects', '--paginate', '--fields', 'ids'])
    expect([code, err]).toEqual([2, expect.stringContaining('Unknown field "ids". Did you mean "id"?')])
    for (const flags of [[], ['--paginate']]) {
      const refused = await svc(['api', 'GET', '/projects/hp-none/transcripts', '--fields', 'id', ...flags])
      expect([refused.code, refused.json()]).toEqual([5, { error: expect.anything() }])
    }
  })
})

describe('the key in the output of svc api', () => {
  it('the key in the output of svc api is hidden in headers, pages, texts and names, and all stays JSON', async () => {
    const key = '1234567890123456'
    const env = { SVC_API_KEY: key }
    const { svc } = answering(() =>
      Response.json(
        { data: [{ n: Number(key), [`of ${key}`]: `it is ${key}` }], pagination: { page: 1, limit: 100, total: 1 } },
        { headers: { 'x-key': key } },
      ),
    )
    const item = { n: Number(key), 'of …': 'it is …' }
    expect((await svc(['api', 'GET', '/x'], { env })).json()).toMatchObject({ data: [item] })
    expect(JSON.parse((await svc(['api', 'GET', '/x', '--paginate'], { env })).out)).toEqual([item])
    expect((await svc(['api', 'GET', '/x', '--include'], { env })).out).toContain('x-key: …\n')
  })

  it('the key in the output of svc api is a word like any other where it is short', async () => {
    const { svc } = answering(() => Response.json({ data: `a text, not ${referenceKey}` }))
    const env = { SVC_API_KEY: 'text', SVC_WORKSPACE_API_KEY: referenceKey }
    expect((await svc(['api', 'GET', '/x'], { env })).json()).toEqual({ data: 'a text, not …' })
  })
})
