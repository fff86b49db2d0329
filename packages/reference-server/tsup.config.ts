import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/core.ts', 'src/data.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  sourcemap: true,
  clean: true,
  // For `node20` esbuild writes each expression with \p{…} as one that is made anew at each use.
  target: 'es2022',
  treeshake: true,
})
