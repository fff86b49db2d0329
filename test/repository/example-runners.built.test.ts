import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { bin } from '../helpers/built.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

function run(command: string, args: readonly string[]) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
  const options = { cwd: root, env, encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout, stderr } = spawnSync(command, args, options)
  return { status, stdout, stderr }
}

const inMock = (...command: string[]) => run(process.execPath, [bin, 'mock', '--control', '--', ...command])

/** Debian's Python comes before one of a version manager, which has packages of its own. */
const python = ['/usr/bin/python3', 'python3'].find(
  (command) => run(command, ['-c', 'import pytest, requests']).status === 0,
)
const isInstalled = (command: string) => run('sh', ['-c', `command -v ${command}`]).status === 0

/** A test where the program is there; else a skipped one, whose name says why. */
function itRuns(missing: string | undefined, name: string, test: () => void): void {
  if (missing) it.skip(`${name} (not run: ${missing} not installed)`)
  else it(name, { timeout: 90_000 }, test)
}

itRuns(python ? undefined : 'pytest or requests is', 'test_mock.py passes under svc mock --control', () => {
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'examples/runners/test_mock.py']
  const { status, stdout, stderr } = inMock('env', 'PYTHONDONTWRITEBYTECODE=1', python ?? '', ...args)
  expect([status, stdout], stderr).toEqual([0, expect.stringMatching(/^3 passed/m)])
})

itRuns(isInstalled('curl') ? undefined : 'curl is', 'mock.sh passes under svc mock --control', () => {
  expect(inMock('sh', 'examples/runners/mock.sh')).toMatchObject({ status: 0, stdout: 'passed\n' })
})

itRuns(isInstalled('wrk') ? undefined : 'wrk is', 'load.sh gets only answers of success', () => {
  const { status, stdout } = inMock('sh', 'examples/runners/load.sh', '1')
  expect([status, stdout]).toEqual([0, expect.stringMatching(/[1-9]\d* requests in /)])
  expect(stdout).not.toMatch(/Non-2xx|Socket errors/)
})
