import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLong, seed } from '../../helpers/long.js'
import { createShell } from '../../helpers/run-cli.js'
import { looksWhole, run, services } from './drawn-service.js'

const numRuns = isLong ? 500 : 24
const draws = { numRuns, seed }

const chats = [0, 1, 2].map((n) => ({
  name: `Mine ${n}`,
  turns: [{ role: 'user', content: `mine ${n}` }],
  externalId: `e-${n}`,
}))
const files = { 'chats.json': chats }

describe(`svc with any service that the interface allows: ${numRuns} services from seed ${seed}`, () => {
  it('svc upload stores each transcript once, with faults, with a rebuilt ledger, and exits 0 only if all are stored', async () => {
    const ends = { whole: 0, unknown: 0 }
    await fc.assert(
      fc.asyncProperty(services, async (drawn) => {
        const { svc, clock, server, project, cwd } = createShell(run(drawn))
        const copies = () =>
          chats.map(
            ({ externalId }) =>
              server.world.transcripts(project).filter(({ record }) => record.external_id === externalId).length,
          )
        const upload = async () => {
          const { code } = await clock.until(svc(['upload', 'chats.json', '-j', '2', '--quiet'], { files }))
          expect(Math.max(...copies()), `copies after an upload that ended with ${code}`).toBeLessThanOrEqual(1)
          if (code === 0) expect(copies()).toEqual([1, 1, 1])
          return code
        }
        let code = await upload()
        for (let again = 0; again < 3 && code !== 0; again++) {
          await clock.advance(201_000)
          if (code === 10) await clock.until(svc(['uploads', 'reconcile', '--quiet']))
          code = await upload()
        }
        ends[code === 0 ? 'whole' : 'unknown']++

        rmSync(join(cwd, '.state'), { recursive: true, force: true })
        await clock.advance(201_000)
        const rebuilt = await clock.until(svc(['uploads', 'rebuild', '--quiet']))
        // 10: some may be any upload. 75: the list may lack transcripts.
        if (rebuilt.code === 0 || rebuilt.code === 10) await upload()
        else expect(rebuilt.code).toBe(75)
      }),
      draws,
    )
    expect(ends.whole).toBeGreaterThan(numRuns / 3)
  })

  it('svc transcripts list --all prints every transcript, or exits 6 or 75 and says that some may be missing', async () => {
    await fc.assert(
      fc.asyncProperty(services, async (drawn) => {
        fc.pre(!looksWhole(drawn))
        const service = run(drawn)
        const { svc, clock } = createShell(service)
        await clock.advance(201_000)
        const env = { SVC_PROJECT: service.project }
        const { code, lines, err } = await clock.until(
          svc(['transcripts', 'list', '--all', '--fields', 'id', '--json'], { env }),
        )
        const [{ data = [] } = {}] = lines() as { data?: unknown[] }[]
        if (code === 0) expect(data).toHaveLength(drawn.others)
        else expect([[6, 75].includes(code), err]).toEqual([true, expect.stringContaining('The list is incomplete: ')])
      }),
      draws,
    )
  })

  it('svc check exits 0 only if the service has judged each transcript', async () => {
    const answers = fc.array(
      fc.constantFrom(
        'none',
        '403 of a firewall',
        '429',
        '429 by date',
        '404',
        '422',
        '502',
        '503',
        'reset',
        'no usage',
      ),
      { maxLength: 5 },
    )
    const ends = { passed: 0, other: 0 }
    await fc.assert(
      fc.asyncProperty(services, answers, async (drawn, faults) => {
        const service = run(drawn)
        let judged = 0
        let asked = 0
        const fetch = async (request: Request): Promise<Response> => {
          if (!request.url.endsWith('/v1/annotations')) return service.fetch(request)
          const fault = faults[asked++] ?? 'none'
          const headers = { 'retry-after': fault === '429' ? '1' : new Date(service.clock.now() + 2_000).toUTCString() }
          if (fault === 'reset') throw new TypeError('fetch failed')
          if (fault.startsWith('403')) return new Response('<h1>Request blocked</h1>', { status: 403 })
          if (/^\d/.test(fault)) return new Response('{}', { status: Number.parseInt(fault, 10), headers })
          const response = await service.fetch(request)
          if (response.ok) judged++
          return fault === 'none' ? response : Response.json({ ...(await response.json()), usage: null })
        }
        const { svc, clock } = createShell({ ...service, fetch })
        const argv = ['check', 'chats.json', '--annotator', 'patterns', '--json']
        const { code, lines } = await clock.until(svc(argv, { files }))
        const [document] = lines()
        ends[code === 0 ? 'passed' : 'other']++
        if (code !== 0) return
        expect(judged).toBe(chats.length)
        expect(document).toMatchObject({ verdict: 'passed', total: 3, judged: 3 })
      }),
      draws,
    )
    expect(ends.passed).toBeGreaterThan(numRuns / 10)
    expect(ends.other).toBeGreaterThan(numRuns / 10)
  })
})
