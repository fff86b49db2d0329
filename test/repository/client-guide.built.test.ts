import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, expect, it } from 'vitest'
import { blocksOf } from '../helpers/blocks.js'
import { bin } from '../helpers/built.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/guides/client-in-your-language.md'), 'utf8')
const cache = join(root, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, 'client-guide-'))
afterAll(() => rmSync(folder, { recursive: true }))

function run(command: string, args: readonly string[], cwd = folder) {
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}
const inMock = (...command: string[]) => run(process.execPath, [bin, 'mock', '--', ...command])

/** The line of the guide that begins with `command`, with the output in the folder of the test. */
const shellLine = (command: string, output: string) =>
  (
    blocksOf(guide, 'sh')
      .join('\n')
      .split('\n')
      .find((line) => line.startsWith(command)) ?? ''
  )
    .replace(/^npx /, '')
    .replace(new RegExp(`${output}$`), join(folder, output))

it('the TypeScript client of the guide is generated, has types that fit the program, and runs', () => {
  const generated = run('sh', ['-c', shellLine('npx openapi-typescript', 'workspace.ts')], root)
  expect(generated.status, generated.stderr).toBe(0)
  const [program = ''] = blocksOf(guide, 'typescript')
  const file = join(folder, 'program.ts')
  writeFileSync(file, program)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  const compiled = ts.createProgram([file], options)
  const problems = ts.getPreEmitDiagnostics(compiled)
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  compiled.emit()
  expect(inMock(process.execPath, join(folder, 'program.js'))).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^queued\n400 \S.*\n$/),
    stderr: '',
  })
})

const generator = 'openapi-python-client'
const isInstalled = run('sh', ['-c', `command -v ${generator}`]).status === 0
const name = 'the Python client of the guide is generated and runs'
if (!isInstalled) it.skip(`${name} (not run: ${generator} is not installed)`)
else
  it(name, () => {
    const generated = run('sh', ['-c', shellLine(generator, 'workspace')], root)
    expect(generated.status, generated.stderr).toBe(0)
    const [program = ''] = blocksOf(guide, 'python')
    writeFileSync(join(folder, 'program.py'), program)
    expect(inMock('python3', 'program.py')).toMatchObject({ status: 0, stdout: 'Mock project\n' })
  })
