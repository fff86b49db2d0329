import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', claims: 'src/claims.ts' },
  format: ['esm', 'cjs'],
  platform: 'node',
  // The private package is part of this one; no public type names one of it.
  noExternal: ['@svc/text'],
  dts: true,
  sourcemap: true,
  clean: true,
  target: 'es2022',
  treeshake: true,
})
