import { defineConfig } from 'vitest/config'
import shared from './vitest.config.js'

/** What needs other runtimes, which the tests install into a cache; never part of `test`. */
export default defineConfig({
  resolve: shared.resolve ?? {},
  test: {
    include: ['test/runtimes/*.test.ts'],
    // The runtimes are installed by whoever comes first, and two cores have enough to do with one of them.
    fileParallelism: false,
    maxConcurrency: 2,
    testTimeout: 300_000,
  },
})
