import { defineConfig } from 'tsup'
import { withDeclarations } from '../../declarations.js'

export default defineConfig(
  withDeclarations({
    entry: {
      index: 'src/index.ts',
      core: 'src/core.ts',
      node: 'src/node/index.ts',
      openapi: 'src/openapi/index.ts',
      otel: 'src/otel/index.ts',
      zod: 'src/zod/index.ts',
    },
    format: ['esm', 'cjs'],
    sourcemap: true,
    clean: true,
    target: 'es2022',
    treeshake: true,
  }),
)
