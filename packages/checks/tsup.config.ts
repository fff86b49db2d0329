import { defineConfig } from 'tsup'

export default defineConfig({
  // A policy in code imports `checks` in place of the package.
  entry: { index: 'src/public.ts', checks: 'src/rules/checks.ts' },
  format: ['esm'],
  platform: 'node',
  target: 'es2022',
  sourcemap: true,
  clean: true,
  // Types of private packages are part of the declarations, because these packages are not published.
  dts: { entry: { index: 'src/public.ts' }, compilerOptions: { paths: { '@svc/text': ['../text/src/index.ts'] } } },
  noExternal: ['@svc/text', 'picomatch'],
})
