import { rmSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import { withDeclarations } from '../../declarations.js'

// Not by `clean`, because neither format may remove the other.
rmSync('dist', { recursive: true, force: true })

const shared: Options = {
  platform: 'node',
  target: 'es2022',
  sourcemap: true,
  noExternal: [/^@svc\/text/, 'picomatch'],
}

export default defineConfig([
  withDeclarations({
    ...shared,
    // A policy in code imports `checks` in place of the package, and runs in the thread of `policy-worker`.
    entry: {
      index: 'src/index.ts',
      vitest: 'src/vitest.ts',
      checks: 'src/rules/checks.ts',
      'policy-worker': 'src/rules/policy-worker.ts',
    },
    format: ['esm'],
    dts: { entry: { index: 'src/index.ts', vitest: 'src/vitest.ts' } },
  }),
  withDeclarations({
    ...shared,
    // For Jest, which cannot require an ES module.
    entry: { index: 'src/index.ts' },
    format: ['cjs'],
    esbuildOptions(options) {
      options.define = { ...options.define, 'import.meta.url': 'importMetaUrl' }
      options.banner = { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" }
    },
  }),
])
