import { describe, expect } from 'vitest'
import { nodes } from './cache.js'
import { itRuns } from './it-runs.js'
import { unitTests } from './unit-tests.js'

describe("the client's own tests pass", () => {
  for (const runtime of nodes()) {
    itRuns(runtime, `under ${runtime.name}`, async (binary) => {
      const { failed, passed } = await unitTests(binary, 'packages/client')
      expect(failed).toEqual([])
      expect(passed).toBeGreaterThan(100)
    })
  }
})
