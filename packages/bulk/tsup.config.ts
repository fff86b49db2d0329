import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', claims: 'src/claims.ts' },
  format: ['esm', 'cjs'],
  platform: 'node',
  // The private package is part of this one, and its types of the declarations, because it is not published.
  noExternal: ['@svc/text'],
  dts: { compilerOptions: { paths: { '@svc/text': ['../text/src/index.ts'] } } },
  sourcemap: true,
  clean: true,
  target: 'es2022',
  treeshake: true,
})
