import { rmSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'

// Not by `clean`, because neither format may remove the other.
rmSync('dist', { recursive: true, force: true })

const shared: Options = {
  platform: 'node',
  target: 'es2022',
  sourcemap: true,
  noExternal: ['@svc/text', 'picomatch'],
}
// Types of private packages are part of the declarations, because these packages are not published.
const compilerOptions = { paths: { '@svc/text': ['../text/src/index.ts'] } }

export default defineConfig([
  {
    ...shared,
    // A policy in code imports `checks` in place of the package, and runs in the thread of `policy-worker`.
    entry: {
      index: 'src/public.ts',
      vitest: 'src/vitest.ts',
      checks: 'src/rules/checks.ts',
      'policy-worker': 'src/rules/policy-worker.ts',
    },
    format: ['esm'],
    dts: { entry: { index: 'src/public.ts', vitest: 'src/vitest.ts' }, compilerOptions },
  },
  {
    ...shared,
    // For Jest, which cannot require an ES module.
    entry: { index: 'src/public.ts' },
    format: ['cjs'],
    dts: { entry: { index: 'src/public.ts' }, compilerOptions },
    esbuildOptions(options) {
      options.define = { ...options.define, 'import.meta.url': 'importMetaUrl' }
      options.banner = { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" }
    },
  },
])
