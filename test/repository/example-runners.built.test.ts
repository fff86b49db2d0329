import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { blocksOf } from '../helpers/blocks.js'
import { bin } from '../helpers/built.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-runners-'))
afterAll(() => rmSync(folder, { recursive: true }))
// The programs start the command by its name.
symlinkSync(bin, join(folder, 'svc'))

function run(command: string, args: readonly string[]) {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
  const env = {
    ...own,
    PATH: `${folder}${delimiter}${own.PATH}`,
    PYTHONDONTWRITEBYTECODE: '1',
    GOCACHE: join(folder, 'go'),
  }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' })
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
  else it(name, test)
}

itRuns(python ? undefined : 'pytest or requests is', 'test_mock.py starts svc mock itself, and passes', () => {
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'examples/runners/test_mock.py']
  const { status, stdout, stderr } = run(python ?? '', args)
  expect([status, stdout], stderr).toEqual([0, expect.stringMatching(/^3 passed/m)])
})

itRuns(isInstalled('go') ? undefined : 'go is', 'mock_test.go starts svc mock itself, and passes', () => {
  const { status, stdout, stderr } = run('go', ['test', '-v', 'examples/runners/mock_test.go'])
  expect([status, stdout.match(/^--- PASS/gm)], stderr).toEqual([0, ['--- PASS', '--- PASS']])
})

itRuns(isInstalled('javac') ? undefined : 'javac is', 'MockTest.java starts svc mock itself, and passes', () => {
  const { status, stdout, stderr } = run('java', ['examples/runners/MockTest.java'])
  expect([status, stdout], stderr).toEqual([0, 'passed\n'])
})

it('docs/guides/testing.md shows a part of test_mock.py', () => {
  const [shown = '', ...others] = blocksOf(readFileSync(join(root, 'docs/guides/testing.md'), 'utf8'), 'python')
  expect([shown === '', others]).toEqual([false, []])
  expect(readFileSync(join(root, 'examples/runners/test_mock.py'), 'utf8')).toContain(shown.trim())
})

itRuns(isInstalled('curl') ? undefined : 'curl is', 'mock.sh passes under svc mock --control', () => {
  expect(inMock('sh', 'examples/runners/mock.sh')).toMatchObject({ status: 0, stdout: 'passed\n' })
})

itRuns(isInstalled('wrk') ? undefined : 'wrk is', 'load.sh gets only answers of success', () => {
  const { status, stdout } = inMock('sh', 'examples/runners/load.sh', '1')
  expect([status, stdout]).toEqual([0, expect.stringMatching(/[1-9]\d* requests in /)])
  expect(stdout).not.toMatch(/Non-2xx|Socket errors/)
})
