import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { handClock } from '../../helpers/hand-clock.js'
import { createShell } from '../../helpers/run-cli.js'
import type { RequestHandler } from '../../helpers/session.js'

const transcripts = ['one', 'two', 'three', 'four'].map((content) => ({
  name: content,
  turns: [{ role: 'user', content }],
}))

/** An upload whose process dies while its four requests are on their way; `arrive` lets the service store them. */
async function killedUpload() {
  const shell = createShell()
  const { svc, fetch, clock, cwd, server, project } = shell
  const underWay: Request[] = []
  const holding: RequestHandler = (request) =>
    request.method === 'POST' ? new Promise(() => underWay.push(request.clone())) : fetch(request)
  // The time of a dead process stands still.
  const io = { fetch: holding, clock: handClock(clock.now()) }
  void svc(['upload', 'four.json'], { files: { 'four.json': transcripts }, io })
  while (underWay.length < transcripts.length) await new Promise((resolve) => setImmediate(resolve))
  const ledgers = join(cwd, '.state', 'uploads')
  // A killed process leaves its lock too, but its number no longer belongs to a running one.
  for (const name of readdirSync(ledgers)) if (!name.endsWith('.jsonl')) rmSync(join(ledgers, name))
  const arrive = () => Promise.all(underWay.splice(0).map((request) => fetch(request)))
  const stored = () => server.world.transcripts(project).length
  return { ...shell, arrive, stored }
}

describe('an upload that is resumed after its process was killed', () => {
  it.each([
    ['jumped an hour forward', 3_600_000],
    ['was set back by an hour', -3_600_000],
  ])('does not send again what is still under way although the clock %s', async (_, jumpMs) => {
    const { svc, clock, fetch, arrive, stored } = await killedUpload()
    clock.jumpWall(jumpMs)
    let hasAsked = false
    const watched: RequestHandler = async (request) => {
      const response = await fetch(request)
      if (!hasAsked) clock.after(30_000, () => void arrive())
      hasAsked = true
      return response
    }
    const io = { fetch: watched }
    const { code, lines } = await clock.until(svc(['upload', 'four.json', '--json'], { io }))
    await arrive()
    expect([code, stored()]).toEqual([0, 4])
    expect(lines().at(-1)).toMatchObject({ uploaded: 0, already_uploaded: 4, unknown: 0 })
  })

  it('waits no longer because the clock is set back while it waits', async () => {
    const { svc, clock, stored } = await killedUpload()
    const startedAt = clock.monotonic()
    clock.after(1_000, () => clock.jumpWall(-3_600_000))
    const { code } = await clock.until(svc(['upload', 'four.json']))
    expect([code, stored(), Math.floor((clock.monotonic() - startedAt) / 1_000)]).toEqual([0, 4, 75])
  })

  it('sends a missing upload again once its request time-out has passed since the first search', async () => {
    const { svc, clock, stored } = await killedUpload()
    const startedAt = clock.now()
    const { code, err } = await clock.until(svc(['upload', 'four.json']))
    // A note to the ledger may wait some milliseconds for others.
    expect([code, stored(), Math.floor((clock.now() - startedAt) / 1_000)]).toEqual([0, 4, 75])
    expect(err).toContain('4 uploads of an earlier run may still arrive; searching again in 75 s')
  })
})
