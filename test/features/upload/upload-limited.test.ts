import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const conversations = Array.from({ length: 6 }, (_, n) => ({
  name: `${n}`,
  turns: [{ role: 'user', content: `conversation ${n}` }],
}))
const files = { 'conversations.json': conversations }
/** A service that answers three requests in a window: the list of the project, and two uploads. */
const limited = () => createShell(createSession({ limits: { requests: 3, windowMs: 30_000 } }))

describe('an upload that is asked to wait', () => {
  it('reports it once, waits for as many windows as needed, and sends each transcript once', async () => {
    const { svc, clock, server, project } = limited()
    const startedAt = clock.now()
    const { code, err } = await clock.until(svc(['upload', 'conversations.json', '-j', '4'], { files }))
    expect([code, server.world.transcripts(project).length]).toEqual([0, 6])
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(60_000)
    const waits = err.match(/svc: rate limit reached; trying again in \d+ s/g) ?? []
    expect(waits.length).toBeGreaterThanOrEqual(2)
    expect(waits.length).toBeLessThanOrEqual(4)
  })

  it('stops at once if the wait is longer than --max-wait, prints when to retry, and continues from there', async () => {
    const { svc, clock, server, project } = limited()
    const startedAt = clock.now()
    const first = await svc(['upload', 'conversations.json', '-j', '1', '--max-wait', '10s', '--json'], { files })
    expect([first.code, clock.now() - startedAt]).toEqual([75, 0])
    expect(first.lines().at(-1)).toMatchObject({ uploaded: 2, failed: 0, not_sent: 4 })
    expect(first.err).toMatch(/hint: try again after \d{4}-\d\d-\d\dT\d\d:\d\d:30/)
    expect(first.err).toContain('to continue: svc upload conversations.json -j 1 --max-wait 10s --json;')
    await clock.advance(30_000)
    const next = await svc(['upload', 'conversations.json', '-j', '1', '--max-wait', '10s', '--json'])
    expect(next.lines().at(-1)).toMatchObject({ uploaded: 3, already_uploaded: 2 })
    expect(server.world.transcripts(project)).toHaveLength(5)
  })

  it('stops where the run would take longer than --deadline', async () => {
    const { svc, clock, server, project } = limited()
    const startedAt = clock.now()
    const run = svc(['upload', 'conversations.json', '-j', '1', '--deadline', '20s', '--json'], { files })
    const { code, lines } = await clock.until(run)
    expect(code).toBe(75)
    expect(clock.now() - startedAt).toBeLessThanOrEqual(20_000)
    expect(lines().at(-1)).toMatchObject({ uploaded: 2, unknown: 0 })
    expect(server.world.transcripts(project)).toHaveLength(2)
  })

  it.each([
    [1_500, { uploaded: 2, unknown: 0, not_sent: 4 }, 75],
    [60_000, { uploaded: 0, unknown: 1, not_sent: 5 }, 75],
  ])('gives an upload that is under way at --deadline five seconds, of answers in %i ms', async (ms, summary, exit) => {
    const { svc, clock, fetch } = createShell()
    const slow = async (request: Request) => {
      const response = await fetch(request)
      if (request.method === 'POST') await new Promise<void>((resolve) => clock.after(ms, resolve))
      return response
    }
    const startedAt = clock.now()
    const argv = ['upload', 'conversations.json', '-j', '1', '--deadline', '2500ms', '--json']
    const { code, lines } = await clock.until(svc(argv, { files, io: { fetch: slow } }))
    expect([code, lines().at(-1)]).toMatchObject([exit, summary])
    expect(clock.now() - startedAt).toBeLessThanOrEqual(7_500)
  })
})
