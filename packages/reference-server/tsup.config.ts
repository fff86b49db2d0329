import { defineConfig, type Options } from 'tsup'

// For `node20` esbuild writes each expression with \p{…} as one that is created at each use.
const common: Options = { sourcemap: true, target: 'es2022' }

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      'index-import': 'src/index-import.ts',
      core: 'src/core.ts',
      data: 'src/persistence/index.ts',
    },
    format: 'esm',
    dts: { entry: { index: 'src/index.ts', core: 'src/core.ts', data: 'src/persistence/index.ts' } },
    treeshake: true,
    clean: true,
  },
  {
    ...common,
    entry: { index: 'src/index-require.ts', core: 'src/core.ts', data: 'src/persistence/index.ts' },
    format: 'cjs',
    dts: { entry: { index: 'src/index.ts', core: 'src/core.ts', data: 'src/persistence/index.ts' } },
    esbuildOptions(options) {
      // Jest runs CommonJS in a context in which `import()` fails; as `require` it works there too.
      options.supported = { 'dynamic-import': false }
    },
  },
])
