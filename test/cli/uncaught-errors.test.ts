import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bin, cleanEnv } from './own-service.js'

const key = 'sk-service-api03-0123456789abcdef'

/** Starts a mock in a process in which a timer throws as soon as the command runs, and gives what it wrote. */
async function thrownInATimer(...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-uncaught-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const thrower = join(folder, 'thrower.mjs')
  const code = `if (process.listenerCount('uncaughtException')) throw new RangeError('Out of range: ${key}')`
  // One long line, as in a bundle.
  writeFileSync(thrower, `setInterval(() => { ${code} }, 1) /* ${'minified '.repeat(1_000)}*/`)
  const env = { ...cleanEnv, HOME: folder, SVC_API_KEY: key, NODE_OPTIONS: `--import ${thrower}` }
  const child = spawn(process.execPath, [bin, 'mock', ...flags], { env, cwd: folder })
  const written = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    written.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    written.err += chunk
  })
  const [exitCode] = await once(child, 'close')
  return { exitCode, ...written }
}

it('an error that no code catches ends with 1, a message and a stack, without the line that threw it', async () => {
  const { exitCode, err } = await thrownInATimer()
  expect(exitCode).toBe(1)
  expect(err).toMatch(/svc: Out of range: .*\nhint: this is a bug in svc; please report it\nRangeError: .*\n +at /)
  expect(err).not.toContain('minified')
})

it('an error that no code catches is a document with --json, and shows no key', async () => {
  const { exitCode, out, err } = await thrownInATimer('--json')
  expect(exitCode).toBe(1)
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
    schema: 'svc/error@1',
    error: { kind: 'bug', exit: 1, message: expect.stringContaining('Out of range') },
  })
  expect(out.split('\n').at(-2)).not.toContain(key)
  expect(err).not.toContain(key)
})
