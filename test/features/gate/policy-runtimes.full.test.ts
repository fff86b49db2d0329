import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { mockService } from '../../helpers/mock-service.js'
import { bin } from '../../helpers/own-service.js'
import { nodes } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'

let service: Awaited<ReturnType<typeof mockService>>
beforeAll(async () => {
  service = await mockService()
})
afterAll(() => service.close())

const policy = `import { type Checks, defineChecks } from '@svc/cli/checks'
import { least } from './least.ts'

const checks: Checks = defineChecks({
  annotator: 'structural',
  failOn: 'none',
  rules: { short: ({ transcript: { turns } }) => (turns.length < least ? \`has \${turns.length} turns\` : []) },
})
export default checks
`

describe('a policy in TypeScript', () => {
  for (const [at, runtime] of nodes().entries()) {
    itRuns(runtime, `judges on ${runtime.name}`, async (binary) => {
      const cwd = service.workplace(`policy-${at}`, 2)
      writeFileSync(join(cwd, 'svc.checks.ts'), policy)
      writeFileSync(join(cwd, 'least.ts'), 'export const least: number = 2\n')
      const { code, out, err } = await service.run(
        [binary, bin, 'check', 'transcripts', '--policy', 'svc.checks.ts'],
        cwd,
      )
      expect([code, err]).toEqual([100, ''])
      expect(out).toContain('short  has 1 turns\n')
    })
  }
})
