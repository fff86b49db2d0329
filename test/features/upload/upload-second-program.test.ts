import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import type { RequestHandler } from '../../helpers/session.js'

const files = { 'one.json': { name: 'one', turns: [{ role: 'user', content: 'one' }] } }
const upload = (ledger: string) => ['upload', 'one.json', '--json', '--ledger', ledger]

describe('an upload whose answer was lost, beside a program that uploads equal content', () => {
  it('an upload whose answer was lost is not mistaken for the equal record of another program, and is sent again', async () => {
    const { svc, clock, server, project } = createShell()
    const losing: RequestHandler = async (request) => {
      if (request.method !== 'POST') return Response.json({}, { status: 503 })
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
    }
    const lost = await clock.until(svc(upload('first'), { files, io: { fetch: losing } }))
    expect(lost.code).toBe(10)
    const other = await svc(upload('second'))
    const resumed = await clock.until(svc(upload('first')))
    expect([other.code, resumed.code]).toEqual([0, 0])
    expect(resumed.json().id).not.toBe(other.json().id)
    const stored = server.world.transcripts(project).map(({ record }) => record)
    expect(stored.map(({ id }) => id).sort()).toEqual([other.json().id, resumed.json().id].sort())
    const stamps = stored.map(({ metadata }) => metadata.svc as { key: string; occurrence: number; write: string })
    expect(new Set(stamps.map(({ key }) => key)).size).toBe(1)
    expect(new Set(stamps.map(({ write }) => write)).size).toBe(2)
  })
})
