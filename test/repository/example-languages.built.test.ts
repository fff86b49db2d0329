import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../helpers/blocks.js'
import { bin } from '../helpers/built.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(`${root}/docs/guides/client-in-your-language.md`, 'utf8')

function run(command: string, args: readonly string[]) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  return spawnSync(command, args, { cwd: root, env: Object.fromEntries(own), encoding: 'utf8' })
}

const programs = [
  { file: 'states.sh', command: 'sh', needs: 'curl' },
  { file: 'states.mjs', command: 'node', needs: 'node' },
  { file: 'states.py', command: 'python3', needs: 'python3' },
  { file: 'States.java', command: 'java', needs: 'java' },
  { file: 'states.rb', command: 'ruby', needs: 'ruby' },
]

describe.each(programs)('$file', ({ file, command, needs }) => {
  const path = `examples/languages/${file}`
  const isInstalled = run('sh', ['-c', `command -v ${needs}`]).status === 0
  const name = `${file} forces each state and finds what it sent`

  if (!isInstalled) it.skip(`${name} (not run: ${needs} is not installed)`)
  else
    it(name, () => {
      const { status, stdout, stderr } = run(process.execPath, [bin, 'mock', '--control', '--', command, path])
      expect([status, stdout], stderr).toEqual([0, 'passed\n'])
    })
})

it('docs/guides/client-in-your-language.md shows a part of states.sh', () => {
  const program = blocksOf(guide, 'sh').at(-1) ?? ''
  expect(program).not.toBe('')
  expect(readFileSync(`${root}/examples/languages/states.sh`, 'utf8')).toContain(program.trim())
})
