import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, type ServerOptions } from '@svc/reference-server/core'
import { afterAll, expect, it, vi } from 'vitest'
import { rules } from '../rules/all.js'
import type { Rule } from '../rules/rule.js'
import { runRule } from '../rules/run-rule.js'
import { keyVariables } from '../rules/service.js'
import { direct } from '../rules/transports/direct.js'
import { keys, seedOf, withdrawKeys } from '../rules/trial.js'

// A process that runs every rule one by one, beside others.
const patienceMs = 120_000
vi.setConfig({ testTimeout: patienceMs + 1000 })

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-contract-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

const forAny = rules.filter(({ reference, options, only }) => {
  return !reference && !options && (!only || only.transports.includes('http'))
})
const names = (list: readonly Rule[]) => list.map(({ name }) => name).sort()

/** Runs what `pnpm contract` runs, with these variables and no others of ours. */
function contract(variables: Record<string, string>, more: string[] = []) {
  const results = join(mkdtempSync(join(folder, 'run-')), 'results.json')
  const reports = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${results}`]
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.contract.config.ts', ...reports, ...more]
  const env = { PATH: process.env.PATH, NO_COLOR: '1', ...variables }
  return new Promise<{ code: unknown; output: string; named(status: string): string[] }>((resolve) => {
    execFile(process.execPath, args, { cwd: root, env, timeout: patienceMs }, (error, stdout, stderr) => {
      const named = (status: string) =>
        (JSON.parse(readFileSync(results, 'utf8')) as Results).testResults
          .flatMap(({ assertionResults }) => assertionResults)
          .filter((test) => test.status === status)
          .map(({ title }) => title)
          .sort()
      resolve({ code: error?.code ?? 0, output: stdout + stderr, named })
    })
  })
}

interface Results {
  testResults: { assertionResults: { title: string; status: string }[] }[]
}

/** A server that listens, in real time, with every kind of key; and the variables that name it. */
async function served(options: ServerOptions, without: (keyof typeof keys)[] = []) {
  const server = createServer({ ...options, seed: seedOf({}) })
  withdrawKeys(server)
  // Some of what others left behind.
  server.world.createProject({ name: 'of somebody else' })
  const { baseUrl, close } = await server.listen()
  const given = Object.entries(keys).filter(([name]) => !without.includes(name as keyof typeof keys))
  const variables = given.map(([name, key]) => [keyVariables[name as keyof typeof keys], key])
  return { variables: { SVC_BASE_URL: baseUrl, ...Object.fromEntries(variables) }, close }
}

it.concurrent('names the variables to set if there is no server', async () => {
  const { code, output } = await contract({ SVC_API_KEY: 'k' })
  expect(code).toBe(2)
  for (const variable of ['SVC_BASE_URL', 'SVC_PUBLIC_BASE_URL', ...Object.values(keyVariables)]) {
    expect(output).toContain(variable)
  }
})

it.concurrent('every rule for any server holds on a server that it knows only by its URL and keys', async () => {
  const { variables, close } = await served({})
  const { code, output, named } = await contract(variables).finally(close)
  expect(named('failed'), output).toEqual([])
  expect(named('passed')).toEqual([...names(forAny), 'answers as the spec declares'].sort())
  expect(code).toBe(0)
})

it.concurrent('fails the rule of a server with another reading, and shows the exchange', async () => {
  const ambiguities = { unknownAnnotator: 422 } as const
  // Not all of them a second time.
  const some = /annotator|may only read/
  const failing: Rule[] = []
  for (const rule of forAny.filter(({ name }) => some.test(name))) {
    if ('error' in (await runRule({ ...rule, options: { ambiguities } }, direct))) failing.push(rule)
  }
  expect(failing).toHaveLength(1)
  const { variables, close } = await served({ ambiguities }, ['reader'])
  const { code, output, named } = await contract(variables, ['--testNamePattern', some.source]).finally(close)
  expect(named('failed'), output).toEqual(names(failing))
  expect(named('passed').length).toBeGreaterThan(10)
  expect(code).toBe(1)
  expect(output).toMatch(/→ POST \/v1\/annotations \(annotation surface\)\s+authorization: Bearer ‹full key›/)
  expect(output).toMatch(/← 422\s/)
  expect(output).toContain('SVC_READER_KEY is not set')
  for (const key of Object.values(keys)) expect(output).not.toContain(key)
})
