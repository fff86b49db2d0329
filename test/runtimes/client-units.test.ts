import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { nodes } from './cache.js'
import { itRuns } from './it-runs.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--reporter', 'json', 'packages/client']

/** What `test` runs under its own Node, under another one: the tests' processes are started with the same binary. */
const unitTests = (binary: string) =>
  new Promise<{ failed: string[]; passed: number }>((resolve, reject) => {
    const limits = { cwd: root, timeout: 280_000, maxBuffer: 1e9 }
    execFile(binary, args, limits, (error, stdout, stderr) => {
      const json = stdout.slice(stdout.indexOf('{"'))
      if (!json.startsWith('{')) return reject(error ?? new Error(stderr))
      const { testResults, numPassedTests } = JSON.parse(json) as Results
      const all = testResults.flatMap(({ name, message, assertionResults }) =>
        assertionResults.length > 0 ? assertionResults : [{ status: 'failed', fullName: `${name}: ${message}` }],
      )
      const failed = all.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
      resolve({ failed, passed: numPassedTests })
    })
  })

interface Results {
  numPassedTests: number
  testResults: { name: string; message: string; assertionResults: { status: string; fullName: string }[] }[]
}

describe("the client's own tests pass", () => {
  for (const runtime of nodes()) {
    itRuns(runtime, `under ${runtime.name}`, async (binary) => {
      const { failed, passed } = await unitTests(binary)
      expect(failed).toEqual([])
      expect(passed).toBeGreaterThan(100)
    })
  }
})
