import { AmbiguousWriteError, InputError, ServiceError } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLong, seed } from '../../helpers/long.js'
import { looksWhole, run, services, survivable } from './drawn-service.js'

const numRuns = isLong ? 10_000 : 80
const draws = { numRuns, seed }

describe(`the client of any service that the interface allows: ${numRuns} services from seed ${seed}`, () => {
  it('never stores an upload twice, and never loses one without an error that says so', async () => {
    const results = { uploaded: 0, ambiguous: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(services, fc.boolean(), fc.boolean(), async (drawn, stamp, hasTwin) => {
        const { databaseSkewMs = 0 } = drawn.ambiguities
        const ambiguities = {
          ...drawn.ambiguities,
          databaseSkewMs: stamp ? databaseSkewMs : Math.max(databaseSkewMs, -300_000),
        }
        const { svc, clock, project, storedAs, storeOther } = run({ ...drawn, ambiguities })
        // Without a stamp, an equal upload of another program cannot be told apart.
        const twins = stamp && hasTwin ? [storeOther('Mine', 'mine', 'e-1')] : []
        await clock.advance(1_000)
        const upload = { name: 'Mine', turns: [{ role: 'user', content: 'mine' }], externalId: 'e-1', modelName: 'm' }
        const result = await clock.until(
          svc.transcripts.upload(project, upload, { stamp }).then(
            ({ id }) => id,
            (error: unknown) => error,
          ),
        )
        const own = storedAs('e-1').filter((id) => !twins.includes(id))
        expect(own.length).toBeLessThanOrEqual(1)
        if (typeof result === 'string') {
          results.uploaded++
          expect(own).toEqual([result])
        } else if (result instanceof AmbiguousWriteError) {
          results.ambiguous++
        } else {
          results.refused++
          expect(result).toBeInstanceOf(ServiceError)
          expect(own).toEqual([])
        }
      }),
      draws,
    )
    // Most services show enough to find an upload, or to prove that it is absent.
    expect(results.uploaded).toBeGreaterThan(numRuns / 3)
    expect(results.ambiguous).toBeGreaterThan(0)
  })

  it('never creates a project twice', async () => {
    await fc.assert(
      fc.asyncProperty(services, async ({ ambiguities, ...drawn }) => {
        // No external id tells the service that it has the project.
        const { svc, clock, server } = run({
          ...drawn,
          ambiguities: survivable({ ...ambiguities, externalIdUnique: false, metadata: 'stripped' }),
        })
        const name = 'New'
        const result = await clock.until(
          svc.projects.create({ name }).then(
            ({ id }) => id,
            (error: unknown) => error,
          ),
        )
        const own = server.world.projects().filter(({ record }) => record.name === name)
        expect(own.length).toBeLessThanOrEqual(1)
        if (typeof result === 'string') expect(own.map(({ record }) => record.id)).toEqual([result])
        else expect(result).not.toBeInstanceOf(InputError)
      }),
      draws,
    )
  })

  it('lists every row that the service lists, each once', async () => {
    await fc.assert(
      fc.asyncProperty(services, async (drawn) => {
        fc.pre(drawn.ambiguities.order !== 'unstable' && !looksWhole(drawn))
        const { svc, clock, server, project } = run(drawn)
        await clock.advance(201_000)
        const collected = svc.transcripts.all(project).toArray({ limit: 1_000 })
        const rows = await clock.until(collected.catch(itemsOf))
        const stored = server.world.transcripts(project).map(({ record }) => record.id)
        expect(rows.map(({ id }) => id).sort()).toEqual([...stored].sort())
        const byPages: string[] = []
        const iterate = async () => {
          for await (const { id } of svc.transcripts.list(project, { limit: 10 })) byPages.push(id)
        }
        await clock.until(iterate().catch(itemsOf))
        expect(byPages.sort()).toEqual([...stored].sort())
      }),
      draws,
    )
  })
})

/** The items of a list that counts as incomplete: the service ends it after a full page, and counts nothing or otherwise. */
function itemsOf(error: unknown): { id: string }[] {
  if (!(error instanceof ServiceError) || !error.incomplete) throw error
  return (error.items ?? []) as { id: string }[]
}
