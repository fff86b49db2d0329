import { defineConfig } from 'vitest/config'
import shared from './vitest.config.js'

/** The tests that need other runtimes, which they install into a cache, and the long form of those that have one. */
export default defineConfig({
  resolve: shared.resolve ?? {},
  test: {
    include: [
      'test/runtimes/*.test.ts',
      'test/fuzz/*.test.ts',
      'test/gate/gate.test.ts',
      'test/contract/{contract,rules}.test.ts',
      'test/faults/{ambiguous-writes,faults}.test.ts',
      'test/ambiguities/{client,command}.test.ts',
      'test/patterns.test.ts',
      'test/formats/{cases,sentinel}.test.ts',
      'packages/transcripts/test/{hostile,large,sample}-files.test.ts',
      'packages/transcripts/src/importer/detect-heads.test.ts',
      'test/cli/{escape,scale-out,upload-plan,wrong-types}.test.ts',
      'test/processes/{array-job,chaos,check-scale-out,convert-stream,example-apps,gate-recipes,hostile-policy}.test.ts',
      'test/processes/{interrupted-files,kill,large-stream,pre-commit,release,scale-out-scripts}.test.ts',
      'test/faults/second-{uploader,command}.test.ts',
    ],
    // Other random values in each run; the name of the test shows the seed, and SVC_SEED brings them back.
    env: { SVC_LONG: process.env.SVC_LONG ?? '1', SVC_SEED: process.env.SVC_SEED ?? String(Math.floor(Date.now() / 1000)) },
    // The runtimes are installed by whoever comes first, and two cores have enough to do with one of them.
    fileParallelism: false,
    maxConcurrency: 2,
    testTimeout: 300_000,
  },
})
