import { describe, expect } from 'vitest'
import { nodes } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { unitTests } from './unit-tests.js'

describe("the client's own tests pass", () => {
  for (const runtime of nodes()) {
    itRuns(runtime, `under ${runtime.name}`, async (binary) => {
      const { failed, passed } = await unitTests(binary, [
        'packages/client',
        'test/features/client',
        'test/features/retry',
      ])
      expect(failed).toEqual([])
      expect(passed).toBeGreaterThan(100)
    })
  }
})
