import { defineConfig, type Options } from 'tsup'
import { withDeclarations } from '../../declarations.js'

const output = {
  format: ['esm', 'cjs'],
  sourcemap: true,
  target: 'es2022',
  treeshake: true,
  // Chosen by `imports` of the manifest.
  external: ['#network-codes'],
} satisfies Options

export default defineConfig([
  withDeclarations({
    ...output,
    entry: {
      index: 'src/index.ts',
      core: 'src/core.ts',
      node: 'src/node/index.ts',
      openapi: 'src/openapi/index.ts',
      otel: 'src/otel/index.ts',
      zod: 'src/zod/index.ts',
    },
    clean: ['!network-codes*'],
  }),
  {
    ...output,
    entry: {
      'network-codes': 'src/errors/network-codes.ts',
      'network-codes.browser': 'src/errors/browser-network-codes.ts',
    },
  },
])
