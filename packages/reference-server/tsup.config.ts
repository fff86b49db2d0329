import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', core: 'src/core.ts', data: 'src/persistence/index.ts' },
  format: ['esm', 'cjs'],
  dts: true,
  sourcemap: true,
  clean: true,
  // For `node20` esbuild writes each expression with \p{…} as one that is created at each use.
  target: 'es2022',
  treeshake: true,
  esbuildOptions(options, { format }) {
    // Jest runs CommonJS in a context in which `import()` fails; as `require` it works there too.
    if (format === 'cjs') options.supported = { 'dynamic-import': false }
  },
})
