import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bin, cleanEnv, runProcess } from '../../helpers/own-service.js'

const key = 'sk-service-api03-0123456789abcdef'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-uncaught-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Run the command in a process that runs `code` first, written as one long line, as in a bundle. */
function runWith(code: string, argv: string[]) {
  const folder = temporaryFolder()
  const preload = join(folder, 'preload.mjs')
  writeFileSync(preload, `${code} /* ${'one long line '.repeat(1_000)}*/`)
  return runProcess(argv, { ...cleanEnv, HOME: folder, SVC_API_KEY: key, NODE_OPTIONS: `--import ${preload}` }, folder)
}

const isRunning = `process.listenerCount('uncaughtException') > 0`
const thrown = `throw new RangeError('Out of range: ${key}')`
const bugs = {
  'in an action': `crypto.randomUUID = function newId() { ${thrown} }`,
  'in a timer': `setInterval(function tick() { if (${isRunning}) ${thrown} }, 1)`,
  'in a promise that nobody awaits': `setInterval(async function tick() { if (${isRunning}) ${thrown} }, 1)`,
}

it.each(Object.entries(bugs))('an error %s ends with 1, one message and a short stack', async (_, code) => {
  const result = await runWith(code, ['mock'])
  expect(result.code).toBe(1)
  expect(result.err).toMatch(
    /^svc: Out of range: \S*\nhint: this is a bug in svc; please report it\nRangeError: .*\n +at [\w.]+ (\[as \w+\] )?\(preload\.mjs:1:\d+\)\n/,
  )
  expect(result.err).not.toMatch(/long line|node:|file:/)
  expect(result.err).not.toContain(key)
  expect(result.err.match(/Out of range/g)).toHaveLength(2)
})

it('an error that no code catches is a document with --json, and shows no key', async () => {
  const { code, out, err } = await runWith(bugs['in a timer'], ['mock', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
    schema: 'svc/error@1',
    error: { kind: 'bug', exit: 1, message: expect.stringContaining('Out of range') },
  })
  expect(out.split('\n').at(-2)).not.toContain(key)
  expect(err).not.toContain(key)
})

it('the stack of an error names the functions of the command', async () => {
  const { err } = await runWith(bugs['in an action'], ['mock'])
  expect(err).toMatch(/\n +at mock \(mock-\w+\.js:\d+:\d+\)\n/)
})

/** A copy of the built command in which the files with this name have other content. */
function damagedCommand(name: RegExp, content: string | undefined): string {
  const copy = temporaryFolder()
  const root = dirname(dirname(bin))
  for (const each of ['package.json', 'bin', 'dist']) cpSync(join(root, each), join(copy, each), { recursive: true })
  for (const file of readdirSync(join(copy, 'dist')).filter((each) => name.test(each))) {
    if (content === undefined) rmSync(join(copy, 'dist', file))
    else writeFileSync(join(copy, 'dist', file), content)
  }
  return join(copy, 'bin', 'svc.js')
}

it.each([
  ['of the start', /^run-/],
  ['of a command', /^health-/],
  ['that reports errors', /^errors-/],
])('an error at the import of a file %s ends with 1 and a message, without the line that threw it', async (_, name) => {
  const damaged = damagedCommand(name, `throw new Error('No such thing') /* ${'one long line '.repeat(1_000)}*/`)
  const { code, err } = await runProcess(['health'], { ...cleanEnv, HOME: temporaryFolder() }, undefined, damaged)
  expect(code).toBe(1)
  expect(err).toMatch(/^svc: No such thing\nhint: this is a bug in svc; please report it\n/)
  expect(err).not.toContain('long line')
})

it('the command of a clone that is not built says what to run', async () => {
  const unbuilt = damagedCommand(/^bin\.js$/, undefined)
  const { code, err } = await runProcess(['--version'], cleanEnv, undefined, unbuilt)
  expect(err).toBe('svc: not built. Build first: npx --yes pnpm@12 build\n')
  expect(code).toBe(1)
})
