import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { install } from '../../helpers/installed.js'
import { appBeside, runIn } from '../../helpers/runtimes/built-app.js'
import { cache, dclint, dockerfileUtils, jest } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'

const { folder: packed, remove } = install(['reference-server'])
afterAll(remove)

const pathOf = (name: string) => fileURLToPath(new URL(`../../../examples/runners/${name}`, import.meta.url))

itRuns(jest(), 'jest.test.cjs passes in Jest without flags', async (binary) => {
  const app = appBeside(binary, packed, {
    'package.json': '{"private":true}',
    'jest.config.cjs': "module.exports = { testMatch: ['**/*.test.cjs'] }",
    'jest.test.cjs': readFileSync(pathOf('jest.test.cjs'), 'utf8'),
  })
  try {
    expect(await runIn(app, binary, ['--ci', '--rootDir=.', '--env=node'])).toMatch(/Tests: +2 passed, 2 total/)
  } finally {
    rmSync(app, { recursive: true, maxRetries: 3 })
  }
})

itRuns(dclint(), 'compose.yaml has no problem', async (binary) => {
  expect(await runIn(fileURLToPath(new URL('.', import.meta.url)), binary, [pathOf('compose.yaml')])).toMatch(/^\s*$/)
})

itRuns(dockerfileUtils(), 'the Dockerfile has no problem', async () => {
  const { validate } = createRequire(join(cache, 'dockerfile-utils-0-16/package.json'))('dockerfile-utils') as {
    validate(text: string): unknown[]
  }
  const text = readFileSync(pathOf('Dockerfile'), 'utf8')
  expect(validate(text)).toEqual([])
  expect(validate(text.replace('EXPOSE', 'EXPOS'))).not.toEqual([])
})
