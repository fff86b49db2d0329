import { defineConfig } from 'vitest/config'
import shared from './vitest.config.js'

/** The tests that StrykerJS runs on each mutant: those that start no process and wait for no socket. */
export default defineConfig({
  resolve: shared.resolve ?? {},
  test: {
    include: [
      'packages/client/src/{retry,rate-limit,reconciliation}/*.test.ts',
      'test/features/retry/{lost-answers,reconcile,reconcile-queries,retries,stamp}.test.ts',
      'test/features/mock/{annotation,fault-rules,rules}.test.ts',
      'packages/reference-server/src/{server,router/router}.test.ts',
      'packages/checks/src/{check,judge}/*.test.ts',
    ],
    provide: { rulesOverOne: true },
    testTimeout: 30_000,
  },
})
