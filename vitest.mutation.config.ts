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
      'packages/checks/src/{baseline,check,compare,judge}/*.test.ts',
      'test/features/gate/{baseline-waives,check-acceptance,check-baseline,check-baseline-update,check-inputs,check-own-files}.test.ts',
      'packages/bulk/src/*.test.ts',
      'packages/bulk/src/{ledger,upload}/*.test.ts',
      'packages/cli/src/input/*.test.ts',
    ],
    provide: { rulesOverOne: true },
    testTimeout: 120_000,
  },
})
