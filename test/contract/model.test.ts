import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parting } from '../rules/model-run.js'
import { someSteps } from '../rules/model-steps.js'
import { patchedDirect } from '../rules/patched-server.js'
import { direct } from '../rules/transports/direct.js'

describe('whatever is asked of it, the server answers as the model does', () => {
  it('over any steps of several keys in two workspaces', async () => {
    const property = fc.asyncProperty(someSteps, async (steps) => {
      expect(await parting(direct, steps)).toBeUndefined()
    })
    await fc.assert(property, { numRuns: 200 })
  })
})

describe('a server with a defect parts from the model, which is shown in five steps or fewer:', () => {
  it.each([
    {
      what: 'a count that is lost',
      patch: {
        file: 'records.ts',
        find: 'transcript_count + 1',
        replace: 'transcript_count',
      },
    },
    {
      what: 'a project of another workspace that is listed',
      patch: {
        file: 'world.ts',
        find: 'return this.#byWorkspace.get(workspace)?.items ?? []',
        replace: 'return [...this.#byWorkspace.values()].flatMap(({ items }) => items)',
      },
    },
    {
      what: 'a revoked key that stays active',
      patch: { file: 'guard.ts', find: 'if (!known.revoked) return known', replace: 'return known' },
    },
  ])('$what', async ({ patch }) => {
    const server = patchedDirect(patch)
    const property = fc.asyncProperty(someSteps, async (taken) => (await parting(server, taken)) === undefined)
    const { failed, counterexample } = await fc.check(property, { numRuns: 200, seed: 1 })
    expect(failed).toBe(true)
    expect(counterexample?.[0].length).toBeLessThanOrEqual(5)
  })
})
