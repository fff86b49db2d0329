import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { parting } from './rules/model-run.js'
import { someSteps } from './rules/model-steps.js'
import { direct } from './rules/transports/direct.js'

it('the server answers as the model does, over any steps of several keys in two workspaces', async () => {
  const property = fc.asyncProperty(someSteps, async (steps) => {
    expect(await parting(direct, steps)).toBeUndefined()
  })
  await fc.assert(property, { numRuns: runs(70) })
})
