import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import type { Reporter } from 'vitest/node'

const source = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url))

/** After so long a test hangs, in milliseconds. */
const patienceMs = 600_000

/** Prints the twenty files that took the longest. */
const slowest: Reporter = {
  onTestRunEnd(modules) {
    if (modules.length < 20) return
    const took = modules.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic()
      return { name: module.relativeModuleId, seconds: (collectDuration + setupDuration + duration) / 1_000 }
    })
    console.log('\n Slowest files, in seconds')
    for (const { name, seconds } of took.sort((a, b) => b.seconds - a.seconds).slice(0, 20)) {
      console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`)
    }
  },
}

/** Fails a run in which the name of a test, without the text of its `describe`, has more than 120 characters. */
const shortNames: Reporter = {
  onTestRunEnd(modules) {
    const long = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter(({ name }) => name.length > 120)
        .map(({ name }) => `  ${module.relativeModuleId}: ${name.slice(0, 200)} (${name.length})`),
    )
    if (long.length === 0) return
    console.error(`\n Shorten these test names to 120 characters (see CONTRIBUTING.md)\n${long.join('\n')}`)
    process.exitCode = 1
  },
}

/**
 * A test runs on the sources; `*.built.test.ts` runs what the build wrote, and `*.full.test.ts` is a part of `test:full` alone:
 * it needs another runtime, or minutes.
 */
export default defineConfig({
  resolve: {
    alias: [
      { find: '#network-codes', replacement: source('client/src/errors/network-codes.ts') },
      { find: '@svc/client/openapi', replacement: source('client/src/openapi/index.ts') },
      { find: '@svc/client/node', replacement: source('client/src/node/index.ts') },
      { find: '@svc/client/otel', replacement: source('client/src/otel/index.ts') },
      { find: '@svc/reference-server/vitest', replacement: source('reference-server/src/vitest.ts') },
      { find: '@svc/reference-server/jest', replacement: source('reference-server/src/jest.ts') },
      { find: '@svc/checks/vitest', replacement: source('checks/src/vitest.ts') },
      { find: '@svc/bulk/node', replacement: source('bulk/src/node.ts') },
      { find: '@svc/bulk/parts', replacement: source('bulk/src/parts.ts') },
      { find: '@svc/transcripts/containers', replacement: source('transcripts/src/containers/index.ts') },
      { find: '@svc/transcripts/parquet', replacement: source('transcripts/src/parquet/index.ts') },
      { find: '@svc/transcripts/sqlite', replacement: source('transcripts/src/sqlite/index.ts') },
      { find: '@svc/reference-server/data', replacement: source('reference-server/src/persistence/index.ts') },
      { find: '@svc/reference-server/control', replacement: source('reference-server/src/control/client.ts') },
      { find: '@svc/reference-server/testing', replacement: source('reference-server/src/testing.ts') },
      { find: '@svc/reference-server/contract', replacement: source('reference-server/src/contract/index.ts') },
      { find: '@svc/reference-server/core', replacement: source('reference-server/src/core.ts') },
      {
        find: /^@svc\/(client|transcripts|reference-server|text|bulk|checks|cli)$/,
        replacement: `${source('')}$1/src/index.ts`,
      },
    ],
  },
  test: {
    // The tests wait for processes and sockets as much as they work, so that one core need not be left free.
    maxWorkers: '100%',
    reporters: ['default', slowest, shortNames],
    // No test leaves anything behind, so that files share a process, and with it the modules that it has loaded.
    isolate: false,
    globalSetup: ['test/helpers/temporary-folder.ts'],
    // For what hangs: no limit of time decides a verdict, however busy the machine is.
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    expect: { poll: { timeout: patienceMs / 2 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'sources',
          include: ['packages/*/{app,src}/**/*.test.ts', 'test/**/*.test.ts', 'examples/*.test.ts'],
          exclude: ['**/*.{built,full}.test.ts', 'test/repository/commits.test.ts'],
          // Room for young objects, so that garbage collection does not take a fifth of the time.
          execArgv: ['--expose-gc', '--max-semi-space-size=64'],
          setupFiles: ['test/helpers/answers-conform.ts', 'test/helpers/random.ts'],
        },
      },
      // The built command, the packed packages, and the examples.
      {
        extends: true,
        test: {
          name: 'built',
          include: ['test/**/*.built.test.ts'],
          setupFiles: ['test/helpers/answers-conform.ts', 'test/helpers/random.ts'],
        },
      },
      // The messages of the commits, which CI alone checks.
      { extends: true, test: { name: 'commits', include: ['test/repository/commits.test.ts'] } },
    ],
  },
})
