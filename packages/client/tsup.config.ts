import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    core: 'src/core.ts',
    node: 'src/node/index.ts',
    openapi: 'src/openapi/index.ts',
    otel: 'src/otel/index.ts',
    zod: 'src/zod/index.ts',
  },
  format: ['esm', 'cjs'],
  dts: true,
  sourcemap: true,
  clean: true,
  target: 'es2022',
  treeshake: true,
})
