import { execFileSync } from 'node:child_process'
import { defineConfig } from 'vitest/config'
import shared from './vitest.config.js'

const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' })

/** The tests that have a long form. */
const long = git('grep', '-l', "helpers/long.js'", '--', '*.test.ts').trim().split('\n')

/** The tests that need other runtimes, which they install into a cache, and the long form of those that have one. */
export default defineConfig({
  resolve: shared.resolve ?? {},
  test: {
    include: ['test/**/*.full.test.ts', ...long],
    setupFiles: ['test/helpers/random.ts'],
    // Other random values in each run; the name of the test shows the seed, and SVC_SEED brings them back.
    env: {
      SVC_LONG: process.env.SVC_LONG ?? '1',
      SVC_SEED: process.env.SVC_SEED ?? String(Math.floor(Date.now() / 1000)),
    },
    // The runtimes are installed by whoever comes first, and two cores have enough to do with one of them.
    fileParallelism: false,
    maxConcurrency: 2,
    testTimeout: 900_000,
  },
})
