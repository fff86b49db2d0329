import { readFileSync, rmSync } from 'node:fs'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { afterAll, describe, expect } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { install } from '../../helpers/installed.js'
import { appBeside, runIn } from '../../helpers/runtimes/built-app.js'
import { jest, vitest } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'

const { folder: packed, remove } = install(['client', 'transcripts', 'checks', 'reference-server'])
afterAll(remove)

const guide = readFileSync(new URL('../../../docs/guides/gate-in-tests.md', import.meta.url), 'utf8')

/** An assertion that does not hold, and its message. */
const failing = `
const transcripts = [{ path: 'a', transcript: [{ role: 'user', content: 'Hi' }] }]
test('names what fails', async () => {
  const options = { client: createClient(), annotator: 'structural', policy: { failOn: 'none', rules: { never: () => 'is broken' } } }
  const error = await expect([{ role: 'user', content: 'Hi' }]).toPassChecks(options).catch((error) => error)
  expect(error.message).toMatch(/^expected the transcripts to pass their checks\\n\\nfailed: 1 transcript\\n.*names what fails\\n/)
  expect(error.message).toMatch(/the rule never is broken[^]*failed: 1 of 1 transcript breaks a rule$/)
  await expect([{ role: 'user', content: 'Hi' }]).not.toPassChecks(options)
})
test('runs the rules of a file in a thread', async () => {
  writeFileSync('rules.mjs', "export default { rules: { never: () => 'is broken' } }")
  const policy = { failOn: 'none', rules: await rulesFrom('rules.mjs', { trusted: true }) }
  const { cases } = await check({ client: createClient(), annotator: 'structural', transcripts, policy })
  expect(cases[0].reasons).toEqual([{ rule: 'custom', signal: 'never', known: false }])
})
test('takes the result of a check', async () => {
  const result = await check({ client: createClient(), annotator: 'structural', transcripts: [] })
  expect(() => expect(result).toPassChecks()).toThrow('could not judge: no transcripts')
  expect(() => expect(result).not.toPassChecks()).toThrow('could not judge: no transcripts')
})
`

const runners = [
  {
    name: 'Jest',
    runtime: jest(),
    args: ['--ci', '--rootDir=.'],
    files: {
      'package.json': '{"private":true}',
      'jest.config.cjs': "module.exports = { testMatch: ['**/*.test.cjs'] }",
      ...Object.fromEntries(blocksOf(guide, 'js').map((text, at) => [`guide-${at}.test.cjs`, text])),
      'failing.test.cjs': `
        const { writeFileSync } = require('node:fs')
        const { check, matchers, rulesFrom } = require('@svc/checks')
        const { createClient } = require('@svc/client')
        expect.extend(matchers)${failing}`,
    },
    passed: /Tests: +4 passed, 4 total/,
  },
  ...[3, 4].map((major) => ({
    name: `vitest ${major}`,
    runtime: vitest(major),
    args: ['run', '--root=.'],
    files: {
      'package.json': '{"private":true,"type":"module"}',
      ...Object.fromEntries(blocksOf(guide, 'ts').map((text, at) => [`guide-${at}.test.ts`, text])),
      'failing.test.js': `
        import '@svc/checks/vitest'
        import { writeFileSync } from 'node:fs'
        import { check, rulesFrom } from '@svc/checks'
        import { createClient } from '@svc/client'
        import { expect, test } from 'vitest'
        ${failing}`,
    },
    passed: /Tests +8 passed \(8\)/,
  })),
]

describe.each(runners)('under $name', ({ runtime, args, files, passed }) => {
  itRuns(runtime, 'the packed gate judges in a test, and its matcher names what fails', async (binary) => {
    const { baseUrl, close } = await createServer().listen()
    const app = appBeside(binary, packed, files)
    try {
      const env = { SVC_API_KEY: referenceKey, SVC_BASE_URL: baseUrl, NO_COLOR: '1' }
      expect(await runIn(app, binary, args, env)).toMatch(passed)
    } finally {
      rmSync(app, { recursive: true, maxRetries: 3 })
      await close()
    }
  })
})
