import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../helpers/blocks.js'
import { bin } from '../helpers/built.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(`${root}/docs/guides/client-in-your-language.md`, 'utf8')
const shown = guide.slice(guide.indexOf('::: code-group'), guide.indexOf('\n:::\n'))

function run(command: string, args: readonly string[]) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  return spawnSync(command, args, { cwd: root, env: Object.fromEntries(own), encoding: 'utf8' })
}

const programs = [
  { file: 'states.sh', command: 'sh', needs: 'curl', language: 'sh' },
  { file: 'states.mjs', command: 'node', needs: 'node', language: 'js' },
  { file: 'states.py', command: 'python3', needs: 'python3', language: 'python' },
  { file: 'States.java', command: 'java', needs: 'java', language: 'java' },
  { file: 'states.rb', command: 'ruby', needs: 'ruby', language: 'ruby' },
]

describe.each(programs)('$file', ({ file, command, needs, language }) => {
  const path = `examples/languages/${file}`
  const isInstalled = run('sh', ['-c', `command -v ${needs}`]).status === 0
  const name = `${file} forces each state and finds what it sent`

  if (!isInstalled) it.skip(`${name} (not run: ${needs} is not installed)`)
  else
    it(name, () => {
      const { status, stdout, stderr } = run(process.execPath, [bin, 'mock', '--control', '--', command, path])
      expect([status, stdout], stderr).toEqual([0, 'passed\n'])
    })

  it(`docs/guides/client-in-your-language.md shows as its program in ${language} a part of ${file}`, () => {
    const [program = '', ...others] = blocksOf(shown, language)
    expect([program === '', others]).toEqual([false, []])
    expect(readFileSync(`${root}/${path}`, 'utf8')).toContain(program.trim())
  })
})
