import { defineConfig } from 'vitest/config'
import shared from './vitest.config.js'

const seed = process.env.SVC_FUZZ_SEED ?? String(Math.floor(Date.now() / 1000))

/**
 * Runs the tests that need other runtimes, which they install into a cache, and the long forms of fuzz, chaos, formats, shards
 * and streams. None of this is part of `test`.
 */
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
    // Other requests in each run; the name of the test shows the seed, and the variable brings them back.
    env: {
      SVC_FUZZ_RUNS: process.env.SVC_FUZZ_RUNS ?? '100000',
      SVC_FUZZ_SEED: seed,
      SVC_GATE_RUNS: process.env.SVC_GATE_RUNS ?? '1000',
      SVC_GATE_SEED: seed,
      SVC_CONTRACT_RUNS: process.env.SVC_CONTRACT_RUNS ?? '2000',
      SVC_AMBIGUITIES_RUNS: '10000',
      SVC_AMBIGUITIES_SEED: seed,
      SVC_PATTERNS: 'all',
      SVC_FORMATS: 'all',
      SVC_CONVERT_BYTES: '4e7',
      SVC_WRONG_TYPES: 'all',
      SVC_VARIANTS: 'all',
      SVC_INTERRUPTIONS: '12',
      SVC_ESCAPE_RUNS: process.env.SVC_ESCAPE_RUNS ?? '20',
      SVC_KILL_ROUNDS: process.env.SVC_KILL_ROUNDS ?? '40',
      SVC_CHAOS_KILLS: process.env.SVC_CHAOS_KILLS ?? '200',
      SVC_CHAOS_SEED: seed,
      SVC_STREAM_BYTES: '1e9',
      SVC_SHARD_QUOTA: '160',
      SVC_RIVAL_UPLOADS: '600',
      SVC_RIVAL_SEED: seed,
    },
    // The runtimes are installed by whoever comes first, and two cores have enough to do with one of them.
    fileParallelism: false,
    maxConcurrency: 2,
    testTimeout: 300_000,
  },
})
