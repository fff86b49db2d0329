import { defineConfig } from 'vitest/config'
import shared from './vitest.config.js'

/** The rules of the interface on any server, which the environment names; see `test/rules/service.ts`. */
export default defineConfig({
  resolve: shared.resolve ?? {},
  test: {
    include: ['test/rules/on-a-service.ts'],
    globalSetup: ['test/rules/service-named.ts'],
    reporters: ['verbose'],
    // A service may ask to be left alone for a while.
    testTimeout: 600_000,
  },
})
