import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { nodes } from '../../../helpers/runtimes/cache.js'
import { itRuns } from '../../../helpers/runtimes/it-runs.js'
import { unitTests } from '../../../repository/runtimes/unit-tests.js'
import { killRounds } from './kill-rounds.js'
import { buildServing } from './serving.js'

describe('a world in a folder', () => {
  let program: Awaited<ReturnType<typeof buildServing>>
  beforeAll(async () => {
    program = await buildServing()
  })
  afterAll(() => program.remove())

  for (const runtime of nodes()) {
    itRuns(runtime, `is kept by the SQLite of ${runtime.name}`, async (binary) => {
      const { failed, passed } = await unitTests(binary, ['packages/reference-server/src/persistence'])
      expect(failed).toEqual([])
      expect(passed).toBeGreaterThan(25)
    })

    itRuns(runtime, `goes from this Node to ${runtime.name} and back, and outlives kill -9 on both`, async (binary) => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-nodes-'))
      const { answered } = await killRounds(program, folder, 8, (round) => (round % 2 === 0 ? {} : { binary }))
      rmSync(folder, { recursive: true })
      expect(answered).toBeGreaterThan(8 * 4)
    })
  }
})
