import { defineConfig, type Options } from 'tsup'
import { withDeclarations } from '../../declarations.js'

// For `node20` esbuild writes each expression with \p{…} as one that is created at each use.
const common: Options = { sourcemap: true, target: 'es2022' }

/** The entries whose types are the same for both formats. */
const entry = {
  index: 'src/index.ts',
  core: 'src/core.ts',
  control: 'src/control/client.ts',
  contract: 'src/contract/index.ts',
  data: 'src/persistence/index.ts',
  jest: 'src/jest.ts',
  testing: 'src/testing.ts',
}

export default defineConfig([
  withDeclarations({
    ...common,
    entry: {
      index: 'src/index.ts',
      'index-import': 'src/index-import.ts',
      core: 'src/core.ts',
      control: 'src/control/client.ts',
      contract: 'src/contract/index.ts',
      data: 'src/persistence/index.ts',
      vitest: 'src/vitest.ts',
      jest: 'src/jest.ts',
      testing: 'src/testing.ts',
    },
    format: 'esm',
    dts: { entry: { ...entry, vitest: 'src/vitest.ts' } },
    treeshake: true,
    clean: true,
  }),
  withDeclarations({
    ...common,
    entry: { ...entry, index: 'src/index-require.ts' },
    format: 'cjs',
    dts: { entry },
    esbuildOptions(options) {
      // Jest runs CommonJS in a context in which `import()` fails; as `require` it works there too.
      options.supported = { 'dynamic-import': false }
    },
  }),
])
