import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url))

/** Tests run on the sources; only what starts a process or packs a tarball uses the build. */
export default defineConfig({
  resolve: {
    alias: [
      { find: '@svc/client/node', replacement: source('client/src/node.ts') },
      { find: '@svc/transcripts/containers', replacement: source('transcripts/src/containers.ts') },
      { find: '@svc/reference-server/data', replacement: source('reference-server/src/data.ts') },
      { find: '@svc/reference-server/core', replacement: source('reference-server/src/core.ts') },
      { find: /^@svc\/(client|transcripts|reference-server|cli)$/, replacement: `${source('')}$1/src/index.ts` },
    ],
  },
  test: {
    // The tests wait for processes and sockets as much as they work, so that one core need not be left free.
    maxWorkers: '100%',
    projects: [
      // Pure tests leave nothing behind, so that files may share a process.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          isolate: false,
          testTimeout: 30_000,
          execArgv: ['--expose-gc'],
        },
      },
      {
        extends: true,
        test: {
          name: 'contract',
          include: [
            'test/*.test.ts',
            'examples/*.test.ts',
            'test/{contract,cli,data,faults,formats,fuzz,real-data,transport}/**/*.test.ts',
          ],
          testTimeout: 30_000,
          setupFiles: ['test/answers-conform.ts'],
        },
      },
    ],
  },
})
