import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { goals } from './goals.js'
import { heading, remark, row } from './page.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Report {
  numTotalTests: number
  numFailedTests: number
  startTime: number
  testResults: { name: string; startTime: number; endTime: number }[]
}

/** How long the contract suite takes over its transports, as vitest reports it. */
export async function benchContract(): Promise<void> {
  const startedAt = performance.now()
  const report = JSON.parse(await vitest('run', 'test/contract', '--reporter=json')) as Report
  const whole = (performance.now() - startedAt) / 1_000
  heading('The contract suite', 'over every transport that it runs on here')
  const note = `${report.numTotalTests} tests, ${report.numFailedTests} failed`
  row('whole, the start of vitest included', whole, 's', { goal: goals.contractSuite, note })
  const files = report.testResults.map(({ name, startTime, endTime }) => ({ name, took: endTime - startTime }))
  const slowest = files.sort((a, b) => b.took - a.took).slice(0, 3)
  remark(
    `longest: ${slowest.map(({ name, took }) => `${name.slice(root.length)} ${(took / 1_000).toFixed(1)} s`).join(', ')}`,
  )
}

/** What it printed; a test that fails ends it with 1, and the report says so. */
const vitest = (...argv: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
    const options = { cwd: root, maxBuffer: 64 * 2 ** 20 }
    execFile(process.execPath, [script, ...argv], options, (error, stdout) => {
      if (stdout.startsWith('{')) resolve(stdout)
      else reject(error ?? new Error('vitest printed no report'))
    })
  })
