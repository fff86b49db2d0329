import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'sources', '--reporter', 'json']

/** Unit tests of these paths under another Node: their processes are started with the same binary. */
export const unitTests = (binary: string, paths: readonly string[]) =>
  new Promise<{ failed: string[]; passed: number }>((resolve, reject) => {
    const limits = { cwd: root, timeout: 280_000, maxBuffer: 1e9 }
    execFile(binary, [...args, ...paths], limits, (error, stdout, stderr) => {
      const json = stdout.slice(stdout.indexOf('{"'))
      if (!json.startsWith('{')) return reject(error ?? new Error(stderr))
      const { testResults, numPassedTests } = JSON.parse(json) as Results
      const all = testResults.flatMap(({ name, message, assertionResults }) =>
        assertionResults.length > 0
          ? assertionResults
          : [{ status: 'failed', fullName: `${name}: ${message}`, failureMessages: [] }],
      )
      const failed = all
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => [fullName, ...failureMessages].join('\n'))
      resolve({ failed, passed: numPassedTests })
    })
  })

interface Results {
  numPassedTests: number
  testResults: {
    name: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}
